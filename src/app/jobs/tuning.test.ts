import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cliFolder, smallSpec } from '../../../test/cli/cli-folder.ts'
import { listRuns } from '../store/index.ts'
import { viewJob } from './any-job.ts'
import { readAttack } from './evaluation/attack-record.ts'
import type { JobEvent } from './events.ts'
import { type Job, writeStored } from './job.ts'
import {
  greedySearch,
  openTuning,
  rateGrid,
  resumeTuning,
  type Setting,
  solverWith,
  type Trial,
  type TuningResult,
} from './tuning.ts'

const path = cliFolder()
const search = { from: 0.1, to: 1, betas: false, seeds: [0, 1] }

async function performed(opening: Promise<Job<TuningResult>>): Promise<{ result: TuningResult; events: JobEvent[] }> {
  const tuning = await opening
  const events: JobEvent[] = []
  for await (const event of tuning.perform()) events.push(event)
  return { result: tuning.result() as TuningResult, events }
}

function found(result: TuningResult) {
  if (result.status !== 'finished') throw new Error('it was interrupted')
  return result
}

test('the best setting is the one whose runs have the smallest mean value', async () => {
  const { result, events } = await performed(openTuning(path('t'), smallSpec(), search))
  const { tried, best, solver } = found(result)
  expect(best.value).toBe(Math.min(...tried.map((each) => each.value)))
  expect(solver).toMatchObject({ name: 'zo-adamm', directions: 3, learningRate: best.learningRate })
  const runs = await listRuns(path('t'))
  expect(runs).toHaveLength(2 * tried.length)
  const means = runs.filter(({ folder }) => folder.includes(`rate-${String(best.learningRate).replace('.', 'p')}-seed`))
  const sum = means.reduce((total, each) => total + (each.status === 'damaged' ? Number.NaN : each.best), 0)
  expect(sum / 2).toBe(best.value)
  const [, first] = events.filter(({ type }) => type === 'started')
  expect(first).toMatchObject({ work: 't/rate-0p1-seed-0', parent: 't', title: 'learningRate 0.1 seed 0' })
  expect(events.filter(({ type }) => type === 'warning')[0]).toMatchObject({
    code: 'note',
    message: expect.stringMatching(/^learningRate 0\.1 {2}mean value /),
  })
  expect(await viewJob(path('t'))).toMatchObject({ kind: 'tuning', state: 'finished' })
})

test('a search that was interrupted is resumed and finds the same', async () => {
  const { tried } = found((await performed(resumeTuning(path('t')))).result)
  const cut = await openTuning(path('cut'), smallSpec(), search)
  const controller = new AbortController()
  for await (const event of cut.perform({ signal: controller.signal })) {
    if (event.type === 'progress' && event.items?.done === 1) controller.abort()
  }
  const some = cut.result() as TuningResult
  expect(some.tried.length).toBeGreaterThan(0)
  expect(some.tried).toEqual(tried.slice(0, some.tried.length))
  const rest = found((await performed(openTuning(path('cut'), smallSpec(), search))).result)
  expect(rest.tried).toEqual(tried)
})

test('trials of another kind can be plugged in; one that is stopped rejects with the reason of the signal', async () => {
  const trial: Trial = async ({ learningRate }, seed) => Math.abs(learningRate - 0.3) + seed
  const { best, tried } = found(
    (await performed(openTuning(path('p'), smallSpec(), search, { trials: { trial } }))).result,
  )
  expect(best).toEqual({ learningRate: 0.3, value: 0.5 })
  expect(tried).toHaveLength(3)
  const controller = new AbortController()
  const stopped: Trial = async (setting, _seed, _emit, signal) => {
    if (setting.learningRate < 0.3) return 1
    controller.abort(new Error('enough'))
    throw signal.reason
  }
  const tuning = await openTuning(path('q'), smallSpec(), search, { trials: { trial: stopped } })
  const events: JobEvent[] = []
  for await (const event of tuning.perform({ signal: controller.signal })) events.push(event)
  expect(events.at(-1)).toMatchObject({ type: 'finished', status: 'interrupted' })
  expect(tuning.result()).toEqual({ status: 'interrupted', tried: [{ learningRate: 0.1, value: 1 }] })
  expect(await viewJob(path('q'))).toMatchObject({ kind: 'tuning', state: 'interrupted' })
})

test('an objective that cannot be opened ends the search at once, and nothing is left of it', async () => {
  const spec = smallSpec({ objective: { name: 'module', module: path('none.mjs') } })
  await expect(performed(openTuning(path('n'), spec, search))).rejects.toThrow(/there is no module/)
  expect(existsSync(path('n'))).toBe(false)
})

test('rates at which runs fail later are passed over', async () => {
  writeFileSync(
    path('cliff.mjs'),
    'export default (x) => { if (Math.abs(x[0]) > 0.2) throw new Error("off"); return x[0] }',
  )
  const spec = smallSpec({ objective: { name: 'module', module: path('cliff.mjs') }, start: 0.1, failures: 'stop' })
  const { tried, best } = found((await performed(openTuning(path('c'), spec, search))).result)
  expect(tried.some(({ value }) => Number.isNaN(value))).toBe(true)
  expect(best.value).toBeLessThan(0.1)
})

test.each([
  [{ ...search, from: 0.4, to: 0.5 }, 'zo-adamm', 'there is no learning rate of the grid'],
  [{ ...search, betas: true }, 'zo-sgd', 'the solver zo-sgd has no beta1: tune without betas'],
])('%j of %s: %s', async (wanted, solver, message) => {
  await expect(openTuning(path('x'), smallSpec({ solver }), wanted)).rejects.toThrow(message)
})

test('a learning rate that decays keeps its schedule', () => {
  const setting = { learningRate: 0.3, beta1: 0.5, beta2: 0.7 }
  expect(
    solverWith({ solver: { name: 'a', learningRate: { value: 1, decay: 'linear' }, beta1: 0.9 } }, setting),
  ).toEqual({
    name: 'a',
    learningRate: { value: 0.3, decay: 'linear' },
    beta1: 0.5,
    beta2: 0.7,
  })
  expect(solverWith({ solver: { name: 'a', learningRate: 1 } }, { learningRate: 0.3 })).toEqual({
    name: 'a',
    learningRate: 0.3,
  })
})

test('a learning rate of an attack decays unless it says otherwise', () => {
  const decays = (learningRate?: unknown) => {
    const solver = { name: 'zo-adamm', ...(learningRate === undefined ? {} : { learningRate }) } as never
    return solverWith({ model: { name: 'digits' }, solver }, { learningRate: 0.3 }).learningRate
  }
  expect(decays()).toEqual({ value: 0.3, decay: 'sqrt' })
  expect(decays({ value: 1, decay: 'none' })).toEqual({ value: 0.3, decay: 'none' })
})

/** A valley in the logarithm of the learning rate. */
const valley =
  (best: number) =>
  async ({ learningRate }: Setting) =>
    Math.log(learningRate / best) ** 2

test.each([
  [1e-3, 1, [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1]],
  [1e-4, 1e-2, [1e-4, 3e-4, 1e-3, 3e-3, 1e-2]],
  [0.3, 0.3, [0.3]],
  [0.25, 4, [0.3, 1, 3]],
  [0.4, 0.5, []],
  [1, 0.1, []],
])('the grid from %d to %d', (from, to, rates) => {
  expect(rateGrid(from, to)).toEqual(rates)
})

test('finds the smallest value inside the grid and tries nothing else', async () => {
  const { tried, best, atEdge } = await greedySearch(rateGrid(1e-3, 1), [], 6, valley(0.1))
  expect(best).toEqual({ learningRate: 0.1, value: 0 })
  expect(tried.map(({ learningRate }) => learningRate)).toEqual(rateGrid(1e-3, 1))
  expect(atEdge).toBe(false)
})

test('grows at the upper edge until the best is inside', async () => {
  const { tried, best, atEdge } = await greedySearch([0.1, 0.3], [], 6, valley(3))
  expect(tried.map(({ learningRate }) => learningRate)).toEqual([0.1, 0.3, 1, 3, 10])
  expect(best.learningRate).toBe(3)
  expect(atEdge).toBe(false)
})

test('grows at the lower edge in exact decimal steps', async () => {
  const { tried, best } = await greedySearch([0.1, 0.3], [], 6, valley(0.003))
  expect(tried.map(({ learningRate }) => learningRate)).toEqual([0.1, 0.3, 0.03, 0.01, 0.003, 0.001])
  expect(best.learningRate).toBe(0.003)
})

test('a grid of one rate grows in both directions', async () => {
  const { tried } = await greedySearch([1], [], 6, valley(1))
  expect(tried.map(({ learningRate }) => learningRate)).toEqual([1, 3, 0.3])
})

test('says that the best is at the edge when it may not grow any more', async () => {
  const { tried, atEdge } = await greedySearch([1], [], 2, valley(1e9))
  expect(tried.map(({ learningRate }) => learningRate)).toEqual([1, 3, 10])
  expect(atEdge).toBe(true)
})

test('settings that led nowhere are the worst, wherever they stand', async () => {
  const measure = async ({ learningRate }: Setting) => (learningRate > 0.05 ? Number.NaN : 1 / learningRate)
  const { best, atEdge } = await greedySearch(rateGrid(1e-3, 1), [], 6, measure)
  expect(best).toEqual({ learningRate: 0.03, value: 1 / 0.03 })
  expect(atEdge).toBe(false)
})

test('where nothing led anywhere smaller rates are tried, and no betas', async () => {
  const { tried, best } = await greedySearch([1, 3], [0.1, 0.9], 3, async () => Number.NaN)
  expect(tried.map(({ learningRate }) => learningRate)).toEqual([1, 3, 0.3, 0.1, 0.03])
  expect(best.value).toBeNaN()
})

test('tries all pairs of betas at the best rate, and keeps the best of all', async () => {
  const measure = async ({ learningRate, beta1 = 0.9, beta2 = 0.9 }: Setting) =>
    Math.log(learningRate) ** 2 + Math.abs(beta1 - 0.5) + Math.abs(beta2 - 0.1)
  const { tried, best } = await greedySearch([0.1, 1, 10], [0.1, 0.5], 6, measure)
  expect(tried.slice(3)).toEqual([
    { learningRate: 1, beta1: 0.1, beta2: 0.1, value: 0.4 },
    { learningRate: 1, beta1: 0.1, beta2: 0.5, value: 0.8 },
    { learningRate: 1, beta1: 0.5, beta2: 0.1, value: 0 },
    { learningRate: 1, beta1: 0.5, beta2: 0.5, value: 0.4 },
  ])
  expect(best).toEqual({ learningRate: 1, beta1: 0.5, beta2: 0.1, value: 0 })
})

test('a trial that is there with another model than the tuning is refused', async () => {
  const spec = { model: 'digits', count: 1, maxQueries: 2, solver: 'zo-adamm' }
  const place = path('attacked')
  const tuning = await openTuning(place, spec, { ...search, seeds: [0] })
  const stopping = new AbortController()
  for await (const { type } of tuning.perform({ signal: stopping.signal })) if (type === 'item') stopping.abort()
  const trial = join(place, 'rate-0p1-seed-0')
  const record = readAttack(trial)
  const model = { ...(record.spec.model as object), name: 'cifar10' }
  writeStored(join(trial, 'attack.json'), 'zeroth-attack', { ...record, spec: { ...record.spec, model } })
  await expect(performed(resumeTuning(place))).rejects.toThrow(/rate-0p1-seed-0 is another attack: its model is/)
})
