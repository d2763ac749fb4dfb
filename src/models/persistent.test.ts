import { expect, test } from 'vitest'
import { ZerothError } from '../core/errors.ts'
import type { Images, Model } from './model.ts'
import { persistent } from './persistent.ts'

const images = (rows: number): Images => ({ rows, write: (row, into, offset = 0) => into.set([row], offset) })

const busy = (retryAfter?: number) => new ZerothError('query-failed', 'busy', { retryable: true, retryAfter })

/** A model of one pixel and two scores; `fail` says what happens to an image at which attempt. */
function moody(fail: (image: number, attempt: number) => unknown): { model: Model; asked: number[][] } {
  const asked: number[][] = []
  const model: Model = {
    shape: { channels: 1, height: 1, width: 1 },
    classes: 2,
    scores: 'logits',
    bounds: { lower: 0, upper: 1 },
    batch: 4,
    runtime: 'test',
    warnings: [],
    async predict(given, into) {
      const pixel = new Float64Array(1)
      const row = (i: number) => (given.write(i, pixel), pixel[0] as number)
      const all = Array.from({ length: given.rows }, (_, i) => row(i))
      asked.push(all)
      let problem: unknown
      all.forEach((image, i) => {
        const failure = fail(image, asked.length)
        if (failure === undefined) into.set([image, -image], 2 * i)
        problem ??= failure
      })
      if (problem !== undefined) throw problem
    },
    close: () => undefined,
  }
  return { model, asked }
}

test('asks again about those images alone that are missing, after waits that grow', async () => {
  const waits: number[] = []
  const { model, asked } = moody((image, attempt) => (image % 2 === 1 && attempt < 3 ? busy() : undefined))
  const sleep = async (milliseconds: number) => void waits.push(milliseconds)
  const kept = persistent(model, { jitter: 0, sleep })
  const scores = new Float32Array(8).fill(7)
  await kept.predict(images(4), scores)
  expect(asked).toEqual([
    [0, 1, 2, 3],
    [1, 3],
    [1, 3],
  ])
  expect([...scores]).toEqual([0, -0, 1, -1, 2, -2, 3, -3])
  expect(waits).toEqual([200, 400])
  expect(kept.retries).toBe(4)
})

test('waits at least as long as the other side asks for, with a jitter that is the same every time', async () => {
  const waitsOf = async (): Promise<number[]> => {
    const waits: number[] = []
    const { model } = moody((_, attempt) => (attempt === 1 ? busy(5000) : attempt === 2 ? busy() : undefined))
    const sleep = async (milliseconds: number) => void waits.push(milliseconds)
    await persistent(model, { sleep }).predict(images(1), new Float64Array(2))
    return waits
  }
  const waits = await waitsOf()
  expect(waits[0]).toBe(5000)
  expect(waits[1]).toBeGreaterThan(200)
  expect(waits[1]).toBeLessThanOrEqual(400)
  expect(await waitsOf()).toEqual(waits)
})

test('gives up after so many attempts, and at once where there is no hope', async () => {
  const sleep = async () => undefined
  const again = moody(() => busy())
  await expect(persistent(again.model, { attempts: 3, sleep }).predict(images(1), new Float64Array(2))).rejects.toThrow(
    'gave up after 3 attempts: busy',
  )
  expect(again.asked).toHaveLength(3)
  const never = moody(() => new ZerothError('query-failed', 'no such model', { retryable: false }))
  await expect(persistent(never.model, { sleep }).predict(images(1), new Float64Array(2))).rejects.toThrow(
    'no such model',
  )
  expect(never.asked).toHaveLength(1)
  const later = moody(() => busy(1_000_000))
  await expect(persistent(later.model, { sleep }).predict(images(1), new Float64Array(2))).rejects.toThrow(
    'a wait of 1000000 ms was asked for',
  )
  expect(later.asked).toHaveLength(1)
})

test('scores that are no numbers are an answer', async () => {
  const { model, asked } = moody(() => undefined)
  const strange: Model = {
    ...model,
    predict: (given, into) => (model.predict(given, into), void into.fill(Number.NaN)),
  }
  const scores = new Float64Array(2)
  await persistent(strange).predict(images(1), scores)
  expect([...scores]).toEqual([Number.NaN, Number.NaN])
  expect(asked).toHaveLength(1)
})

test('a signal ends the wait with its reason', async () => {
  const abort = new AbortController()
  const { model, asked } = moody(() => busy())
  const predicted = Promise.resolve(
    persistent(model, { delay: 60_000 }).predict(images(1), new Float64Array(2), abort.signal),
  )
  setTimeout(() => abort.abort(new Error('enough')), 5)
  await expect(predicted).rejects.toThrow('enough')
  expect(asked).toHaveLength(1)
})

/** A clock that moves only while something is waited for. */
function handClock() {
  let now = 0
  return {
    clock: () => now,
    sleep: async (milliseconds: number) => {
      now += milliseconds
    },
  }
}

test('has patience by the clock: a model that is silent for 60 seconds is waited for, and told about', async () => {
  const time = handClock()
  const { model, asked } = moody(() => (time.clock() < 60_000 ? busy() : undefined))
  const kept = persistent(model, { ...time, attempts: 1000, maxDelay: 5000, patience: 180_000 })
  const heard: (readonly [number, boolean])[] = []
  kept.onSilence = ({ milliseconds, isOver }) => void heard.push([milliseconds, isOver])
  const again: number[] = []
  const scores = new Float64Array(4)
  await kept.predict({ ...images(2), askedAgain: (row) => void again.push(row) }, scores)
  expect([...scores]).toEqual([0, -0, 1, -1])
  expect(time.clock()).toBeLessThan(65_000)
  expect(heard.slice(0, -1).every(([, isOver]) => !isOver)).toBe(true)
  expect(heard[0]).toEqual([0, false])
  expect(heard.at(-1)).toEqual([time.clock(), true])
  expect([asked.length - 1, again.length / 2]).toEqual([heard.length - 1, heard.length - 1])
})

test('has one patience for all callers: once it is over each call is one attempt, until there is an answer', async () => {
  const time = handClock()
  let isUp = false
  const { model, asked } = moody(() => (isUp ? undefined : busy()))
  const kept = persistent(model, { ...time, attempts: 1000, maxDelay: 5000, patience: 10_000 })
  await expect(kept.predict(images(1), new Float64Array(2))).rejects.toMatchObject({
    message: expect.stringContaining('gave up after'),
    unreached: true,
  })
  expect(time.clock()).toBeGreaterThanOrEqual(10_000)
  const before = asked.length
  await expect(kept.predict(images(1), new Float64Array(2))).rejects.toThrow('busy')
  expect(asked.length).toBe(before + 1)
  isUp = true
  await kept.predict(images(1), new Float64Array(2))
  isUp = false
  await expect(kept.predict(images(1), new Float64Array(2))).rejects.toThrow('gave up after')
  expect(asked.length).toBeGreaterThan(before + 4)
})

test('does not wait for a picture that is refused, nor where the way is closed for good', async () => {
  const time = handClock()
  for (const unreached of [false, true]) {
    const refused = new ZerothError('query-failed', 'no', { retryable: false, unreached })
    const { model, asked } = moody(() => refused)
    const kept = persistent(model, { ...time, attempts: 1000, patience: 10_000 })
    await expect(kept.predict(images(1), new Float64Array(2))).rejects.toBe(refused)
    expect(asked).toHaveLength(1)
  }
})

test('the first attempt writes where the caller wants the scores, and later ones add what was missing', async () => {
  const { model } = moody((image, attempt) => (image === 1 && attempt === 1 ? busy() : undefined))
  const rooms: unknown[] = []
  const watched: Model = { ...model, predict: (given, into) => (rooms.push(into), model.predict(given, into)) }
  const scores = new Float64Array(7).fill(7)
  await persistent(watched, { jitter: 0, sleep: async () => undefined }).predict(images(3), scores)
  expect([...scores]).toEqual([0, -0, 1, -1, 2, -2, 7])
  expect(rooms.map((room) => room === scores)).toEqual([true, false])
})
