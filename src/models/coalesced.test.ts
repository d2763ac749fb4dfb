import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { type FakeModel, fakeModel } from '../../test/attacks/fake-model.ts'
import { modelConforms } from '../../test/conformance/model.ts'
import { tinyNetwork } from '../../test/networks/tiny-network.ts'
import { ZerothError } from '../core/errors.ts'
import { coalesced } from './coalesced.ts'
import { linearModel } from './linear.ts'
import type { Images, Model } from './model.ts'
import { onnxModel } from './onnx.ts'

const shape = { channels: 3, height: 2, width: 4 }
const weights = [1, 2, 3, 4].map((k) => Array.from({ length: 24 }, (_, i) => Math.sin(k * (i + 1))))

describe('a coalesced model conforms', () => {
  modelConforms(async () => ({
    ...{ shape, classes: 4, tolerance: 0 },
    open: async () => coalesced(await linearModel({ shape, weights }).open()),
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
    const shared = coalesced(inner)
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
    const shared = coalesced(inner)
    const late = Promise.resolve().then(() => scoresOf(shared, images(7)))
    expect(await Promise.all([scoresOf(shared, images(1)), late])).toEqual([
      [1, 10],
      [7, 70],
    ])
    expect(inner.calls).toEqual([2])
  })

  test('are written two at a time only where both are of one caller', async () => {
    const seen: number[][] = []
    const asking = coalesced({
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

  test('are apart from those of the next', async () => {
    const inner = model()
    const shared = coalesced(inner)
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
    const shared = coalesced(inner)
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
    const shared = coalesced(inner)
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
    const shared = coalesced(model())
    const [single, double] = [new Float32Array(2), new Float64Array(2)]
    await Promise.all([shared.predict(images(0.1), single), shared.predict(images(0.1), double)])
    expect([single[0], double[0]]).toEqual([Math.fround(0.1), 0.1])
  })

  test('have the scores they would have alone, from a network in batches, to the bit', async () => {
    const inner = await onnxModel({ bytes: tinyNetwork(), batch: 7 }).open()
    const shared = coalesced(inner)
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
    const shared = coalesced(inner)
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
    const shared = coalesced(inner)
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
    const shared = coalesced(inner)
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
    const shared = coalesced(inner)
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
    await scoresOf(coalesced(inner), images(1), signal)
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
    const shared = coalesced(inner)
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
    await expect(coalesced(inner).predict(images(1, 2), scores)).rejects.toBe(error)
    expect(Array.from(scores)).toEqual([1, 10, Number.NaN, Number.NaN])
  })

  test('of a model that throws at once reaches everyone', async () => {
    const inner = model({
      predict() {
        throw error
      },
    })
    const shared = coalesced(inner)
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
    const shared = coalesced(inner)
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
    const shared = coalesced(inner)
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
    await expect(scoresOf(coalesced(inner), images(1, 2))).rejects.toBe(lost)
    expect(calls).toBe(1)
  })

  test('to give room for the scores is the own one of the caller', async () => {
    const shared = coalesced(model())
    const cramped = shared.predict(images(1, 2), new Float64Array(3))
    const other = scoresOf(shared, images(3))
    await expect(cramped).rejects.toThrow('predict needs room for 4 scores')
    expect(await other).toEqual([3, 30])
  })
})

test('scores of NaN are an answer, not a failure', async () => {
  const shared = coalesced(fakeModel(1, 2, () => [Number.NaN, 1]))
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
  const shared = coalesced(inner)
  expect(await scoresOf(shared, images(1, 2))).toEqual([1, 10, 2, 20])
  expect(await scoresOf(shared, images(3))).toEqual([Number.NaN, Number.NaN])
  expect(rooms.size).toBe(1)
  expect(await scoresOf(shared, images(1, 2, 3))).toEqual(new Array(6).fill(Number.NaN))
  expect(rooms.size).toBe(2)
})

test('says of the model what it is, and closes it', async () => {
  let closed = 0
  const inner = model({ warnings: ['careful'], runtime: 'abacus', batch: 5, close: () => void closed++ })
  const shared = coalesced(inner)
  expect(shared).toMatchObject({ shape: inner.shape, classes: 2, scores: 'logits', batch: 5, runtime: 'abacus' })
  expect(shared.warnings).toEqual(['careful'])
  await shared.close()
  expect(closed).toBe(1)
})

test('refuses what is no open model', () => {
  const source = linearModel({ shape, weights })
  expect(() => coalesced(source as never)).toThrow('open the model first')
  expect(() => coalesced(source.open() as never)).toThrow('the model is a promise: await it')
})
