import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { install, packed, readsPictures, run } from '../end-to-end/packed.ts'
import { redis, startRedis } from '../queue/redis-server.ts'

// The oldest and the newest version of every package that some uses need; package.json says which are let in.

let tarball: string
let home: string

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'zeroth-peers-'))
  ;({ tarball } = await packed(home))
})
afterAll(() => rm(home, { recursive: true, force: true }))

/** A project that had some packages before it installed this one. */
async function project(...packages: string[]): Promise<string> {
  const folder = await mkdtemp(join(home, 'project-'))
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  await run('npm', [...install, ...packages], folder)
  await run('npm', [...install, tarball], folder)
  return folder
}

test.each(['0.33.0', '0.34.0', '0.34.5', '0.35.0', '0.35.5'])('sharp %s reads every format', async (version) => {
  const folder = await project(`sharp@${version}`)
  expect(await readsPictures(folder)).toEqual({ formats: 3, sharp: version })
})

const classify = `
  import { embeddedImages, embeddedModel } from 'zeroth/embedded'
  import { measureAccuracy, onnxRuntimeVersion } from 'zeroth/models'
  const model = await embeddedModel('digits').open()
  const { correct } = await measureAccuracy(model, await embeddedImages('digits'))
  await model.close()
  console.log(JSON.stringify({ correct, runtime: await onnxRuntimeVersion() }))`

test.each(['1.17.0', '1.19.2', '1.20.1', '1.21.1', '1.22.0', '1.30.0'])(
  'onnxruntime-node %s classifies the digits, and an attack runs through it',
  async (version) => {
    const folder = await project(`onnxruntime-node@${version}`)
    await writeFile(join(folder, 'classify.mjs'), classify)
    const told = JSON.parse(await run(process.execPath, ['classify.mjs'], folder))
    expect(told).toEqual({ correct: 129, runtime: `onnxruntime-node ${version}` })
    const attack = ['--no', 'zeroth', 'attack', '--model', 'digits', '--count', '2', '--max-queries', '60']
    expect(await run('npx', attack, folder)).toMatch(/^attack success .* of 2 images/m)
  },
)

test.each(['1.17.0', '1.20.0', '1.22.0', '1.30.0'])('onnxruntime-web %s classifies the digits', async (version) => {
  const folder = await project(`onnxruntime-web@${version}`)
  await writeFile(join(folder, 'classify.mjs'), classify)
  const told = JSON.parse(await run(process.execPath, ['--conditions=browser', 'classify.mjs'], folder))
  expect(told).toEqual({ correct: 129, runtime: `onnxruntime-web ${version}` })
})

test.skipIf('missing' in redis).each([
  ['5.66.0', '5.3.0'],
  ['5.66.0', '5.4.2'],
  ['5.81.5', '5.11.1'],
  ['6.0.0', '5.3.0'],
  ['6.7.0', '5.11.1'],
  ['6.7.0', '6.0.0'],
])('a queue with bullmq %s and ioredis %s gives the bits of a run without one', async (bullmq, ioredis) => {
  const folder = await project(`bullmq@${bullmq}`, `ioredis@${ioredis}`)
  const server = await startRedis()
  const zeroth = join(folder, 'node_modules/zeroth/dist/app/cli/main.js')
  const problem = ['--function', 'rosenbrock', '--dim', '2']
  const worker = spawn(process.execPath, [zeroth, 'worker', server.url, ...problem], { cwd: folder, stdio: 'ignore' })
  try {
    const minimize = [zeroth, 'minimize', ...problem, '--max-queries', '60', '--json', '--out']
    const alone = JSON.parse(await run(process.execPath, [...minimize, 'alone'], folder)) as { hash: string }
    const queued = await run(process.execPath, [...minimize, 'queued', '--queue', server.url], folder)
    expect(alone.hash).toMatch(/^[0-9a-f]{64}$/)
    expect(JSON.parse(queued)).toMatchObject({ hash: alone.hash })
  } finally {
    worker.kill('SIGKILL')
    await server.close()
  }
})
