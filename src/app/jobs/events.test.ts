import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { type EventBody, type JobBody, type JobEvent, jobEvents, type Progress, stopFile } from './events.ts'

const home = mkdtempSync(join(tmpdir(), 'zeroth-performing-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const progress = (queries: number): Progress => ({ type: 'progress', iterations: queries, queries, rate: 0, tail: [] })
const warning = (message: string): EventBody => ({ type: 'warning', code: 'note', message })
const finished: EventBody = { type: 'finished', status: 'finished', reason: 'max-queries' }
const interrupted: EventBody = { type: 'finished', status: 'interrupted', reason: 'aborted' }

/** Resolves when the signal fires. */
const stopped = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))

async function all(job: JobBody, signal?: AbortSignal): Promise<JobEvent[]> {
  const events: JobEvent[] = []
  for await (const event of jobEvents(home, job, { signal })) events.push(event)
  return events
}

describe('performing', () => {
  test('yields what happens in its order, numbered without gaps for each work', async () => {
    const events = await all(async (emit) => {
      emit('a', warning('one'))
      emit('a/b', warning('two'))
      emit('a', finished)
    })
    expect(events.map(({ work, seq, type }) => [work, seq, type])).toEqual([
      ['a', 0, 'warning'],
      ['a/b', 0, 'warning'],
      ['a', 1, 'finished'],
    ])
    expect(events.every(({ v, at }) => v === 1 && at > 1.7e12)).toBe(true)
  })

  test('keeps only the latest progress of each work for a reader that is slow, and everything else', async () => {
    const events = await all(async (emit) => {
      for (let i = 1; i <= 1000; i++) emit('a', progress(i))
      emit('a', warning('kept'))
      emit('b', progress(7))
      emit('a', progress(1001))
      emit('a', finished)
    })
    expect(
      events.map(({ seq, work, ...event }) => [work, seq, 'queries' in event ? event.queries : event.type]),
    ).toEqual([
      ['a', 0, 'warning'],
      ['b', 0, 7],
      ['a', 1, 1001],
      ['a', 2, 'finished'],
    ])
  })

  test('never waits for its reader', async () => {
    let ended = false
    const events = jobEvents(home, async (emit) => {
      for (let i = 0; i < 100; i++) emit('a', warning(String(i)))
      ended = true
    })
    await events.next()
    expect(ended).toBe(true)
    await events.return()
  })

  test('stops the job when the reader leaves, and waits until it is saved', async () => {
    let saved = false
    for await (const _ of jobEvents(home, async (emit, signal) => {
      emit('a', progress(1))
      await stopped(signal)
      await new Promise((resolve) => setTimeout(resolve, 20))
      saved = true
    }))
      break
    expect(saved).toBe(true)
  })

  test('stops the job when the signal fires, and yields how it ended', async () => {
    const controller = new AbortController()
    const events = all(async (emit, signal) => {
      setTimeout(() => controller.abort(), 10)
      await stopped(signal)
      emit('a', interrupted)
    }, controller.signal)
    expect(await events).toMatchObject([{ status: 'interrupted' }])
  })

  test('stops the job when another process asks for it, and leaves no request behind', async () => {
    const file = join(home, stopFile)
    const events = await all(async (emit, signal) => {
      setTimeout(() => writeFileSync(file, ''), 10)
      await stopped(signal)
      emit('a', interrupted)
    })
    expect(events).toHaveLength(1)
    expect(existsSync(file)).toBe(false)
  })

  test('forgets a request to stop that an earlier process left unanswered', async () => {
    writeFileSync(join(home, stopFile), '')
    const events = await all(async (emit, signal) => {
      await new Promise((resolve) => setTimeout(resolve, 300))
      emit('a', signal.aborted ? interrupted : finished)
    })
    expect(events).toMatchObject([{ status: 'finished' }])
  })

  test('rejects with what made the job fail, behind the events before it', async () => {
    const seen: string[] = []
    const failing = (async () => {
      for await (const { type } of jobEvents(home, async (emit) => {
        emit('a', warning('first'))
        throw new Error('disk full')
      }))
        seen.push(type)
    })()
    await expect(failing).rejects.toThrow('disk full')
    expect(seen).toEqual(['warning'])
  })
})
