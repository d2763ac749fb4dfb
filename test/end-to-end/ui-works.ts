import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sealedJson } from '../../src/app/store/sealed-json.ts'
import { payloads } from '../report/payloads.ts'
import { zeroth } from './zeroth.ts'

const small = ['--function', 'rosenbrock', '--dim', '3', '--solver', 'zo-adamm', '--max-queries', '150', '--quiet']
const attack = ['attack', '--model', 'digits', '--count', '3', '--max-queries', '150', '--quiet']

/** One work of every kind in a folder, as the command line makes them. */
export async function makeWorks(cwd: string): Promise<void> {
  // It takes every digit for an eleventh class.
  const shape = { channels: 1, height: 28, width: 28 }
  const weights = Array.from({ length: 11 }, () => Array(784).fill(0))
  writeFileSync(
    join(cwd, 'wrong.json'),
    JSON.stringify({ name: 'linear', shape, weights, bias: [...Array(10).fill(0), 1] }),
  )
  const commands = [
    ['minimize', ...small, '--out', 'works/run'],
    ['minimize', ...small, '--repeat', '3', '--out', 'works/series'],
    ['minimize', '--tune-solver', ...small, '--seeds', '1', '--from', '0.01', '--to', '1', '--out', 'works/tuning'],
    [...attack, '--out', 'works/attack'],
    [...attack, '--linf', '0.03', '--out', 'works/other-attack'],
    ['attack', '--model', 'wrong.json', '--images', 'digits', '--count', '2', '--quiet', '--out', 'works/doubtful'],
  ]
  await Promise.all(commands.map((args) => made(args, cwd)))
}

async function made(args: readonly string[], cwd: string): Promise<void> {
  const { code, stderr } = await zeroth(args, { cwd })
  if (code !== 0) throw new Error(`zeroth ${args.join(' ')}: ${stderr}`)
}

/** Works whose every text would run a script on a page that took it for markup. */
export async function makeHostileWorks(cwd: string): Promise<void> {
  const run = join(cwd, 'hostile', '"><img src=x onerror=alert(1)>')
  await made(['minimize', ...small, '--out', run], cwd)
  const reseal = (file: string, change: object): void => {
    const { sha256: _, ...content } = JSON.parse(readFileSync(join(run, file), 'utf8'))
    writeFileSync(join(run, file), sealedJson({ ...content, ...change }))
  }
  const spec = { objective: { name: payloads[3] }, solver: { name: payloads[4] }, dim: 3, texts: payloads }
  reseal('meta.json', {
    spec,
    zeroth: '<img src=x onerror=alert(1)>',
    machine: { [payloads[0] as string]: payloads[1] },
  })
  reseal('result.json', {
    variables: Object.fromEntries(payloads.map((name, i) => [name, i])),
    warnings: payloads,
    phases: payloads.map((text) => ({ method: text, why: text, queries: 1, value: 1 })),
  })
  const folder = join(cwd, 'hostile', '<svg onload=alert(1)>')
  cpSync(join(cwd, 'works/attack'), folder, { recursive: true })
  const change = (file: string, act: (content: Record<string, unknown>) => object): void => {
    const path = join(folder, file)
    const { sha256: _, ...content } = JSON.parse(readFileSync(path, 'utf8'))
    writeFileSync(path, sealedJson({ ...act(content) }))
  }
  change('attack.json', ({ images, spec: own, ...rest }) => ({
    ...rest,
    images: { ...(images as object), name: payloads[0], classNames: payloads.slice(0, 10) },
    spec: { ...(own as object), given: payloads },
  }))
  readdirSync(join(folder, 'images')).forEach((image, i) =>
    change(`images/${image}/image.json`, (record) => ({ ...record, title: payloads[i], reason: payloads[i + 20] })),
  )
  change('summary.json', ({ images, ...rest }) => ({
    ...rest,
    warnings: payloads,
    images: (images as object[]).map((image, i) => ({ ...image, title: payloads[i], reason: payloads[i + 20] })),
  }))
}
