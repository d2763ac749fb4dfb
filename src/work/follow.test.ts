import { expect, test } from 'vitest'
import { cliFolder, smallSpec } from '../../test/cli/cli-folder.ts'
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
