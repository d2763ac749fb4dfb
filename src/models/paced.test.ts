import { expect, test } from 'vitest'
import { ZerothError } from '../core/errors.ts'
import type { Images, Model } from './model.ts'
import { paced } from './paced.ts'

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
