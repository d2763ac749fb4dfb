import { expect, test } from 'vitest'
import type { TriedSetting, WorkDetail, WorkRow } from '../api.ts'
import { ranked, runsOf, standing } from './standing.ts'

const run = (id: string, best: number | null, state: WorkRow['state'] = 'finished'): WorkRow => ({
  ...{ id, name: id, kind: 'run', state, about: '', best, queries: 100, seconds: 2 },
})
const series: WorkRow = { id: 's', name: 's', kind: 'series', state: 'finished', about: '', best: 7, queries: 300 }

test('a series ranks by the median of its runs, not by its luckiest seed', () => {
  const lucky = standing(series, [run('a', 7), run('b', 12), run('c', 13)])
  expect(lucky).toMatchObject({ runs: 3, median: 12, best: 7, queries: 100, seconds: 2 })
  const steady = standing(run('d', 9), [run('d', 9)])
  const none = standing(run('e', null), [run('e', null)])
  expect(ranked([none, lucky, steady]).map(({ row }) => row.id)).toEqual(['d', 's', 'e'])
})

test('runs that have not finished count only where none has', () => {
  expect(standing(series, [run('a', 7), run('b', 1, 'running')])).toMatchObject({ runs: 1, median: 7 })
  expect(standing(series, [run('a', 7, 'running'), run('b', 9, 'interrupted')])).toMatchObject({ runs: 2, median: 8 })
})

test('a run that diverged counts as the worst', () => {
  expect(standing(series, [run('a', 7), run('b', 12), run('c', null)]).median).toBe(12)
})

test('the runs with its best setting stand for a tuning', () => {
  const tried = (learningRate: number, value: number, member: string, isBest: boolean): TriedSetting => ({
    ...{ setting: { learningRate }, value, seeds: 1, members: [member], isBest },
  })
  const detail = {
    row: { ...series, kind: 'tuning' },
    members: [run('a', 3), run('b', 5)],
    tried: [tried(0.1, 3, 'a', false), tried(0.3, 5, 'b', true)],
  } as unknown as WorkDetail
  expect(runsOf(detail).map(({ id }) => id)).toEqual(['b'])
  expect(runsOf({ ...detail, row: series }).map(({ id }) => id)).toEqual(['a', 'b'])
})
