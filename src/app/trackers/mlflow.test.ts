import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { keeper } from '../../../test/servers/kept.ts'
import { type MlflowServer, startMlflow } from '../../../test/servers/mlflow-server.ts'
import { replayingServer } from '../../../test/servers/recording-server.ts'
import { functionObjective, zoAdaMM } from '../../index.ts'
import { createRun, driveRun, openRun, readRun } from '../store/index.ts'
import { exportMlflow } from './mlflow.ts'

const fixtures = fileURLToPath(new URL('../../../test/fixtures/jobs/', import.meta.url))
const keep = keeper<MlflowServer>()
const serve = async (...traits: Parameters<typeof startMlflow>): Promise<MlflowServer> =>
  keep(await startMlflow(...traits))

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'zeroth-mlflow-'))
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

/** A short run with the given spec. */
async function ownRun(name: string, spec: Record<string, unknown>, maxIterations = 3): Promise<string> {
  const place = join(folder, name)
  const about = { id: name, created: '2026-01-01T00:00:00.000Z', zeroth: '0.1.0', spec }
  const store = await createRun(place, about)
  const objective = functionObjective((x) => x[0] as number, { dim: 1 })
  await driveRun(store, objective, [1], { solver: zoAdaMM(), seed: 1, maxIterations })
  await store.close()
  return place
}

const only = (server: MlflowServer) => {
  const [run] = server.runs.values()
  if (run === undefined) throw new Error('there is no run')
  return run
}

test('a run arrives with its parameters, its tags, its course and its result', async () => {
  const server = await serve()
  const [sent] = await exportMlflow(join(fixtures, 'finished'), { url: server.url })
  const { trace, result, meta } = await readRun(join(fixtures, 'finished'))
  const run = only(server)
  expect(sent).toMatchObject({ name: 'finished', run: run.id, state: 'created', metrics: run.metrics.length })
  expect([...server.experiments.keys()]).toEqual(['zeroth'])
  const best = run.metrics.filter(({ key }) => key === 'best')
  expect(best.map(({ value }) => value)).toEqual([...trace.best])
  expect(best.map(({ step }) => step)).toEqual([...trace.queries])
  expect(run.metrics.find(({ key }) => key === 'result/value')).toMatchObject({
    value: result?.value,
    step: result?.queries,
  })
  expect(Object.fromEntries(run.tags)).toMatchObject({
    'zeroth.hash': result?.hash,
    'zeroth.seed': String(result?.seed),
    'zeroth.version': meta.zeroth,
  })
  expect(run.params.get('solver.name')).toBe((meta.spec.solver as { name: string }).name)
  const ended = run.began + Math.round((result?.seconds ?? Number.NaN) * 1000)
  expect(run).toMatchObject({ status: 'FINISHED', name: 'finished', ended })
  expect([...run.files.keys()]).toEqual(['spec.json', 'result.json'])
  expect(JSON.parse(String(run.files.get('result.json'))).hash).toBe(result?.hash)
})

test('a run of a series lies within that of the series', async () => {
  const server = await serve()
  const sent = await exportMlflow(join(fixtures, 'series'), { url: server.url, experiment: 'several' })
  const [series, ...members] = server.runs.values()
  expect(sent.length).toBeGreaterThan(2)
  expect(members.map(({ tags }) => tags.get('mlflow.parentRunId'))).toEqual(members.map(() => series?.id))
})

test('an evaluation arrives with its summary, a step for each image, and its pictures', async () => {
  const server = await serve()
  const [sent] = await exportMlflow(join(fixtures, 'attack-finished'), { url: server.url })
  const run = only(server)
  const { summary, images } = JSON.parse(readFileSync(join(fixtures, 'attack-finished/summary.json'), 'utf8'))
  const value = (key: string) => run.metrics.find((each) => each.key === key)?.value
  expect(value('summary/robustAccuracy')).toBe(summary.robustAccuracy)
  expect(value('summary/bestL2/median')).toBe(summary.bestL2.median)
  const queries = run.metrics.filter(({ key }) => key === 'per-image/queries')
  expect(queries.map(({ step, value }) => [step, value])).toEqual(
    images.map((each: { title: string; queries: number }) => [Number(each.title), each.queries]),
  )
  expect(images.map(({ title }: { title: string }) => title)).toEqual(['40', '41'])
  expect(run.metrics.filter(({ key }) => key.startsWith('images/'))).toEqual([])
  expect([...run.files.keys()]).toEqual(
    expect.arrayContaining(['summary.json', 'images.csv', 'image-0040/original.png']),
  )
  expect([...run.files.keys()].filter((name) => name.endsWith('original.png')).length).toBeGreaterThan(0)
  expect(sent?.leftOut).toEqual(['the course of the attack on each image is left out: --tensorboard has it'])
})

describe('exporting again', () => {
  test('sends nothing where nothing is new', async () => {
    const server = await serve()
    await exportMlflow(join(fixtures, 'finished'), { url: server.url })
    const kept = only(server).metrics.length
    expect(await exportMlflow(join(fixtures, 'finished'), { url: server.url })).toMatchObject([
      { state: 'unchanged', metrics: 0 },
    ])
    expect([server.runs.size, only(server).metrics.length]).toEqual([1, kept])
  })

  test('completes an export that was broken off, and sends no number twice', async () => {
    const whole = await serve()
    await exportMlflow(join(fixtures, 'attack-finished'), { url: whole.url })
    for (const answers of [3, 4, 5, 6, 8]) {
      const server = await serve({ answers })
      const broken = exportMlflow(join(fixtures, 'attack-finished'), { url: server.url })
      await expect(broken).rejects.toThrow('answered 503')
      const revived = await serve()
      for (const [name, id] of server.experiments) revived.experiments.set(name, id)
      for (const [id, run] of server.runs) revived.runs.set(id, run)
      await exportMlflow(join(fixtures, 'attack-finished'), { url: revived.url })
      expect(only(revived).metrics).toEqual(only(whole).metrics)
      expect(revived.runs.size).toBe(1)
    }
  })

  test('adds what a run has gained since', async () => {
    const server = await serve()
    const place = await ownRun('longer', { maxIterations: 3 })
    await exportMlflow(place, { url: server.url })
    const store = await openRun(place)
    await store.extend({ maxIterations: 200 })
    const objective = functionObjective((x) => x[0] as number, { dim: 1 })
    await driveRun(store, objective, [1], { solver: zoAdaMM(), seed: 1, maxIterations: 200 })
    await store.close()
    expect(await exportMlflow(place, { url: server.url })).toMatchObject([{ state: 'updated' }])
    const { trace } = await readRun(place)
    const best = only(server).metrics.filter(({ key }) => key === 'best')
    expect(best.map(({ value }) => value)).toEqual([...trace.best])
    expect(server.runs.size).toBe(1)
  })
})

test('what MLflow cannot hold is said', async () => {
  const server = await serve({ artifacts: 's3://bucket' })
  const spec = {
    start: Array.from({ length: 3000 }, () => 0.5),
    'a=b': 1,
    nested: { '..': { x: 2 }, fine: [1, '-0'], none: null },
  }
  const place = await ownRun('odd', spec)
  const trace = readFileSync(join(place, 'trace.jsonl'), 'utf8').split('\n')
  trace[0] = '{"iteration":1,"queries":2,"value":"NaN","best":"Infinity","seconds":0}'
  writeFileSync(join(place, 'trace.jsonl'), trace.join('\n'))
  const [sent] = await exportMlflow(place, { url: server.url })
  expect(sent?.leftOut).toEqual([
    '1 parameter left out ("a=b"): MLflow takes no such names',
    '1 parameter left out ("start"): longer than the 6000 bytes of MLflow',
    '1 value left out ("best"): infinite, which MLflow cannot hold',
    'spec.json, result.json left out: the server takes no files itself (mlflow server --serve-artifacts does)',
  ])
  expect(Object.fromEntries(only(server).params)).toEqual({
    'nested....x': '2',
    'nested.fine': '[1,"-0"]',
    'nested.none': 'null',
  })
  expect(only(server).metrics.filter(({ value }) => value === 'NaN')).toHaveLength(1)
})

test('long courses are thinned, and requests stay within their limits', async () => {
  const server = await serve()
  const many = Object.fromEntries(Array.from({ length: 350 }, (_, i) => [`p${i}`, 'ü'.repeat(2900)]))
  const place = await ownRun('long', many)
  const lines = Array.from({ length: 6000 }, (_, i) => {
    return `{"iteration":${i + 1},"queries":${2 * i + 2},"value":${i % 7},"best":0,"seconds":${i}}\n`
  })
  writeFileSync(join(place, 'trace.jsonl'), lines.join(''))
  const [sent] = await exportMlflow(place, { url: server.url })
  expect(sent?.leftOut).toEqual(['2785 of 6000 iterations were sent, peaks and dips among them'])
  expect(only(server).params.size).toBe(350)
  const batches = server.requests.filter(({ path }) => path.endsWith('log-batch')).map(({ body }) => body.length)
  expect(Math.max(...batches)).toBeLessThanOrEqual(1_000_000)
  expect(batches.length).toBeGreaterThan(14)
})

describe('tokens', () => {
  const secret = 'canary-4711-token'

  test('come from the usual variable, another one or a file', async () => {
    const server = await serve({ token: secret })
    vi.stubEnv('MLFLOW_TRACKING_TOKEN', secret)
    await exportMlflow(join(fixtures, 'finished'), { url: server.url })
    vi.stubEnv('MLFLOW_TRACKING_TOKEN', undefined)
    vi.stubEnv('OTHER', secret)
    await exportMlflow(join(fixtures, 'finished'), { url: server.url, token: { env: 'OTHER' } })
    writeFileSync(join(folder, 'token'), `${secret}\n`)
    await exportMlflow(join(fixtures, 'finished'), { url: server.url, token: { file: join(folder, 'token') } })
    expect(server.requests.length).toBeGreaterThan(5)
  })

  test('are in no message, whatever the server says', async () => {
    const server = await serve({ token: 'another' })
    vi.stubEnv('OTHER', secret)
    const refused = exportMlflow(join(fixtures, 'finished'), { url: server.url, token: { env: 'OTHER' } })
    const message = await refused.then(String, (error: Error) => error.message)
    expect(message).toContain('answered 401')
    expect(message).toContain('not you')
    expect(message).not.toContain(secret)
  })
})

test.each([
  [{ url: 'ftp://x' }, 'mlflow.url must be an address that begins with http:// or https://'],
  [{ url: 'http://127.0.0.1:1' }, 'GET http://127.0.0.1:1/api/2.0/mlflow/experiments/get-by-name failed: ECONNREFUSED'],
  [{ url: 'http://x', experiment: ' ' }, 'mlflow.experiment must be a text of 1 to 500 characters, got " "'],
  [{ url: 'http://x', token: { env: 'NO_SUCH' } }, 'mlflow.token: the environment variable NO_SUCH is not set'],
])('bad options are named: %o', async (options, message) => {
  await expect(exportMlflow(join(fixtures, 'finished'), options)).rejects.toThrow(message)
})

test('a server that is none of MLflow is said to be', async () => {
  const server = await serve()
  const elsewhere = exportMlflow(join(fixtures, 'finished'), { url: `${server.url}/elsewhere` })
  await expect(elsewhere).rejects.toThrow('answered 404')
})

test('the requests and replies are those recorded with MLflow 3.17.2 (test/long/trackers.test.ts)', async () => {
  const file = fileURLToPath(new URL('../../../test/fixtures/mlflow/exchange.jsonl', import.meta.url))
  const recorded = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const server = await replayingServer(recorded)
  try {
    const states: string[] = []
    for (const work of ['finished', 'finished', 'attack-finished']) {
      const sent = await exportMlflow(join(fixtures, work), { url: server.url, experiment: 'recorded' })
      states.push(...sent.map(({ state }) => state))
    }
    expect(states).toEqual(['created', 'unchanged', 'created'])
    expect(server.requests).toHaveLength(recorded.length)
  } finally {
    await server.close()
  }
})
