import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { cliFolder, smallSpec } from '../../test/cli/cli-folder.ts'
import { listRuns } from '../trace/index.ts'
import type { WorkEvent } from './events.ts'
import { workStatus } from './status.ts'
import { openTuning, resumeTuning, type Trial, type TuningResult } from './tuning.ts'
import type { Work } from './work.ts'

const path = cliFolder()
const search = { from: 0.1, to: 1, betas: false, seeds: [0, 1] }

async function performed(opening: Promise<Work<TuningResult>>): Promise<{ result: TuningResult; events: WorkEvent[] }> {
  const tuning = await opening
  const events: WorkEvent[] = []
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
  expect(await workStatus(path('t'))).toMatchObject({ kind: 'tuning', state: 'finished' })
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
  const events: WorkEvent[] = []
  for await (const event of tuning.perform({ signal: controller.signal })) events.push(event)
  expect(events.at(-1)).toMatchObject({ type: 'finished', status: 'interrupted' })
  expect(tuning.result()).toEqual({ status: 'interrupted', tried: [{ learningRate: 0.1, value: 1 }] })
  expect(await workStatus(path('q'))).toMatchObject({ kind: 'tuning', state: 'interrupted' })
})

test('an objective that never answers ends the search at once', async () => {
  const spec = smallSpec({ objective: { name: 'module', module: path('none.mjs') } })
  await expect(performed(openTuning(path('n'), spec, search))).rejects.toThrow(/there is no module/)
  expect(await listRuns(path('n'))).toHaveLength(1)
})

test('rates at which runs fail later are passed over', async () => {
  writeFileSync(
    path('cliff.mjs'),
    'export default (x) => { if (Math.abs(x[0]) > 0.2) throw new Error("off"); return x[0] }',
  )
  const spec = smallSpec({ objective: { name: 'module', module: path('cliff.mjs') }, start: 0.1 })
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
