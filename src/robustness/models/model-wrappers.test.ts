import { getEventListeners } from 'node:events'
import { describe, expect, test, vi } from 'vitest'
import { type FakeModel, fakeModel } from '../../../test/attacks/fake-model.ts'
import { modelConforms } from '../../../test/conformance/model.ts'
import { tinyNetwork } from '../../../test/networks/tiny-network.ts'
import { isConnectionError, ZerothError } from '../../optimizer/core/errors.ts'
import { linearModel } from './linear.ts'
import type { Images, Model } from './model.ts'
import { batchedModel, paced, persistent } from './model-wrappers.ts'
import { onnxModel } from './onnx.ts'

const shape = { channels: 3, height: 2, width: 4 }
const weights = [1, 2, 3, 4].map((k) => Array.from({ length: 24 }, (_, i) => Math.sin(k * (i + 1))))

describe('a batched model conforms', () => {
  modelConforms(async () => ({
    ...{ shape, classes: 4, tolerance: 0 },
    open: async () => batchedModel(await linearModel({ shape, weights }).open()),
    reference: (x) => weights.map((w) => w.reduce((sum, each, i) => sum + each * (x[i] as number), 0)),
  }))
})

/** Scores (x, 10 x) for images of one pixel. */
const model = (changes: Partial<Model> = {}): FakeModel => fakeModel(1, 2, ([x = 0]) => [x, 10 * x], changes)

/** Images with the pixels given. */
const images = (...pixels: readonly number[]): Images => ({
  rows: pixels.length,
  write: (row, into, offset = 0) => into.set([pixels[row] as number], offset),
})

async function scoresOf(asked: Model, given: Images, signal?: AbortSignal): Promise<number[]> {
  const scores = new Float64Array(2 * given.rows)
  await asked.predict(given, scores, signal)
  return Array.from(scores)
}

const moment = () => new Promise((resolve) => setImmediate(resolve))

describe('calls of one moment', () => {
  test('become one call, and everyone gets the own scores', async () => {
    const inner = model()
    const shared = batchedModel(inner)
    const found = await Promise.all([
      scoresOf(shared, images(1, 2)),
      scoresOf(shared, images(3)),
      scoresOf(shared, images()),
      scoresOf(shared, images(4, 5, 6)),
    ])
    expect(inner.calls).toEqual([6])
    expect(found).toEqual([[1, 10, 2, 20], [3, 30], [], [4, 40, 5, 50, 6, 60]])
  })

  test('include those that others make as soon as they can', async () => {
    const inner = model()
    const shared = batchedModel(inner)
    const late = Promise.resolve().then(() => scoresOf(shared, images(7)))
    expect(await Promise.all([scoresOf(shared, images(1)), late])).toEqual([
      [1, 10],
      [7, 70],
    ])
    expect(inner.calls).toEqual([2])
  })

  test('are written two at a time only where both are of one caller', async () => {
    const seen: number[][] = []
    const asking = batchedModel({
      ...model(),
      predict(all, into) {
        const room = new Float32Array(2)
        for (let row = 0; row + 1 < all.rows; row++) if (all.writeTwo?.(row, room, 0)) seen.push([row, ...room])
        into.fill(0)
      },
    })
    const pairs = (...pixels: readonly number[]): Images => ({
      ...images(...pixels),
      writeTwo(row, into, offset) {
        into.set(pixels.slice(row, row + 2), offset)
        return true
      },
    })
    await Promise.all([pairs(1, 2), pairs(3, 4)].map((each) => asking.predict(each, new Float64Array(4))))
    expect(seen).toEqual([
      [0, 1, 2],
      [2, 3, 4],
    ])
  })

  test('listen once to the signal that they share', async () => {
    const { signal } = new AbortController()
    const listeners: number[] = []
    const shared = batchedModel(
      model({
        predict: (_, into) => {
          listeners.push(getEventListeners(signal, 'abort').length)
          into.fill(1)
        },
      }),
    )
    await Promise.all(Array.from({ length: 20 }, () => scoresOf(shared, images(1), signal)))
    expect(listeners).toEqual([1])
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  test('are apart from those of the next', async () => {
    const inner = model()
    const shared = batchedModel(inner)
    await scoresOf(shared, images(1))
    await Promise.all([scoresOf(shared, images(2)), scoresOf(shared, images(3))])
    expect(inner.calls).toEqual([1, 2])
  })

  test('do not wait for those that are under way', async () => {
    const waiting: (() => void)[] = []
    const inner = model({
      async predict(given, into) {
        await new Promise<void>((resolve) => waiting.push(resolve))
        for (let row = 0; row < given.rows; row++) into[2 * row] = 1
      },
    })
    const shared = batchedModel(inner)
    const first = scoresOf(shared, images(1))
    await moment()
    const second = scoresOf(shared, images(2))
    await moment()
    expect(waiting).toHaveLength(2)
    for (const go of waiting.reverse()) go()
    await Promise.all([first, second])
  })

  test('are done as soon as their own scores are there, and the next wait while there is enough to do', async () => {
    const told: ((row: number) => void)[] = []
    const calls: number[] = []
    const ends: (() => void)[] = []
    const inner = model({
      async predict(given, into) {
        calls.push(given.rows)
        told.push((row) => {
          into.set([row, 10 * row], 2 * row)
          given.answered?.(row)
        })
        await new Promise<void>((resolve) => ends.push(resolve))
      },
    })
    const shared = batchedModel(inner)
    const quick = scoresOf(shared, images(1, 2))
    const slow = scoresOf(shared, images(3, 4, 5, 6, 7, 8))
    await moment()
    for (const row of [1, 0, 0]) told[0]?.(row)
    expect(await quick).toEqual([0, 0, 1, 10])
    const controller = new AbortController()
    const stopped = scoresOf(shared, images(9), controller.signal)
    const held = [scoresOf(shared, images(10))]
    await moment()
    controller.abort(new Error('enough'))
    await expect(stopped).rejects.toThrow('enough')
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0)
    expect(calls).toEqual([8])
    held.push(scoresOf(shared, images(11, 12, 13)))
    await moment()
    expect(calls).toEqual([8, 4])
    for (const row of [2, 3, 4, 5, 6, 7]) told[0]?.(row)
    for (const row of [0, 1, 2, 3]) told[1]?.(row)
    expect((await slow).slice(0, 4)).toEqual([2, 20, 3, 30])
    expect(await Promise.all(held)).toEqual([
      [0, 0],
      [1, 10, 2, 20, 3, 30],
    ])
    for (const end of ends) end()
  })

  test('may want their scores in different precisions', async () => {
    const shared = batchedModel(model())
    const [single, double] = [new Float32Array(2), new Float64Array(2)]
    await Promise.all([shared.predict(images(0.1), single), shared.predict(images(0.1), double)])
    expect([single[0], double[0]]).toEqual([Math.fround(0.1), 0.1])
  })

  test('have the scores they would have alone, from a network in batches, to the bit', async () => {
    const inner = await onnxModel({ bytes: tinyNetwork(), batch: 7 }).open()
    const shared = batchedModel(inner)
    const picture = (seed: number, rows: number): Images => ({
      rows,
      write(row, into, offset = 0) {
        for (let i = 0; i < 784; i++) into[offset + i] = 0.5 + 0.5 * Math.sin(seed + 3 * row + i * i)
      },
    })
    const ask = async (asked: Model, [seed, rows]: readonly [number, number]) => {
      const scores = new Float64Array(10 * rows)
      await asked.predict(picture(seed, rows), scores)
      return scores
    }
    const callers = [[1, 11], [2, 1], [3, 11], [4, 21]] as const // biome-ignore format: one line
    const alone = []
    for (const each of callers) alone.push(await ask(inner, each))
    expect(await Promise.all(callers.map((each) => ask(shared, each)))).toEqual(alone)
    await shared.close()
  })
})

describe('a caller that stops', () => {
  test('before the call takes no part in it and does not hurt the others', async () => {
    const inner = model()
    const shared = batchedModel(inner)
    const controller = new AbortController()
    const reason = new Error('enough')
    const stopped = scoresOf(shared, images(1, 2, 3), controller.signal)
    const other = scoresOf(shared, images(4))
    controller.abort(reason)
    await expect(stopped).rejects.toBe(reason)
    expect(await other).toEqual([4, 40])
    expect(inner.calls).toEqual([1])
  })

  test('during the call is told so, and the others get their scores', async () => {
    const controller = new AbortController()
    const reason = new Error('enough')
    let given: AbortSignal | undefined
    const good = model()
    const inner = model({
      async predict(all, into, signal) {
        given = signal
        controller.abort(reason)
        await good.predict(all, into, signal)
      },
    })
    const shared = batchedModel(inner)
    const stopped = scoresOf(shared, images(1), controller.signal)
    const other = scoresOf(shared, images(2), new AbortController().signal)
    await expect(stopped).rejects.toBe(reason)
    expect(await other).toEqual([2, 20])
    expect(given?.aborted).toBe(false)
  })

  test('as the last of all ends the call', async () => {
    const [one, two] = [new AbortController(), new AbortController()]
    const [first, second] = [new Error('first'), new Error('second')]
    const seen: boolean[] = []
    const inner = model({
      predict: (_, __, signal) =>
        new Promise((_, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason))
          one.abort(first)
          seen.push(signal?.aborted === true)
          two.abort(second)
          seen.push(signal?.aborted === true)
        }),
    })
    const shared = batchedModel(inner)
    const calls = [scoresOf(shared, images(1), one.signal), scoresOf(shared, images(2), two.signal)]
    const found = await Promise.allSettled(calls)
    expect(found.map((each) => (each as PromiseRejectedResult).reason)).toEqual([first, second])
    expect(seen).toEqual([false, true])
  })

  test('does not end a call that somebody without a signal waits for', async () => {
    const controller = new AbortController()
    let aborted: boolean | undefined
    const good = model()
    const inner = model({
      async predict(all, into, signal) {
        controller.abort()
        aborted = signal?.aborted
        await good.predict(all, into)
      },
    })
    const shared = batchedModel(inner)
    const calls = [scoresOf(shared, images(1), controller.signal), scoresOf(shared, images(2))]
    const [, other] = await Promise.allSettled(calls)
    expect(other).toMatchObject({ status: 'fulfilled', value: [2, 20] })
    expect(aborted).toBe(false)
  })

  test('leaves nothing listening to its signal', async () => {
    const { signal } = new AbortController()
    let during = 0
    const inner = model({
      predict() {
        during = getEventListeners(signal, 'abort').length
      },
    })
    await scoresOf(batchedModel(inner), images(1), signal)
    expect([during, getEventListeners(signal, 'abort').length]).toEqual([1, 0])
  })
})

describe('a failure', () => {
  const error = new ZerothError('query-failed', 'lost')

  test('reaches those whose scores are missing, and nobody else', async () => {
    const inner = model({
      async predict(_, into) {
        into.set([1, 10, 2, 20, 3, 30], 0)
        into.set([5, 50], 8)
        throw error
      },
    })
    const shared = batchedModel(inner)
    const found = await Promise.allSettled([
      scoresOf(shared, images(1, 2)),
      scoresOf(shared, images(3, 4)),
      scoresOf(shared, images(5)),
    ])
    expect(found).toEqual([
      { status: 'fulfilled', value: [1, 10, 2, 20] },
      { status: 'rejected', reason: error },
      { status: 'fulfilled', value: [5, 50] },
    ])
  })

  test('leaves what was answered of a caller that is told of it', async () => {
    const inner = model({
      async predict(_, into) {
        into.set([1, 10], 0)
        throw error
      },
    })
    const scores = new Float64Array(4)
    await expect(batchedModel(inner).predict(images(1, 2), scores)).rejects.toBe(error)
    expect(Array.from(scores)).toEqual([1, 10, Number.NaN, Number.NaN])
  })

  test('of a model that throws at once reaches everyone', async () => {
    const inner = model({
      predict() {
        throw error
      },
    })
    const shared = batchedModel(inner)
    const found = await Promise.allSettled([scoresOf(shared, images(1)), scoresOf(shared, images(2))])
    expect(found.map((each) => each.status)).toEqual(['rejected', 'rejected'])
  })

  test('does not outlast its call', async () => {
    let calls = 0
    const good = model()
    const inner = model({
      predict(all, into) {
        if (++calls === 1) throw error
        return good.predict(all, into)
      },
    })
    const shared = batchedModel(inner)
    await expect(scoresOf(shared, images(1))).rejects.toBe(error)
    expect(await scoresOf(shared, images(2))).toEqual([2, 20])
  })

  test('of a picture that is refused does not make others refused that were asked with it', async () => {
    const refused = new ZerothError('query-failed', 'answered 422', { retryable: false })
    const again: number[] = []
    const good = model()
    const inner = model({
      async predict(all, into) {
        const pixel = new Float64Array(1)
        for (let row = 0; row < all.rows; row++) {
          all.write(row, pixel)
          if (pixel[0] === 3) throw refused
        }
        await good.predict(all, into)
      },
    })
    const shared = batchedModel(inner)
    const watched = { ...images(1, 2), askedAgain: (row: number) => void again.push(row) }
    const found = await Promise.allSettled([scoresOf(shared, watched), scoresOf(shared, images(3, 4))])
    expect(found).toEqual([
      { status: 'fulfilled', value: [1, 10, 2, 20] },
      { status: 'rejected', reason: refused },
    ])
    expect(good.calls).toEqual([1, 1, 1])
    expect(again).toEqual([0, 1])
  })

  test('on the way is that of all: nobody is asked one by one', async () => {
    const lost = new ZerothError('query-failed', 'ECONNREFUSED', { retryable: true })
    let calls = 0
    const inner = model({
      async predict() {
        calls++
        throw lost
      },
    })
    await expect(scoresOf(batchedModel(inner), images(1, 2))).rejects.toBe(lost)
    expect(calls).toBe(1)
  })

  test('to give room for the scores is the own one of the caller', async () => {
    const shared = batchedModel(model())
    const cramped = shared.predict(images(1, 2), new Float64Array(3))
    const other = scoresOf(shared, images(3))
    await expect(cramped).rejects.toThrow('predict needs room for 4 scores')
    expect(await other).toEqual([3, 30])
  })
})

test('scores of NaN are an answer, not a failure', async () => {
  const shared = batchedModel(fakeModel(1, 2, () => [Number.NaN, 1]))
  expect(await scoresOf(shared, images(1))).toEqual([Number.NaN, 1])
})

test('memory for scores is used again, and what was in it is never an answer', async () => {
  const rooms = new Set<unknown>()
  let calls = 0
  const inner: Model = {
    ...model(),
    async predict(given, into) {
      rooms.add(into.buffer)
      if (calls++ === 0) await model().predict(given, into)
    },
  }
  const shared = batchedModel(inner)
  expect(await scoresOf(shared, images(1, 2))).toEqual([1, 10, 2, 20])
  expect(await scoresOf(shared, images(3))).toEqual([Number.NaN, Number.NaN])
  expect(rooms.size).toBe(1)
  expect(await scoresOf(shared, images(1, 2, 3))).toEqual(new Array(6).fill(Number.NaN))
  expect(rooms.size).toBe(2)
})

test('says of the model what it is, and closes it', async () => {
  let closed = 0
  const inner = model({ warnings: ['careful'], runtime: 'abacus', batch: 5, close: () => void closed++ })
  const shared = batchedModel(inner)
  expect(shared).toMatchObject({ shape: inner.shape, classes: 2, scores: 'logits', batch: 5, runtime: 'abacus' })
  expect(shared.warnings).toEqual(['careful'])
  await shared.close()
  expect(closed).toBe(1)
})

test('refuses what is no open model', () => {
  const source = linearModel({ shape, weights })
  expect(() => batchedModel(source as never)).toThrow('open the model first')
  expect(() => batchedModel(source.open() as never)).toThrow('the model is a promise: await it')
})

describe('persistent', () => {
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
    await expect(
      persistent(again.model, { attempts: 3, sleep }).predict(images(1), new Float64Array(2)),
    ).rejects.toThrow('gave up after 3 attempts: busy')
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
    kept.onOutage = ({ milliseconds, isOver }) => void heard.push([milliseconds, isOver])
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

  test('a model that hangs costs one patience, however many ask it, and is asked again later', async () => {
    vi.useFakeTimers()
    try {
      let hangs = true
      let asked = 0
      const inner = moody(() => undefined).model
      const hanging: Model = {
        ...inner,
        predict: (given, into, signal) =>
          ++asked && hangs
            ? new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
            : inner.predict(given, into),
      }
      const kept = persistent(hanging, { attempts: 1000, patience: 6000, clock: () => performance.now() })
      const ask = () => kept.predict(images(1), new Float64Array(2))
      const began = performance.now()
      const six = (async () => {
        const ends: unknown[] = []
        for (let image = 0; image < 6; image++) ends.push(await Promise.resolve(ask()).catch((error: unknown) => error))
        return ends
      })()
      await vi.runAllTimersAsync()
      const ends = await six
      expect(performance.now() - began).toBe(8000)
      expect(asked).toBe(2)
      expect(ends).toHaveLength(6)
      for (const end of ends) expect(end).toMatchObject({ message: expect.stringContaining('did not answer within') })
      expect(ends.every(isConnectionError)).toBe(true)
      hangs = false
      await expect(ask()).rejects.toThrow('did not answer within')
      await vi.advanceTimersByTimeAsync(6000)
      await ask()
      expect(asked).toBe(3)
    } finally {
      vi.useRealTimers()
    }
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
})

describe('paced', () => {
  /** Images whose only pixel is their number. */
  const images = (rows: number): Images => ({ rows, write: (row, into, offset = 0) => into.set([row], offset) })

  interface Call {
    readonly at: number
    readonly rows: number
  }

  /** A model of one pixel and one score, which is the pixel; it notes its calls. */
  function noted(clock: () => number, calls: Call[], details: Partial<Model> = {}): Model {
    return {
      shape: { channels: 1, height: 1, width: 1 },
      classes: 1,
      scores: 'logits',
      bounds: { lower: 0, upper: 1 },
      batch: 4,
      runtime: 'test',
      warnings: [],
      predict(asked, into) {
        calls.push({ at: clock(), rows: asked.rows })
        for (let row = 0; row < asked.rows; row++) asked.write(row, into, row)
      },
      close: () => undefined,
      ...details,
    }
  }

  /** A clock that moves only when somebody waits. */
  function waitingClock() {
    let now = 0
    return {
      clock: () => now,
      sleep: async (milliseconds: number) => {
        // Whoever was let pass before calls first.
        await new Promise((resolve) => setImmediate(resolve))
        now += milliseconds
      },
    }
  }

  test('calls a model as often as it may, no more, and gives every image its score', async () => {
    const { clock, sleep } = waitingClock()
    const calls: Call[] = []
    const model = paced(noted(clock, calls), { perSecond: 10, clock, sleep })
    const scores = new Float64Array(10)
    await model.predict(images(10), scores)
    expect([...scores]).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(calls.map(({ rows }) => rows)).toEqual([4, 4, 2])
    expect(calls.map(({ at }) => Math.round(at))).toEqual([0, 100, 200])
  })

  test('all who share it share its limit', async () => {
    const { clock, sleep } = waitingClock()
    const calls: Call[] = []
    const model = paced(noted(clock, calls), { perSecond: 20, clock, sleep })
    await Promise.all([1, 2, 3, 4].map(() => model.predict(images(1), new Float64Array(1))))
    expect(calls.map(({ at }) => Math.round(at))).toEqual([0, 50, 100, 150])
  })

  test('counts the calls of a network that makes several at once', async () => {
    const { clock, sleep } = waitingClock()
    const calls: Call[] = []
    const model = paced(noted(clock, calls, { places: 2 }), { perSecond: 10, clock, sleep })
    await model.predict(images(16), new Float64Array(16))
    // Eight images are two calls of four.
    expect(calls.map(({ rows }) => rows)).toEqual([8, 8])
    expect(calls.map(({ at }) => Math.round(at))).toEqual([0, 200])
  })

  test('a piece that fails and may pass leaves the others their scores; a hopeless one ends the call', async () => {
    const { clock, sleep } = waitingClock()
    for (const retryable of [true, false]) {
      const calls: Call[] = []
      const inner = noted(clock, calls)
      const failing: Model = {
        ...inner,
        predict(asked, into, signal) {
          if (calls.length === 0) {
            calls.push({ at: clock(), rows: asked.rows })
            throw new ZerothError('query-failed', 'busy', { retryable })
          }
          return inner.predict(asked, into, signal)
        },
      }
      const scores = new Float64Array(8).fill(Number.NaN)
      const model = paced(failing, { perSecond: 10, clock, sleep })
      await expect(model.predict(images(8), scores)).rejects.toThrow('busy')
      expect(scores[7]).toBe(retryable ? 7 : Number.NaN)
    }
  })

  test('a signal ends the wait', async () => {
    const calls: Call[] = []
    const abort = new AbortController()
    const model = paced(
      noted(() => 0, calls),
      { perSecond: 0.001 },
    )
    const predicted = Promise.resolve(model.predict(images(8), new Float64Array(8), abort.signal))
    abort.abort(new Error('enough'))
    await expect(predicted).rejects.toThrow('enough')
    expect(calls.length).toBeLessThanOrEqual(1)
  })

  test('refuses a rate that is none', () => {
    expect(() =>
      paced(
        noted(() => 0, []),
        { perSecond: 0 },
      ),
    ).toThrow('paced.perSecond must be above 0, got 0')
  })
})
