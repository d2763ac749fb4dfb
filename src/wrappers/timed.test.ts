import { describe, expect, test, vi } from 'vitest'
import { answersTo, asking, rowsToAsk } from '../../test/conformance/wrapper.ts'
import type { Answers, Objective } from '../core/types.ts'
import { functionObjective } from '../objectives/function.ts'
import { limited } from './limited.ts'
import { timed } from './timed.ts'

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
const never = new Promise<never>(() => undefined)

describe('an evaluation that takes too long', () => {
  test('fails what has no answer then, with an error that names the limit', async () => {
    const inner = functionObjective((x) => ((x[0] as number) < 2 ? Promise.resolve(x[0] as number) : never), { dim: 3 })
    const answers = await answersTo(timed(inner, { timeout: 10 }), rowsToAsk(4))
    expect(Array.from(answers.values)).toEqual([0, 1, Number.NaN, Number.NaN])
    expect(Array.from(answers.failed)).toEqual([0, 0, 1, 1])
    expect(answers.reasons[3]).toMatchObject({
      name: 'ZerothError',
      code: 'query-failed',
      message: 'the objective did not answer within 10 ms',
    })
  })

  test('is told to stop, for that reason, and what it still says is dropped', async () => {
    let own: Answers | undefined
    let reason: unknown
    const inner: Objective = {
      dim: 3,
      async evaluate({ rows }, into, signal) {
        own = into
        signal?.addEventListener('abort', () => {
          reason = signal.reason
        })
        await wait(30)
        into.values.fill(5, 0, rows)
        into.failed.fill(1, 0, rows)
        into.retries = 9
      },
    }
    const answers = await answersTo(timed(inner, { timeout: 5 }), rowsToAsk(2))
    expect(reason).toBe(answers.reasons[0])
    await wait(40)
    expect(own?.values[0]).toBe(5)
    expect(Array.from(answers.values)).toEqual([Number.NaN, Number.NaN])
    expect(answers.retries).toBe(0)
  })

  test('under a limit of concurrency is one query alone', async () => {
    const inner = functionObjective((x) => (x[0] === 1 ? never : Promise.resolve(x[0] as number)), { dim: 3 })
    const answers = await answersTo(limited(timed(inner, { timeout: 10 }), { concurrency: 2 }), rowsToAsk(5))
    expect(Array.from(answers.failed)).toEqual([0, 1, 0, 0, 0])
    expect(Array.from(answers.values)).toEqual([0, Number.NaN, 2, 3, 4])
  })

  test('costs later ones the memory that rows are kept in, as it may still write there', async () => {
    const memory = new Float64Array(3)
    let hangs = false
    const inner: Objective = {
      dim: 3,
      async evaluate(_, into) {
        if (hangs) await never
        into.values[0] = 1
        into.kept = memory
      },
    }
    const objective = timed(inner, { timeout: 5 })
    expect((await answersTo(objective, rowsToAsk(1))).kept).toBe(memory)
    hangs = true
    await answersTo(objective, rowsToAsk(1))
    hangs = false
    expect((await answersTo(objective, rowsToAsk(1))).kept).toBeNull()
  })
})

test('passes on what was cached and retried inside', async () => {
  const inner: Objective = {
    dim: 3,
    async evaluate(_, into) {
      into.values.set([1, 2])
      into.cached?.set([0, 1])
      into.retries = 3
    },
  }
  const answers = await answersTo(timed(inner, { timeout: 1000 }), rowsToAsk(2))
  expect([Array.from(answers.values), Array.from(answers.cached ?? []), answers.retries]).toEqual([[1, 2], [0, 1], 3])
})

test('leaves neither timer nor listener behind, in time or not', async () => {
  vi.useFakeTimers()
  try {
    const { signal } = new AbortController()
    const [add, remove] = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')]
    let hangs = false
    const objective = timed(
      functionObjective(() => (hangs ? never : Promise.resolve(1)), { dim: 3 }),
      { timeout: 50 },
    )
    await answersTo(objective, rowsToAsk(2), signal)
    hangs = true
    const { work } = asking(objective, rowsToAsk(2), signal)
    expect(vi.getTimerCount()).toBe(1)
    await vi.advanceTimersByTimeAsync(50)
    await work
    expect(vi.getTimerCount()).toBe(0)
    expect(add.mock.calls.length).toBeGreaterThan(0)
    expect(remove).toHaveBeenCalledTimes(add.mock.calls.length)
  } finally {
    vi.useRealTimers()
  }
})

test('ends at once when the signal fires, even if the objective does not listen', async () => {
  const controller = new AbortController()
  const inner = functionObjective(() => never, { dim: 3 })
  const { answers, work } = asking(timed(inner, { timeout: 60_000 }), rowsToAsk(2), controller.signal)
  controller.abort()
  await work
  expect(Array.from(answers.failed)).toEqual([0, 0])
  expect(Array.from(answers.values)).toEqual([Number.NaN, Number.NaN])
})
