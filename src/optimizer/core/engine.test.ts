import { beforeEach, describe, expect, test, vi } from 'vitest'
import { bayesian } from '../methods/bayesian/bayesian.ts'
import { zoSGD } from '../methods/presets.ts'
import { batchedObjective, functionObjective } from '../objectives/function.ts'
import { box } from '../parts/sets/boxes.ts'
import { cached } from '../wrappers/cached.ts'
import { limited, rateLimited, timed } from '../wrappers/limits.ts'
import { logged } from '../wrappers/logged.ts'
import { noisy } from '../wrappers/noisy.ts'
import { retried } from '../wrappers/retried.ts'
import { drive, driver, runToEnd } from './engine.ts'
import { ZerothError } from './errors.ts'
import { createSession, type Session } from './session.ts'
import type { SessionOptions } from './session-options.ts'
import type { Objective, Queries } from './types.ts'

const solver = zoSGD({ directions: 2, learningRate: 0.05 })
const bowl = (x: ArrayLike<number>): number => Array.from(x).reduce((sum, each) => sum + each * each, 0)
const never = (): Promise<number> => new Promise(() => undefined)
const objective = functionObjective(bowl, { dim: 2 })
const later = functionObjective(async (x) => bowl(x), { dim: 2 })

function begin(options: Partial<SessionOptions> = {}): Session {
  return createSession([1, 2], { solver, maxIterations: 4, ...options })
}

async function iterationsOf(session: Session, f: Objective, signal?: AbortSignal): Promise<number[]> {
  const seen: number[] = []
  for await (const record of drive(session, f, { signal })) seen.push(record.iteration)
  return seen
}

/** A signal that counts who listens to it. */
function countedSignal() {
  const controller = new AbortController()
  const { signal } = controller
  const added = vi.spyOn(signal, 'addEventListener')
  const removed = vi.spyOn(signal, 'removeEventListener')
  return { controller, signal, listeners: () => added.mock.calls.length - removed.mock.calls.length, added }
}

describe('a turn', () => {
  test('of a synchronous objective makes no promise', () => {
    const session = begin()
    const driving = driver(session, objective)
    const turns: unknown[] = []
    while (session.outcome === undefined) turns.push(driving.turn())
    expect(turns).toEqual([undefined, undefined, undefined, undefined, undefined])
  })

  test('of an asynchronous objective makes one, and the session waits for it', async () => {
    const session = begin()
    const turn = driver(session, later).turn()
    expect(turn).toBeInstanceOf(Promise)
    expect(session.latest).toBeUndefined()
    await turn
    expect(session.latest?.iteration).toBe(1)
  })

  test.each<[string, Objective]>([
    [
      'throws',
      {
        dim: 2,
        evaluate: () => {
          throw new RangeError('no device')
        },
      },
    ],
    ['rejects', { dim: 2, evaluate: () => Promise.reject(new RangeError('no device')) }],
  ])('of an objective that %s fails all rows, each counted', async (_, broken) => {
    const session = begin({ failures: 'skip', maxIterations: 1 })
    expect(await iterationsOf(session, broken)).toEqual([1])
    expect(session.outcome).toMatchObject({ queries: 3 + 3 + 1, skippedIterations: 1 })
    expect(session.outcome?.failures).toEqual({ count: 7, first: new RangeError('no device') })
  })
})

describe('an error that no policy may pass over', () => {
  const full = new ZerothError('storage-failed', 'the disk is full')

  test.each<[string, Objective]>([
    [
      'thrown',
      {
        dim: 2,
        evaluate: () => {
          throw full
        },
      },
    ],
    ['rejected with', { dim: 2, evaluate: () => Promise.reject(full) }],
  ])('%s by the objective ends the run instead of counting as a failed query', async (_, broken) => {
    const session = begin({ failures: 'skip' })
    await expect(iterationsOf(session, broken)).rejects.toBe(full)
    expect(session.outcome).toBeUndefined()
    expect(session.checkpoint().queries).toBe(0)
  })
})

describe('drive', () => {
  test('yields each iteration and ends with the outcome', async () => {
    for (const each of [objective, later]) {
      const session = begin()
      expect(await iterationsOf(session, each)).toEqual([1, 2, 3, 4])
      expect(session.outcome).toMatchObject({ status: 'finished', queries: 13 })
    }
  })

  test('can be left and taken up again without losing anything', async () => {
    const session = begin()
    for await (const record of drive(session, objective)) if (record.iteration === 2) break
    expect(session.outcome).toBeUndefined()
    expect(await iterationsOf(session, objective)).toEqual([3, 4])
    const whole = begin()
    await iterationsOf(whole, objective)
    expect(session.outcome).toEqual(whole.outcome)
  })

  test('does nothing for a session that has ended', async () => {
    const session = begin()
    await iterationsOf(session, objective)
    expect(await iterationsOf(session, objective)).toEqual([])
  })

  test('gives no iteration twice where a center is asked again', async () => {
    let asked = 0
    const shaky = functionObjective(
      (x, { row, iteration }) => (row === 0 && iteration === 2 && asked++ < 2 ? Number.NaN : bowl(x)),
      {
        dim: 2,
      },
    )
    expect(await iterationsOf(begin({ failures: 'skip' }), shaky)).toEqual([1, 2, 3, 4])
  })
})

describe('a signal', () => {
  test('that fired before the run stops it before anything is asked', async () => {
    const evaluate = vi.fn()
    const session = begin()
    expect(await iterationsOf(session, { dim: 2, evaluate }, AbortSignal.abort())).toEqual([])
    expect(evaluate).not.toHaveBeenCalled()
    expect(session.outcome).toMatchObject({ status: 'aborted', stopReason: 'aborted', queries: 0 })
  })

  test('that fires between iterations stops it there', async () => {
    const { controller, signal, listeners, added } = countedSignal()
    const session = begin()
    for await (const record of drive(session, objective, { signal })) if (record.iteration === 2) controller.abort()
    expect(session.outcome).toMatchObject({ status: 'aborted', iterations: 2, queries: 6 })
    expect([added.mock.calls.length, listeners()]).toEqual([1, 0])
  })

  test('that fires while the objective hangs ends the run at once; nothing of it is counted', async () => {
    const { controller, signal, listeners } = countedSignal()
    const session = begin()
    const hanging = functionObjective((x, { iteration }) => (iteration < 3 ? bowl(x) : never()), { dim: 2 })
    setTimeout(() => controller.abort(), 5)
    expect(await iterationsOf(session, hanging, signal)).toEqual([1, 2])
    expect(session.outcome).toMatchObject({ status: 'aborted', iterations: 2, queries: 6 })
    expect(listeners()).toBe(0)
  })

  test('reaches the objective, with its reason', async () => {
    const controller = new AbortController()
    const reason = new Error('enough')
    let heard: unknown
    const listening = functionObjective(
      (_, { signal }) =>
        new Promise((_, reject) => {
          signal?.addEventListener('abort', () => {
            heard = signal.reason
            reject(new Error('stopped'))
          })
        }),
      { dim: 2 },
    )
    setTimeout(() => controller.abort(reason), 5)
    const session = begin()
    await iterationsOf(session, listening, controller.signal)
    expect(heard).toBe(reason)
    expect(session.outcome?.status).toBe('aborted')
  })

  test('that the objective itself fires, before it returns its promise, stops the run', async () => {
    for (const answer of [async () => 1, never]) {
      const controller = new AbortController()
      const session = begin()
      const suicidal = functionObjective(
        () => {
          controller.abort()
          return answer()
        },
        { dim: 2 },
      )
      await iterationsOf(session, suicidal, controller.signal)
      expect(session.outcome).toMatchObject({ status: 'aborted', queries: 0 })
    }
  })

  test('that a synchronous objective fires stops the run before the next query, and drops the iteration', async () => {
    const controller = new AbortController()
    const session = begin()
    const firing = functionObjective(
      (x) => {
        controller.abort()
        return bowl(x)
      },
      { dim: 2 },
    )
    await iterationsOf(session, firing, controller.signal)
    expect(session.outcome).toMatchObject({ status: 'aborted', queries: 0, iterations: 0 })
  })

  test('that fires after the end changes nothing', async () => {
    const { controller, signal, listeners } = countedSignal()
    const session = begin()
    await iterationsOf(session, objective, signal)
    const outcome = session.outcome
    controller.abort()
    expect(session.outcome).toBe(outcome)
    expect(outcome?.status).toBe('finished')
    expect(listeners()).toBe(0)
  })

  test('is no longer listened to when the loop is left or the consumer throws', async () => {
    const { signal, listeners } = countedSignal()
    for await (const _ of drive(begin(), objective, { signal })) break
    expect(listeners()).toBe(0)
    const consume = async () => {
      for await (const _ of drive(begin(), objective, { signal })) throw new Error('mine')
    }
    await expect(consume()).rejects.toThrow('mine')
    expect(listeners()).toBe(0)
  })
})

describe('maxTime', () => {
  test('ends a run whose objective hangs, and tells the objective', async () => {
    let heard: unknown
    const hanging = functionObjective(
      (_, { signal }) => {
        signal?.addEventListener('abort', () => {
          heard = signal.reason
        })
        return never()
      },
      { dim: 2 },
    )
    const session = begin({ maxTime: 10 })
    await iterationsOf(session, hanging)
    expect(session.outcome).toMatchObject({ status: 'finished', stopReason: 'max-time', queries: 0, iterations: 0 })
    expect(heard).toEqual(new Error('the time for the run is up'))
  })

  test('longer than any timer can wait does not end the run at once', async () => {
    const session = begin({ maxTime: 3e9 })
    await iterationsOf(
      session,
      functionObjective((x) => new Promise((resolve) => setTimeout(() => resolve(bowl(x)), 3)), { dim: 2 }),
    )
    expect(session.outcome?.stopReason).toBe('max-iterations')
  })

  test('leaves no timer behind', async () => {
    const set = vi.spyOn(globalThis, 'setTimeout')
    const clear = vi.spyOn(globalThis, 'clearTimeout')
    await iterationsOf(begin({ maxTime: 60_000 }), later)
    const timers = set.mock.results.map((result) => result.value)
    expect(timers).toHaveLength(5)
    for (const timer of timers) expect(clear).toHaveBeenCalledWith(timer)
    vi.restoreAllMocks()
  })
})

describe('a synchronous function that keeps the thread for long', () => {
  let calls = 0
  beforeEach(() => {
    calls = 0
  })
  const busy = (x: ArrayLike<number>): number => {
    calls++
    const until = performance.now() + 30
    while (performance.now() < until);
    return bowl(x)
  }
  const slow = zoSGD({ directions: 40, learningRate: 0.05 })

  test.each<[string, Objective]>([
    ['called point by point', functionObjective(busy, { dim: 2 })],
    ['called point by point, with promises that are kept at once', functionObjective(async (x) => busy(x), { dim: 2 })],
    ['called in batches', batchedObjective((points) => points.map(busy), { dim: 2, batchSize: 2 })],
    ['behind wrappers', timed(retried(functionObjective(busy, { dim: 2 })), { timeout: 60_000 })],
  ])('and is %s lets a signal through in the middle of an iteration', async (_, f) => {
    const controller = new AbortController()
    const session = begin({ solver: slow })
    setTimeout(() => controller.abort(), 100)
    await iterationsOf(session, f, controller.signal)
    // One iteration takes 41 calls of 30 ms.
    expect(calls).toBeLessThan(41)
    expect(session.outcome).toMatchObject({ status: 'aborted', queries: 0 })
  })

  test('ends when the time is up, in the middle of an iteration', async () => {
    const session = begin({ solver: slow, maxTime: 100 })
    await iterationsOf(session, functionObjective(busy, { dim: 2 }))
    expect(calls).toBeLessThan(41)
    expect(session.outcome).toMatchObject({ stopReason: 'max-time', queries: 0 })
  })

  test('makes no promise where nobody waits for it', () => {
    const session = begin({ solver: zoSGD({ directions: 3, learningRate: 0.05 }), maxIterations: 1 })
    const driving = driver(session, functionObjective(busy, { dim: 2 }))
    expect([driving.turn(), driving.turn()]).toEqual([undefined, undefined])
    expect(session.outcome?.queries).toBe(5)
  })
})

describe('under the policy stop', () => {
  const many = zoSGD({ directions: 10, learningRate: 0.05 })
  /** Answers all rows but one, which never is. */
  const silentAt = (silent: number, signals: (AbortSignal | undefined)[] = []) =>
    functionObjective(
      (x, { row, signal }) => {
        signals.push(signal)
        return row === silent ? never() : Promise.resolve(bowl(x))
      },
      { dim: 2, timeout: 20 },
    )

  test.each<[string, (inner: Objective) => Objective]>([
    ['alone', (inner) => inner],
    ['behind a cache', (inner) => cached(inner)],
    ['behind a limit', (inner) => limited(inner, { concurrency: 1 })],
    ['behind a rate limit', (inner) => rateLimited(inner, { perSecond: 1e6, burst: 1 })],
    ['behind a time-out of the whole', (inner) => timed(inner, { timeout: 60_000 })],
    ['behind noise', (inner) => noisy(inner, { deviation: 1 })],
  ])('a query that is not answered in time ends the run at once: %s', async (_, wrap) => {
    const session = begin({ solver: many, failures: 'stop' })
    await iterationsOf(session, wrap(silentAt(3)))
    const { outcome } = session
    expect(outcome).toMatchObject({ status: 'failed', queries: 4, failures: { count: 1 } })
    expect((outcome as { error: Error }).error.message).toContain(
      'row 3 of 11): ZerothError: the objective did not answer',
    )
  })

  test('all rows that were asked are counted, and those under way are told to stop', async () => {
    const signals: (AbortSignal | undefined)[] = []
    const session = begin({ solver: many, failures: 'stop' })
    const inner = functionObjective(
      (x, { row, signal }) => {
        signals.push(signal)
        if (row === 2) return Promise.reject(new ZerothError('query-failed', 'late', { timedOut: true }))
        return row < 5 ? never() : bowl(x)
      },
      { dim: 2, concurrency: 5 },
    )
    await iterationsOf(session, inner)
    expect(session.outcome).toMatchObject({ status: 'failed', queries: 5, failures: { count: 1 } })
    expect(signals.map((signal) => signal?.aborted)).toEqual([true, true, true, true, true])
    expect(session.checkpoint().worst).toBe(-Infinity)
  })

  test('rows that are asked again by a wrapper are all waited for', async () => {
    const session = begin({ solver: many, failures: 'stop' })
    const again = retried(silentAt(3), { attempts: 2, delay: 0 })
    await iterationsOf(session, again)
    expect(session.outcome).toMatchObject({ status: 'failed', queries: 11, retries: 1, failures: { count: 1 } })
  })

  test('the calls that were made are logged, and no others', async () => {
    const rows: number[] = []
    const log = logged(silentAt(3), { write: ({ row }) => void rows.push(row) })
    await iterationsOf(begin({ solver: many, failures: 'stop' }), log)
    expect(rows).toEqual([0, 1, 2, 3])
  })
})

describe('with several queries under way', () => {
  const settings = { solver: bayesian(), set: box({ lower: -3, upper: 3 }), maxIterations: undefined, maxQueries: 30 }
  /** Answers when it is told to; the oldest of those under way come first. */
  const byHand = () => {
    const calls: { number: number; answer(value: unknown): void; signal: AbortSignal | undefined }[] = []
    const f = functionObjective(
      (x, { iteration, signal }) =>
        new Promise<number>((resolve, reject) => {
          const answer = (value: unknown): void => (value instanceof Error ? reject(value) : resolve(bowl(x)))
          calls.push({ number: iteration, answer, signal })
        }),
      { dim: 2 },
    )
    return { f, calls, begun: () => calls.map(({ number }) => number) }
  }
  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) await new Promise((resolve) => setImmediate(resolve))
  }

  test('an answer makes room for one more query, in whatever order answers come', async () => {
    const session = begin({ ...settings, concurrency: 3 })
    const told: number[] = []
    const order = { next: () => undefined, told: ({ key }: Queries) => void told.push(key.iteration) }
    const { f, calls, begun } = byHand()
    const run = runToEnd(session, f, { order })
    expect(begun()).toEqual([1, 2, 3])
    const answered: number[] = []
    for (const k of [1, 0, 3, 4, 2]) {
      calls[k]?.answer(0)
      answered.push(k + 1)
      await until(() => begun().length === answered.length + 3)
      expect(told).toEqual(answered)
    }
    for (const k of [6, 5]) calls[k]?.answer(0)
    await until(() => begun().length === 10)
    expect(told.slice(5)).toEqual([7, 6])
    for (let k = 7; k < 30; k++) {
      await until(() => calls.length > k)
      calls[k]?.answer(0)
    }
    expect(await run).toMatchObject({ queries: 30, stopReason: 'max-queries' })
    expect(begun()).toEqual(Array.from({ length: 30 }, (_, k) => k + 1))
  })

  test('the order of an earlier run decides which answer is told next', async () => {
    const sequence = [2, 3, 1, 5, 4, 6, 8]
    const pending = [...sequence]
    const asked: number[] = []
    const inner = functionObjective(
      (x, { iteration }) => {
        asked.push(iteration)
        return bowl(x)
      },
      { dim: 2 },
    )
    const order = { next: () => pending.shift(), told: () => undefined }
    await runToEnd(begin({ ...settings, concurrency: 3 }), inner, { order })
    expect(asked.slice(0, 7)).toEqual(sequence)
    expect(asked.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, k) => k + 1))
  })

  test('answers given at once are as good as others', async () => {
    const mixed = functionObjective((x, { iteration }) => (iteration % 3 === 0 ? Promise.resolve(bowl(x)) : bowl(x)), {
      dim: 2,
    })
    const session = begin({ ...settings, concurrency: 4 })
    await iterationsOf(session, mixed)
    expect(session.outcome).toMatchObject({ queries: 30, iterations: 29 })
  })

  test.each<[string, (abort: () => void, first: (value: unknown) => void) => void, object]>([
    ['the signal', (abort) => abort(), { status: 'aborted', queries: 0 }],
    ['a failure', (_, first) => first(new Error('no')), { status: 'failed', queries: 1 }],
    ['a target', (_, first) => first(0), { stopReason: 'target', queries: 1 }],
  ])('%s ends the run, and what is under way is told to stop', async (_, end, expected) => {
    const controller = new AbortController()
    const session = begin({ ...settings, concurrency: 3, target: 100 })
    const { f, calls } = byHand()
    const run = runToEnd(session, f, { signal: controller.signal })
    end(
      () => controller.abort(),
      (value) => calls[0]?.answer(value),
    )
    expect(await run).toMatchObject(expected)
    expect(calls.map(({ signal }) => signal?.aborted)).toEqual([true, true, true])
  })

  test('an error that ends the run is thrown, and what is under way is told to stop', async () => {
    const session = begin({ ...settings, concurrency: 3 })
    const signals: (AbortSignal | undefined)[] = []
    const broken: Objective = {
      dim: 2,
      evaluate: ({ key }, _, signal) => {
        signals.push(signal)
        if (key.iteration < 3) return new Promise<void>(() => undefined)
        return Promise.reject(new ZerothError('invalid-objective', 'it is none'))
      },
    }
    await expect(runToEnd(session, broken)).rejects.toThrow('it is none')
    expect(signals.map((signal) => signal?.aborted)).toEqual([true, true, true])
  })
})
