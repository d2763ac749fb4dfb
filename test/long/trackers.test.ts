import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { onlyObject, zeroth } from '../end-to-end/zeroth.ts'
import { type Exchange, recordingServer } from '../servers/recording-server.ts'

// What `zeroth export` gives to TensorBoard and MLflow, read by their own programs from PyPI.
const packages = ['tensorboard==2.21.0', 'mlflow==3.17.2']
const folder = mkdtempSync(join(tmpdir(), 'zeroth-trackers-'))
// An environment that has them already saves the time to make one: PYTHON_WITH_TRACKERS=folder.
const { PYTHON_WITH_TRACKERS: environment = join(folder, 'python') } = process.env
const python = join(environment, 'bin/python')
const fixtures = fileURLToPath(new URL('../fixtures/', import.meta.url))
const servers: ChildProcess[] = []
let url = ''

type Course = readonly (readonly [step: number, value: string])[]

interface TrackedRun {
  readonly id: string
  readonly name: string
  readonly status: string
  readonly metrics: Record<string, Course>
  readonly params: Record<string, string>
  readonly tags: Record<string, string>
  readonly files: readonly string[]
}

const call = async (...args: string[]) => {
  const ended = await zeroth(args, { cwd: folder })
  if (ended.code !== 0) throw new Error(`zeroth ${args.join(' ')}: ${ended.stderr}`)
  return ended
}
// biome-ignore lint/suspicious/noExplicitAny: whatever `zeroth show` prints.
const show = async (run: string): Promise<any> => onlyObject(await call('show', run, '--json'))
const read = (...args: string[]) => {
  const reader = fileURLToPath(new URL('read-trackers.py', import.meta.url))
  return JSON.parse(execFileSync(python, [reader, ...args], { encoding: 'utf8', maxBuffer: 1 << 28 }))
}
const last = (course: Course | undefined) => Number(course?.at(-1)?.[1])

beforeAll(async () => {
  if (process.env.PYTHON_WITH_TRACKERS === undefined) {
    execFileSync('python3', ['-m', 'venv', environment])
    execFileSync(python, ['-m', 'pip', 'install', '--quiet', ...packages])
  }
  await call(
    'minimize',
    '--function',
    'rosenbrock',
    '--dim',
    '3',
    '--seed',
    '7',
    '--max-queries',
    '400',
    '--out',
    'run',
  )
  const series = ['--solver', 'zo-adamm', '--repeat', '3', '--max-queries', '200', '--out', 'series']
  await call('minimize', '--function', 'rosenbrock', '--dim', '3', ...series)
  await call('attack', '--model', 'digits', '--count', '3', '--max-queries', '300', '--out', 'attacked')
  url = await startMlflow()
}, 1_200_000)
afterAll(() => {
  for (const server of servers) server.kill()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})

/** Starts a program of the environment and waits until it answers at its address. */
async function serve(program: string, args: (port: number) => string[], ready: string): Promise<string> {
  const port = await freePort()
  servers.push(spawn(join(environment, 'bin', program), args(port), { cwd: folder, stdio: 'ignore' }))
  const address = `http://127.0.0.1:${port}`
  for (let attempt = 0; attempt < 300; attempt++) {
    const isUp = await fetch(`${address}${ready}`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isUp) return address
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  throw new Error(`${program} did not start`)
}

function startMlflow(): Promise<string> {
  const place = ['--backend-store-uri', `sqlite:///${join(folder, 'mlflow.db')}`]
  const files = ['--artifacts-destination', join(folder, 'artifacts')]
  const where = (port: number) => ['--host', '127.0.0.1', '--port', String(port), '--workers', '1']
  return serve('mlflow', (port) => ['server', ...where(port), ...place, ...files], '/health')
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}

test("TensorBoard's own reader finds the numbers that zeroth show prints", async () => {
  for (const work of ['run', 'series', 'attacked']) await call('export', work, '--tensorboard', 'logs')
  const found = read('tensorboard', join(folder, 'logs'))
  const names = ['attacked', 'run', 'series', 'series/seed-0', 'series/seed-1', 'series/seed-2']
  expect(Object.keys(found).sort()).toEqual(names)
  for (const run of ['run', 'series/seed-0', 'series/seed-1', 'series/seed-2']) {
    const { result } = await show(run)
    const { scalars, text } = found[run]
    expect(last(scalars['result/value'])).toBe(result.value)
    expect(last(scalars['result/queries'])).toBe(result.queries)
    expect(text.about).toContain(result.hash)
    const { history } = JSON.parse((await call('export', run, '--format', 'json')).stdout)
    expect(scalars.best.map(([step, value]: [number, string]) => [step, Number(value)])).toEqual(
      history.queries.map((queries: number, i: number) => [queries, Number(history.best[i])]),
    )
    process.stdout.write(
      `TensorBoard ${run}: value ${last(scalars['result/value'])}, ${scalars.best.length} iterations\n`,
    )
  }
  const { summary, images } = await show('attacked')
  const { scalars, images: pictures } = found.attacked
  for (const name of ['robustAccuracy', 'cleanAccuracy', 'queries', 'modelCalls', 'success8bit']) {
    expect(last(scalars[`summary/${name}`])).toBe(summary[name])
  }
  expect(last(scalars['summary/bestL2/median'])).toBe(summary.bestL2.median)
  for (const { title: number, queries } of images) {
    expect(scalars['per-image/queries']).toContainEqual([Number(number), `${queries}.0`])
    const title = `image-${number.padStart(4, '0')}`
    expect(pictures[`${title}/original`]).toEqual([['28', '28', expect.any(Number)]])
    expect(last(scalars[`${title}/loss`])).not.toBeNaN()
  }
  process.stdout.write(`TensorBoard attacked: robust accuracy ${last(scalars['summary/robustAccuracy'])}\n`)
})

test.each([
  ['the command that the export prints', [], 'float32/result/value', Math.fround],
  ['its slow loader every bit', ['--load_fast=false'], 'result/value', Number],
])("TensorBoard's page has the numbers: with %s", async (_, more, tag, rounded) => {
  const { stderr } = await call('export', 'run', '--tensorboard', 'shown')
  const [, command = ''] = /tensorboard (--logdir .*?) shows them/.exec(stderr) ?? []
  const address = await serve('tensorboard', (port) => [...command.split(' '), ...more, '--port', String(port)], '/')
  const ask = async (path: string) => (await fetch(`${address}/data/plugin/scalars/${path}`)).json()
  for (let attempt = 0; attempt < 60 && (await ask('tags')).run === undefined; attempt++) {
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  const [[, step, value]] = await ask(`scalars?run=run&tag=${encodeURIComponent(tag)}`)
  const { result } = await show('run')
  expect([step, value]).toEqual([result.queries, rounded(result.value)])
})

test("MLflow's own client finds the numbers that zeroth show prints, once", async () => {
  const send = async () => {
    for (const work of ['run', 'series', 'attacked']) {
      const { stdout, stderr } = await call('export', work, '--mlflow', url, '--experiment', 'tried')
      process.stdout.write(`${stdout}${stderr}`)
    }
  }
  await send()
  const found: TrackedRun[] = read('mlflow', url, 'tried')
  const named = new Map(found.map((run) => [run.name, run]))
  expect([...named.keys()].sort()).toEqual(['attacked', 'run', 'seed-0', 'seed-1', 'seed-2', 'series'])
  for (const name of ['run', 'seed-0', 'seed-1', 'seed-2']) {
    const place = name === 'run' ? name : `series/${name}`
    const { result, meta } = await show(place)
    const { metrics, tags, params, status, files } = named.get(name) as TrackedRun
    expect(last(metrics['result/value'])).toBe(result.value)
    expect(last(metrics['result/queries'])).toBe(result.queries)
    expect(tags).toMatchObject({ 'zeroth.hash': result.hash, 'zeroth.seed': String(result.seed) })
    expect([params.dim, params['solver.name'], status]).toEqual(['3', meta.spec.solver.name, 'FINISHED'])
    expect([...files].sort()).toEqual(['result.json', 'spec.json'])
    const { history } = JSON.parse((await call('export', place, '--format', 'json')).stdout)
    expect(metrics.best?.map(([step, value]) => [step, Number(value)])).toEqual(
      history.queries.map((queries: number, i: number) => [queries, Number(history.best[i])]),
    )
    process.stdout.write(`MLflow ${name}: value ${last(metrics['result/value'])}, ${metrics.best?.length} iterations\n`)
    if (name !== 'run') expect(tags['mlflow.parentRunId']).toBe(named.get('series')?.id)
  }
  const { summary, images } = await show('attacked')
  const { metrics, files } = named.get('attacked') as TrackedRun
  for (const name of ['robustAccuracy', 'cleanAccuracy', 'queries', 'modelCalls', 'success8bit']) {
    expect(last(metrics[`summary/${name}`])).toBe(summary[name])
  }
  expect(metrics['per-image/queries']?.length).toBe(images.length)
  expect(files).toEqual(
    expect.arrayContaining(['images.csv', 'summary.json', `image-${images[0].title.padStart(4, '0')}/original.png`]),
  )
  process.stdout.write(`MLflow attacked: robust accuracy ${last(metrics['summary/robustAccuracy'])}\n`)

  await send()
  expect(read('mlflow', url, 'tried')).toEqual(found)
  await call('resume', 'run', '--max-queries', '600')
  await send()
  const [longer] = (read('mlflow', url, 'tried') as TrackedRun[]).filter(({ name }) => name === 'run')
  const { result } = await show('run')
  expect(last(longer?.metrics['result/value'])).toBe(result.value)
  const csv = (await call('export', 'run')).stdout.trim().split('\n')
  expect(longer?.metrics.best?.length).toBe(csv.length - 1)
})

test('the requests and replies that the default suite replays are those of the server (vitest -u writes them)', async () => {
  const exchanges: Exchange[] = []
  const proxy = await recordingServer(url, exchanges)
  try {
    for (const work of ['finished', 'finished', 'attack-finished']) {
      await call('export', join(fixtures, 'jobs', work), '--mlflow', proxy.url, '--experiment', 'recorded')
    }
  } finally {
    await proxy.close()
  }
  await expect(lasting(exchanges)).toMatchFileSnapshot('../fixtures/mlflow/exchange.jsonl')
  expect(readFileSync(join(fixtures, 'mlflow/exchange.jsonl'), 'utf8')).not.toContain(folder)
})

/** One a line, without what differs from server to server: ids, times, the user. */
function lasting(exchanges: readonly Exchange[]): string {
  let text = exchanges.map((each) => `${JSON.stringify(each)}\n`).join('')
  const ids = [...new Set([...text.matchAll(/"run_id":"([0-9a-f]{32})"/g)].map(([, id]) => id as string))]
  for (const [i, id] of ids.entries()) text = text.replaceAll(id, `run${i + 1}`)
  const [, experiment = ''] = /"experiment_id":"(\d+)"/.exec(text) ?? []
  return text
    .replaceAll(`"experiment_id":"${experiment}"`, '"experiment_id":"7"')
    .replaceAll(`"experiment_ids":["${experiment}"]`, '"experiment_ids":["7"]')
    .replaceAll(`mlflow-artifacts:/${experiment}`, 'mlflow-artifacts:/7')
    .replaceAll(`artifacts/artifacts/${experiment}/`, 'artifacts/artifacts/7/')
    .replace(/"(creation_time|last_update_time)":\d+/g, '"$1":0')
    .replace(/"user_id":"[^"]*"/g, '"user_id":""')
}
