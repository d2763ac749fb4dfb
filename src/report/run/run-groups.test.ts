import { expect, test } from 'vitest'
import { sampleRun } from '../../../test/report/sample-run.ts'
import { isProvisional, leftOut, runGroups } from './run-groups.ts'

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
