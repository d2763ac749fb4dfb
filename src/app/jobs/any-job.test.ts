import { mkdirSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { cliFolder, smallSpec } from '../../../test/cli/cli-folder.ts'
import { testStage } from '../../../test/jobs/stage.ts'
import { readRuns } from '../cli/commands/pages.ts'
import { follow, listJobs, viewJob } from './any-job.ts'
import { openEvaluation } from './evaluation/evaluation.ts'
import type { JobEvent } from './events.ts'
import { runsOf } from './folders.ts'
import { lockPlan } from './plan.ts'
import { performRepeats } from './repeats.ts'
import { lockRun, openRun } from './run.ts'

const path = cliFolder()
const plan = {
  kind: 'repeat',
  created: '2020-01-01T00:00:00Z',
  zeroth: '0',
  spec: smallSpec(),
  seeds: [0, 1, 2],
} as const

test('lists runs and series together, oldest first, and says of what is damaged why', async () => {
  expect(await listJobs(path('none'))).toEqual([])
  await (await lockRun(path('all/single'), smallSpec())).perform(testStage())
  const { lock } = await lockPlan(path('all/series'), plan)
  const stage = testStage((happening, work, stop) => {
    if (happening.type === 'progress' && work === 'w/seed-1') stop()
  })
  await performRepeats(path('all/series'), plan, stage)
  expect(await viewJob(path('all/series'))).toMatchObject({ state: 'running' })
  lock.release()
  mkdirSync(path('all/broken'))
  writeFileSync(path('all/broken/series.json'), '{')
  mkdirSync(path('all/other'))
  const [broken, series, single, ...rest] = await listJobs(path('all'))
  expect(rest).toEqual([])
  expect(broken).toMatchObject({ folder: path('all/broken'), kind: 'series', state: 'damaged' })
  expect(broken?.problem).toContain('series.json is not JSON: it is damaged')
  expect(series).toMatchObject({ folder: path('all/series'), kind: 'series', state: 'interrupted' })
  expect(series?.items).toEqual({ done: 1, total: 3 })
  expect(series?.members).toMatchObject([{ state: 'finished' }, { state: 'interrupted', reason: 'aborted' }])
  expect(series?.queries).toBe(series?.members?.reduce((sum, run) => sum + (run.queries ?? 0), 0))
  expect(single).toMatchObject({ folder: path('all/single'), kind: 'run', state: 'finished', queries: 97 })
  await expect(viewJob(path('all/other'))).rejects.toThrow('holds no work')
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

async function all(folder: string, signal?: AbortSignal): Promise<JobEvent[]> {
  const events: JobEvent[] = []
  for await (const event of follow(folder, { signal })) events.push(event)
  return events
}

test('a run that has finished is told at once', async () => {
  const run = await openRun(path('done'), smallSpec())
  for await (const _ of run.perform());
  const events = await all(path('done'))
  expect(events.map(({ type }) => type)).toEqual(['started', 'progress', 'finished'])
  expect(events[1]).toMatchObject({ iterations: 24, queries: 96 })
  expect(events[2]).toMatchObject({ status: 'finished', reason: 'max-queries' })
})

test('waits for a work that is not there, or is not performed, until the signal fires', async () => {
  expect(await all(path('nothing'), AbortSignal.timeout(150))).toEqual([])
  const run = await openRun(path('left'), smallSpec())
  const stop = new AbortController()
  stop.abort(new Error('at once'))
  for await (const _ of run.perform({ signal: stop.signal }));
  expect(run.result()?.status).toBe('aborted')
  expect(await all(path('left'), AbortSignal.timeout(150))).toEqual([])
  const followed = all(path('left'))
  await new Promise((resolve) => setTimeout(resolve, 150))
  const again = await openRun(path('left'), smallSpec())
  for await (const _ of again.perform());
  expect((await followed).at(-1)).toMatchObject({ type: 'finished', status: 'finished' })
})

/** The images that events tell of, without when they were told. */
const itemsOf = (events: readonly JobEvent[]) =>
  events
    .flatMap(({ v: _, seq: __, at: ___, ...event }) => (event.type === 'item' ? [event] : []))
    .sort((a, b) => a.index - b.index)

test('the images of an evaluation are told as they get done, just as its owner tells them', async () => {
  const folder = path('evaluation')
  const followed = all(folder)
  const evaluation = await openEvaluation(folder, { model: 'digits', class: 9, count: 4, maxQueries: 23 })
  const performed: JobEvent[] = []
  for await (const event of evaluation.perform()) performed.push(event)
  const events = await followed
  expect(itemsOf(events)).toHaveLength(evaluation.result()?.images.length ?? 0)
  expect(itemsOf(events)).toEqual(itemsOf(performed))
  expect(new Set(itemsOf(events).map(({ status }) => status))).toEqual(new Set(['robust', 'skipped']))
  expect(events.at(-1)).toMatchObject({ type: 'finished', status: 'finished' })
  // A reader that comes later is told of every image, too.
  const later = await all(folder)
  expect(itemsOf(later)).toEqual(itemsOf(performed))
  expect(later.map(({ type }) => type)).toEqual([
    'started',
    ...itemsOf(performed).map(() => 'item'),
    'progress',
    'finished',
  ])
})
