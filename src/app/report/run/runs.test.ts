import { expect, test } from 'vitest'
import { sampleRun } from '../../../../test/report/sample-run.ts'
import {
  bestValue,
  checkRuns,
  differingPaths,
  groupLabels,
  isFinished,
  isProvisional,
  iterationsOf,
  leftOut,
  problemsOf,
  queriesOf,
  rankedValue,
  runGroups,
  secondsOf,
  seedOf,
  settingsOf,
} from './runs.ts'

test('no runs are refused, and so is a trace with columns of different lengths', () => {
  expect(() => checkRuns([])).toThrow('runPage: there are no runs to report, give at least one')
  const run = sampleRun({ name: 'torn' })
  expect(() => checkRuns([{ ...run, trace: { ...run.trace, best: [1] } }])).toThrow(
    'run torn must be equally long, got iteration 3, queries 3, value 3, best 1, seconds 3',
  )
})

test('a run with a result is told by it', () => {
  const run = sampleRun({ result: { value: 0.5, queries: 34, seconds: 9, iterations: 3, seed: 11 } })
  expect([bestValue(run), queriesOf(run), secondsOf(run), iterationsOf(run), seedOf(run)]).toEqual([0.5, 34, 9, 3, 11])
  expect(isFinished(run)).toBe(true)
})

test('a run without one is told by the end of its trace', () => {
  const run = sampleRun({ status: 'interrupted', result: undefined, best: [Number.NaN, 3, 2] })
  expect([bestValue(run), queriesOf(run), secondsOf(run), iterationsOf(run), seedOf(run)]).toEqual([2, 33, 3, 3, 7])
  expect(isFinished(run)).toBe(false)
})

test('a run that has not begun has no value and no time', () => {
  const run = sampleRun({ status: 'running', result: undefined, best: [], spec: { seed: 'text' } })
  expect([bestValue(run), queriesOf(run), secondsOf(run), iterationsOf(run), seedOf(run)]).toEqual([
    Number.NaN,
    0,
    Number.NaN,
    0,
    undefined,
  ])
})

const adamm = { solver: { name: 'zo-adamm' } }
const sgd = { solver: { name: 'zo-sgd' } }
const names = (runs: readonly { name: string }[]): string[] => runs.map(({ name }) => name)

test('runs with the same spec but for the seed are one group, whatever the order of its fields', () => {
  const runs = [
    sampleRun({ name: 'a', spec: { ...adamm, seed: 1, dim: 2 }, best: [3] }),
    sampleRun({ name: 'b', spec: { ...sgd, seed: 1 }, best: [1] }),
    sampleRun({ name: 'c', spec: { dim: 2, seed: 2, ...adamm }, best: [5] }),
    sampleRun({ name: 'd', spec: { ...adamm, dim: 3 }, best: [0.5] }),
  ]
  const groups = runGroups(runs)
  expect(groups.map(({ runs }) => names(runs))).toEqual([['d'], ['b'], ['a', 'c']])
  expect(groups.map(({ label }) => label)).toEqual(['zo-adamm, dim 3', 'zo-sgd, dim 2', 'zo-adamm, dim 2'])
  expect(groups[2]?.value).toMatchObject({ count: 2, median: 4, mean: 4, smallest: 3, largest: 5 })
  expect(groups[2]?.settings.has('seed')).toBe(false)
})

test('a seed inside a part is a setting like any other', () => {
  const runs = [1, 2].map((seed) => sampleRun({ spec: { noise: { seed } } }))
  expect(runGroups(runs)).toHaveLength(2)
})

test('statistics leave out what did not finish, unless nothing did', () => {
  const interrupted = sampleRun({
    name: 'i',
    spec: { seed: 2 },
    status: 'interrupted',
    result: undefined,
    best: [9, 8],
  })
  const aborted = sampleRun({ name: 'x', spec: { seed: 3 }, status: 'aborted', best: [6] })
  const [mixed] = runGroups([sampleRun({ name: 'f', best: [2] }), interrupted, aborted])
  expect(names(mixed?.counted ?? [])).toEqual(['f'])
  expect(mixed === undefined ? 0 : leftOut(mixed)).toBe(2)
  const [open] = runGroups([interrupted, aborted])
  expect(open?.value).toMatchObject({ count: 2, median: 7 })
  expect(open === undefined ? false : isProvisional(open)).toBe(true)
})

test('groups without a value come last', () => {
  const empty = sampleRun({ spec: sgd, status: 'running', result: undefined, best: [] })
  expect(runGroups([empty, sampleRun({ best: [4] })]).map(({ value }) => value.median)).toEqual([4, Number.NaN])
})

const labels = (specs: readonly object[]): string[] =>
  groupLabels(
    specs.map(settingsOf),
    specs.map((_, i) => `run-${i}`),
  )

test('solvers are told apart by their names alone, whatever else they differ in', () => {
  const specs = [{ solver: { name: 'zo-adamm', beta1: 0.9 } }, { solver: { name: 'zo-sgd', learningRate: 0.1 } }]
  expect(labels(specs)).toEqual(['zo-adamm', 'zo-sgd'])
})

test('one solver with several rates is told apart by its rate', () => {
  const specs = [0.1, 0.01].map((learningRate) => ({ dim: 2, solver: { name: 'zo-adamm', learningRate } }))
  expect(labels(specs)).toEqual(['learningRate 0.1', 'learningRate 0.01'])
})

test('where the solver is not enough, the setting that is missing follows, and no other', () => {
  const spec = (solver: string, learningRate: number, note: number) => ({
    note,
    solver: { name: solver, learningRate },
  })
  const specs = [spec('a', 0.1, 1), spec('a', 0.2, 1), spec('b', 0.1, 2)]
  expect(labels(specs)).toEqual(['a, learningRate 0.1', 'a, learningRate 0.2', 'b, learningRate 0.1'])
})

test('a single group is called after its solver, or its run', () => {
  expect(labels([{ solver: 'zo-sgd' }])).toEqual(['zo-sgd'])
  expect(labels([{ dim: 1 }])).toEqual(['run-0'])
})

test('long-winded labels give way to the names of runs, which are numbered where they repeat', () => {
  const specs = [{ text: 'x'.repeat(80) }, { text: 'y'.repeat(80) }]
  expect(labels(specs)).toEqual(['run-0', 'run-1'])
  expect(groupLabels(specs.map(settingsOf), ['same', 'same'])).toEqual(['same (1)', 'same (2)'])
})

test('a spec becomes a flat list in its own order', () => {
  const spec = {
    dim: 3,
    start: Array(9).fill(0.5),
    set: { name: 'box', lower: -0, upper: [1, 2, 3, 4, 5, 6, 7.25] },
    retry: {},
    cache: null,
    trackBest: true,
    none: undefined,
  }
  expect([...settingsOf(spec)].map(([path, { text }]) => [path, text])).toEqual([
    ['dim', '3'],
    ['start', '9 times 0.5'],
    ['set.name', 'box'],
    ['set.lower', '0'],
    ['set.upper', '1, 2, 3, 4, 5, 6, … (7 in all)'],
    ['retry', 'none'],
    ['cache', 'none'],
    ['trackBest', 'yes'],
  ])
})

test('long texts are cut, deep ones are folded, and names of built-in fields are names like any other', () => {
  const deep = JSON.parse(`${'{"a":'.repeat(50)}1${'}'.repeat(50)}`)
  const settings = settingsOf({ text: 'x'.repeat(1000), deep, ...JSON.parse('{"__proto__":{"x":1}}') })
  expect(settings.get('text')?.text).toHaveLength(160)
  expect(settings.get('text')?.exact).toHaveLength(1002)
  expect([...settings.keys()]).toEqual(['text', 'deep.a.a.a.a.a', '__proto__.x'])
})

test('settings differ where one lacks what another has, or where more than the shown part differs', () => {
  const long = Array.from({ length: 20 }, (_, i) => i)
  const one = settingsOf({ a: 1, same: 2, long })
  const two = settingsOf({ same: 2, long: [...long.slice(0, 19), 99], b: 'x' })
  expect(differingPaths([one, two])).toEqual(['a', 'long', 'b'])
  expect(differingPaths([one, one])).toEqual([])
})

test('groups are ranked by their means where that is asked for, as a search for settings does', () => {
  const runs = [
    ...[1, 1, 10].map((best, seed) => sampleRun({ spec: { learningRate: 1, seed }, best: [best] })),
    ...[2, 2, 2].map((best, seed) => sampleRun({ spec: { learningRate: 2, seed }, best: [best] })),
  ]
  expect(runGroups(runs).map(rankedValue)).toEqual([1, 2])
  expect(runGroups(runs, 'mean').map(rankedValue)).toEqual([2, 4])
})

test('specs with another objective or number of variables are about other problems, whatever their methods', () => {
  const spec = (dim: number, solver: object) => settingsOf({ objective: { name: 'rosenbrock' }, dim, ...solver })
  const [ten, other, four] = problemsOf([spec(10, adamm), spec(10, sgd), spec(4, adamm)])
  expect(other).toEqual(ten)
  expect([ten?.label, four?.label]).toEqual(['dim 10', 'dim 4'])
  expect(four?.key).not.toBe(ten?.key)
  expect(new Set(problemsOf([spec(10, adamm), spec(10, sgd)]).map(({ key }) => key)).size).toBe(1)
})
