import { expect, test } from 'vitest'
import type { JobDetail, JobView, TriedSetting } from '../api.ts'
import { lowestMedianFirst, rankedJob, runsOf, verdictsOf } from './ranking.ts'

const run = (id: string, best: number | null, state: JobView['state'] = 'finished'): JobView => ({
  ...{ id, name: id, kind: 'run', state, about: '', best, queries: 100, seconds: 2 },
})
const series: JobView = { id: 's', name: 's', kind: 'series', state: 'finished', about: '', best: 7, queries: 300 }

test('a series ranks by the median of its runs, not by its luckiest seed', () => {
  const lucky = rankedJob(series, [run('a', 7), run('b', 12), run('c', 13)])
  expect(lucky).toMatchObject({ runs: 3, median: 12, best: 7, queries: 100, seconds: 2 })
  const steady = rankedJob(run('d', 9), [run('d', 9)])
  const none = rankedJob(run('e', null), [run('e', null)])
  expect(lowestMedianFirst([none, lucky, steady]).map(({ row }) => row.id)).toEqual(['d', 's', 'e'])
})

test('runs that have not finished count only where none has', () => {
  expect(rankedJob(series, [run('a', 7), run('b', 1, 'running')])).toMatchObject({ runs: 1, median: 7 })
  expect(rankedJob(series, [run('a', 7, 'running'), run('b', 9, 'interrupted')])).toMatchObject({ runs: 2, median: 8 })
})

test('a run that diverged counts as the worst', () => {
  expect(rankedJob(series, [run('a', 7), run('b', 12), run('c', null)]).median).toBe(12)
})

test('the runs with its best setting stand for a tuning', () => {
  const tried = (learningRate: number, value: number, member: string, isBest: boolean): TriedSetting => ({
    ...{ setting: { learningRate }, value, seeds: 1, members: [member], isBest },
  })
  const detail = {
    job: { ...series, kind: 'tuning' },
    members: [run('a', 3), run('b', 5)],
    tried: [tried(0.1, 3, 'a', false), tried(0.3, 5, 'b', true)],
  } as unknown as JobDetail
  expect(runsOf(detail).map(({ id }) => id)).toEqual(['b'])
  expect(runsOf({ ...detail, job: series }).map(({ id }) => id)).toEqual(['a', 'b'])
})

test('single runs that differ in nothing but the seed count together, each problem by itself', () => {
  const job = (id: string, solver: string, seed: number, best: number, dim = 2) => ({
    job: run(id, best),
    spec: { objective: 'bowl', dim, solver: { name: solver }, seed },
  })
  const of = (solver: string, values: readonly number[], dim = 2) =>
    values.map((value, i) => job(`${solver}-${dim}-${i}`, solver, i + 1, value, dim))
  const jobs = [...of('auto', [1, 2, 3, 4]), ...of('cma-es', [5, 6, 7, 8]), ...of('auto', [9, 9], 3)]
  expect(verdictsOf(jobs)).toEqual([
    'auto is better than cma-es (median 2.5 against 6.5, 4 and 4 runs, p = 0.029). Rank test (Mann-Whitney, two-sided).',
  ])
  expect(verdictsOf(jobs.slice(0, 4))).toEqual([])
})
