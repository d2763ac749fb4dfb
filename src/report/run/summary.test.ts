import { expect, test } from 'vitest'
import { parsed } from '../../../test/report/page-check.ts'
import { sampleRun } from '../../../test/report/sample-run.ts'
import { textOf } from '../markup.ts'
import type { RunData } from './run-data.ts'
import { runGroups } from './run-groups.ts'
import { summaryOf } from './summary.ts'

const said = (...runs: readonly RunData[]): string | null | undefined =>
  parsed(`<p>${textOf(summaryOf(runGroups(runs)))}</p>`).querySelector('p')?.textContent

test('one run: what was found, from where, at what cost, and why it stopped', () => {
  expect(said(sampleRun({ best: [8, 2, 0.25] }))).toBe(
    'zo-adamm brought rosenbrock to 0.25, down from 8 at the start, with 34 queries in 3.5 s. It stopped because it had used all its queries.',
  )
})

test('an objective of your own is called by its command', () => {
  const objective = { name: 'exec', command: ['python3', 'cost.py'] }
  expect(said(sampleRun({ spec: { objective } }))).toContain('zo-adamm brought python3 cost.py to 1, down from 4')
})

test('what is unfinished, failed or warned of is not left out', () => {
  expect(said(sampleRun({ status: 'interrupted', result: undefined, best: [] }))).toBe(
    'zo-adamm has found no value of rosenbrock yet, after 0 queries in –. It has not finished.',
  )
  expect(said(sampleRun({ result: { failures: { count: 1 }, warnings: ['odd'] } }))).toMatch(
    / 1 query failed\. There are warnings below\.$/,
  )
})

test('runs that differ in their seeds: middle, best and worst', () => {
  const runs = [3, 1, 2].map((end, seed) => sampleRun({ spec: { seed }, best: [9, end] }))
  expect(said(...runs)).toBe(
    '3 runs of zo-adamm on rosenbrock, which differ in their seeds: half of them ended at 2 or below, the best at 1, the worst at 3.',
  )
})

test('groups of runs: which is best, and which is next', () => {
  const runs = ['zo-sgd', 'zo-scd', 'zo-adamm'].flatMap((name, i) =>
    [0, 1, 2].map((seed) => sampleRun({ spec: { solver: { name }, seed }, best: [9, 3 - i + seed / 8] })),
  )
  expect(said(...runs)).toBe(
    '9 runs in 3 groups. zo-adamm has the lowest values, with a median of 1.125; next is zo-scd, with 2.125.',
  )
})
