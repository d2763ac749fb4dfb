import { expect, test } from 'vitest'
import { cliFolder, smallSpec } from '../../test/cli/cli-folder.ts'
import { openEvaluation } from './evaluation/evaluation.ts'
import type { WorkEvent } from './events.ts'
import { follow } from './follow.ts'
import { openRun } from './run.ts'

const path = cliFolder()

async function all(folder: string, signal?: AbortSignal): Promise<WorkEvent[]> {
  const events: WorkEvent[] = []
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
const itemsOf = (events: readonly WorkEvent[]) =>
  events
    .flatMap(({ v: _, seq: __, at: ___, ...event }) => (event.type === 'item' ? [event] : []))
    .sort((a, b) => a.index - b.index)

test('the images of an evaluation are told as they get done, just as its owner tells them', async () => {
  const folder = path('evaluation')
  const followed = all(folder)
  const evaluation = await openEvaluation(folder, { model: 'digits', class: 9, count: 4, maxQueries: 23 })
  const performed: WorkEvent[] = []
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
