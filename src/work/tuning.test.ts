import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { cliFolder, smallSpec } from '../../test/cli/cli-folder.ts'
import { printed } from '../../test/cli/printed.ts'
import { silentWatcher } from '../../test/cli/silent-watcher.ts'
import { listRuns } from '../trace/index.ts'
import { runSearch, solverWith } from './tuning.ts'

const path = cliFolder()
const search = { from: 0.1, to: 1, betas: false }
const plan = { kind: 'tune', created: '', zeroth: '0', spec: smallSpec(), seeds: [0, 1], search } as const
const json = { json: true }

test('the best setting is the one whose runs have the smallest mean value', async () => {
  const { text, value: code } = await printed(() => runSearch(path('t'), plan, json, silentWatcher()))
  expect(code).toBe(0)
  const { status, tried, best, solver, run } = JSON.parse(text)
  expect({ status, run }).toEqual({ status: 'finished', run: path('t') })
  expect(best.value).toBe(Math.min(...tried.map((each: { value: number }) => each.value)))
  expect(solver).toMatchObject({ name: 'zo-adamm', directions: 3, learningRate: best.learningRate })
  const runs = await listRuns(path('t'))
  expect(runs).toHaveLength(2 * tried.length)
  const means = runs.filter(({ folder }) => folder.includes(`rate-${String(best.learningRate).replace('.', 'p')}-seed`))
  const sum = means.reduce((total, each) => total + (each.status === 'damaged' ? Number.NaN : each.best), 0)
  expect(sum / 2).toBe(best.value)
})

test('a search that was interrupted goes on and comes to the same', async () => {
  const whole = await printed(() => runSearch(path('t'), plan, json, silentWatcher()))
  const cut = await printed(() => runSearch(path('cut'), plan, json, silentWatcher(100)))
  expect(cut.value).toBe(130)
  expect(JSON.parse(cut.text)).toMatchObject({ status: 'aborted', run: path('cut') })
  expect(JSON.parse(cut.text).tried.length).toBeGreaterThan(0)
  const rest = await printed(() => runSearch(path('cut'), plan, json, silentWatcher()))
  expect(JSON.parse(rest.text).tried).toEqual(JSON.parse(whole.text).tried)
})

test('an objective that never answers ends the search at once', async () => {
  const spec = smallSpec({ objective: { name: 'module', module: path('none.mjs') } })
  await expect(runSearch(path('n'), { ...plan, spec }, {}, silentWatcher())).rejects.toThrow(/there is no module/)
  expect(await listRuns(path('n'))).toHaveLength(1)
})

test('rates at which runs fail later are passed over; where all do, that is an error', async () => {
  writeFileSync(
    path('cliff.mjs'),
    'export default (x) => { if (Math.abs(x[0]) > 0.2) throw new Error("off"); return x[0] }',
  )
  const objective = { name: 'module', module: path('cliff.mjs') }
  const spec = smallSpec({ objective, start: 0.1 })
  const { text } = await printed(() => runSearch(path('c'), { ...plan, spec }, json, silentWatcher()))
  const { tried, best } = JSON.parse(text)
  expect(tried.some(({ value }: { value: unknown }) => value === 'NaN')).toBe(true)
  expect(best.value).toBeLessThan(0.1)
})

test('a learning rate that decays goes on decaying in its way', () => {
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
