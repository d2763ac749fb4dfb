import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { follow, type JobEvent, requestStop, viewJob } from '../../src/app/jobs/index.ts'
import { onlyObject, start, zeroth } from './zeroth.ts'

const cwd = mkdtempSync(join(tmpdir(), 'zeroth-follow-'))
const slow = ['minimize', '--module', 'slow.mjs', '--dim', '2', '--max-queries', '600', '--json']

beforeAll(() => {
  writeFileSync(
    join(cwd, 'slow.mjs'),
    'export default async (x) => { await new Promise((done) => setTimeout(done, 3)); return x[0] ** 2 + x[1] ** 2 }',
  )
})
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

test.concurrent('a process follows the run of another, asks it to stop, and the run is saved and resumes to the same hash', async () => {
  const folder = join(cwd, 'run')
  const events: JobEvent[] = []
  let asked = false
  // Followed before it begins.
  const followed = (async () => {
    for await (const event of follow(folder)) {
      events.push(event)
      if (event.type !== 'progress' || event.queries < 100 || asked) continue
      asked = true
      expect(await requestStop(folder)).toBe(true)
    }
  })()
  const { ended } = start([...slow, '--out', 'run'], { cwd })
  const result = await ended
  await followed
  expect(result.code).toBe(130)
  expect(onlyObject(result)).toMatchObject({ status: 'aborted', stopReason: 'aborted' })
  expect(events[0]).toMatchObject({ type: 'started', work: 'run', kind: 'run', budget: { maxQueries: 600 }, seq: 0 })
  expect(events.at(-1)).toMatchObject({ type: 'finished', status: 'interrupted', reason: 'aborted' })
  const seen = events.flatMap((event) =>
    event.type === 'progress' ? event.tail.map(({ iteration }) => iteration) : [],
  )
  expect(seen).toEqual(seen.map((_, i) => i + 1))
  expect(onlyObject(result).iterations).toBe(seen.at(-1))
  expect(existsSync(join(folder, 'stop'))).toBe(false)
  expect(await requestStop(folder)).toBe(false)
  expect(await viewJob(folder)).toMatchObject({ state: 'interrupted', reason: 'aborted' })

  const rest = await zeroth(['resume', 'run', '--json'], { cwd })
  const whole = await zeroth([...slow, '--out', 'whole'], { cwd })
  expect(onlyObject(rest).hash).toBe(onlyObject(whole).hash)
})

test.concurrent('the members of a series are followed, and a request to stop one of them stops the series', async () => {
  const folder = join(cwd, 'series')
  const { ended } = start([...slow, '--repeat', '2', '--out', 'series'], { cwd })
  const events: JobEvent[] = []
  for await (const event of follow(folder)) {
    events.push(event)
    if (event.type === 'progress' && event.work === 'series/seed-1') await requestStop(join(folder, 'seed-1'))
  }
  expect((await ended).code).toBe(130)
  expect(events.filter(({ type }) => type === 'started').map(({ work }) => work)).toEqual([
    'series',
    'series/seed-0',
    'series/seed-1',
  ])
  expect(events.filter(({ type }) => type === 'finished')).toMatchObject([
    { work: 'series/seed-0', status: 'finished', reason: 'max-queries' },
    { work: 'series/seed-1', status: 'interrupted' },
    { work: 'series', status: 'interrupted' },
  ])
  expect(events.findLast(({ type, work }) => type === 'progress' && work === 'series')).toMatchObject({
    items: { done: 1, total: 2 },
  })
})

test.concurrent('an evaluation whose images are all under way is followed before the first of them is done', async () => {
  const attack = ['attack', '--model', 'digits', '--count', '6', '--max-queries', '1500', '--json']
  const { ended } = start([...attack, '--out', 'at-once'], { cwd })
  const moving: { queries: number; rate: number; left?: number | undefined }[] = []
  for await (const event of follow(join(cwd, 'at-once'))) {
    if (event.type === 'item' && event.status !== 'skipped') break
    if (event.type === 'progress' && event.queries > 0) moving.push(event)
  }
  expect(moving.length).toBeGreaterThan(1)
  expect(moving.at(-1)?.queries).toBeGreaterThan(moving[0]?.queries as number)
  expect(moving.at(-1)?.rate).toBeGreaterThan(0)
  expect(moving.at(-1)?.left).toBeGreaterThan(0)
  await ended
})

test.concurrent('the images of an evaluation are followed while another process attacks them', async () => {
  const attack = ['attack', '--model', 'digits', '--count', '6', '--max-queries', '500', '--parallel', '1', '--json']
  const { ended } = start([...attack, '--out', 'attack'], { cwd })
  const events: JobEvent[] = []
  for await (const event of follow(join(cwd, 'attack'))) events.push(event)
  const { images } = onlyObject(await ended) as unknown as {
    images: { index: number; status: string; queries: number }[]
  }
  const items = events.flatMap((event) => (event.type === 'item' ? [event] : []))
  expect(items.map(({ index, status, queries }) => ({ index, status, queries }))).toEqual(
    images.map(({ index, status, queries }) => ({ index, status, queries })),
  )
  // They came one after the other, with progress between them.
  const types = events.map(({ type }) => type)
  expect(types.slice(types.indexOf('item'), types.lastIndexOf('item'))).toContain('progress')
  expect(events.at(-1)).toMatchObject({ type: 'finished', status: 'finished', work: 'attack' })
})
