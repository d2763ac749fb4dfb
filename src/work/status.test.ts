import { mkdirSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { cliFolder, smallSpec } from '../../test/cli/cli-folder.ts'
import { testStage } from '../../test/work/stage.ts'
import { readRuns } from '../cli/commands/report.ts'
import { runsOf } from './folders.ts'
import { holdRun } from './run.ts'
import { performSeries } from './series.ts'
import { holdPlan } from './series-plan.ts'
import { listWorks, workStatus } from './status.ts'

const path = cliFolder()
const plan = {
  kind: 'repeat',
  created: '2020-01-01T00:00:00Z',
  zeroth: '0',
  spec: smallSpec(),
  seeds: [0, 1, 2],
} as const

test('lists runs and series together, oldest first, and says of what is damaged why', async () => {
  expect(await listWorks(path('none'))).toEqual([])
  await (await holdRun(path('all/single'), smallSpec())).perform(testStage())
  const { lock } = await holdPlan(path('all/series'), plan)
  const stage = testStage((happening, work, stop) => {
    if (happening.type === 'progress' && work === 'w/seed-1') stop()
  })
  await performSeries(path('all/series'), plan, stage)
  expect(await workStatus(path('all/series'))).toMatchObject({ state: 'running' })
  lock.release()
  mkdirSync(path('all/broken'))
  writeFileSync(path('all/broken/series.json'), '{')
  mkdirSync(path('all/other'))
  const [broken, series, single, ...rest] = await listWorks(path('all'))
  expect(rest).toEqual([])
  expect(broken).toMatchObject({ folder: path('all/broken'), kind: 'series', state: 'damaged' })
  expect(broken?.problem).toContain('series.json is damaged')
  expect(series).toMatchObject({ folder: path('all/series'), kind: 'series', state: 'interrupted' })
  expect(series?.items).toEqual({ done: 1, total: 3 })
  expect(series?.members).toMatchObject([{ state: 'finished' }, { state: 'interrupted', reason: 'aborted' }])
  expect(series?.queries).toBe(series?.members?.reduce((sum, run) => sum + (run.queries ?? 0), 0))
  expect(single).toMatchObject({ folder: path('all/single'), kind: 'run', state: 'finished', queries: 97 })
  await expect(workStatus(path('all/other'))).rejects.toThrow('holds no work')
})

test('a name can mean a run, the runs of a series, or all runs of a folder', async () => {
  expect(await runsOf(path('all/single'))).toEqual([path('all/single')])
  expect(await runsOf(path('all/series'))).toEqual([path('all/series/seed-0'), path('all/series/seed-1')])
  expect(await runsOf(path('all'))).toEqual([path('all/single')])
  await expect(runsOf(path('all/other'))).rejects.toThrow('other is not a run and contains none')
})

test('where several things are compared a run of a series is called after that, too', async () => {
  const names = async (...given: string[]) => (await readRuns(given)).runs.map(({ name }) => name)
  expect(await names(path('all/series'))).toEqual(['seed-0', 'seed-1'])
  expect(await names(path('all/single'), path('all/series'))).toEqual(['single', 'series/seed-0', 'series/seed-1'])
})
