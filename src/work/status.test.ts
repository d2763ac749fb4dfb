import { mkdirSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { cliFolder, smallSpec } from '../../test/cli/cli-folder.ts'
import { printed } from '../../test/cli/printed.ts'
import { silentWatcher } from '../../test/cli/silent-watcher.ts'
import { readRuns } from '../cli/page-files.ts'
import { runOrTakeUp } from './run.ts'
import { runsOf } from './run-members.ts'
import { runSeries } from './series.ts'
import { createPlan } from './series-plan.ts'
import { listAll } from './status.ts'

const path = cliFolder()
const plan = {
  kind: 'repeat',
  created: '2020-01-01T00:00:00Z',
  zeroth: '0',
  spec: smallSpec(),
  seeds: [0, 1, 2],
} as const

test('lists runs and series together, oldest first, and says of what is damaged why', async () => {
  expect(await listAll(path('none'))).toEqual([])
  await runOrTakeUp({ folder: path('all/single'), id: 'single' }, smallSpec(), silentWatcher())
  await createPlan(path('all/series'), plan)
  await printed(() => runSeries(path('all/series'), plan, {}, silentWatcher(40)))
  mkdirSync(path('all/broken'))
  writeFileSync(path('all/broken/series.json'), '{')
  mkdirSync(path('all/other'))
  const [broken, series, single, ...rest] = await listAll(path('all'))
  expect(rest).toEqual([])
  expect(broken).toMatchObject({ run: path('all/broken'), status: 'damaged' })
  expect(broken?.problem).toContain('series.json is damaged')
  expect(series).toMatchObject({ run: path('all/series'), kind: 'series', status: '1 of 3 finished' })
  expect(series?.runs?.map(({ status }) => status)).toEqual(['finished', 'aborted'])
  expect(series?.queries).toBe(series?.runs?.reduce((sum, run) => sum + (run.queries ?? 0), 0))
  expect(single).toMatchObject({ run: path('all/single'), kind: 'run', status: 'finished', queries: 97 })
})

test('a name can mean a run, the runs of a series, or all runs of a folder', async () => {
  expect(await runsOf(path('all/single'))).toEqual([path('all/single')])
  expect(await runsOf(path('all/series'))).toEqual([path('all/series/seed-0'), path('all/series/seed-1')])
  expect(await runsOf(path('all'))).toEqual([path('all/single')])
  await expect(runsOf(path('all/other'))).rejects.toThrow('other is no run, and there is none in it')
})

test('where several things are compared a run of a series is called after that, too', async () => {
  const names = async (...given: string[]) => (await readRuns(given)).map(({ name }) => name)
  expect(await names(path('all/series'))).toEqual(['seed-0', 'seed-1'])
  expect(await names(path('all/single'), path('all/series'))).toEqual(['single', 'series/seed-0', 'series/seed-1'])
})
