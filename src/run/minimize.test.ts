import { describe, expect, test, vi } from 'vitest'
import { recordFailure } from '../core/answers.ts'
import type { Checkpoint } from '../core/checkpoint.ts'
import { type Failed, ZerothError } from '../core/errors.ts'
import type { HistoryRecord } from '../core/history.ts'
import type { Answers, Objective, Queries } from '../core/types.ts'
import { functionObjective } from '../objectives/function.ts'
import { box } from '../sets/box.ts'
import { zoAdaMM } from '../solvers/zo-adamm.ts'
import { zoSGD } from '../solvers/zo-sgd.ts'
import { type MinimizeOptions, minimize, minimizeSync } from './minimize.ts'

const solver = zoSGD({ directions: 2, learningRate: 0.05 })
const bowl = (x: ArrayLike<number>): number => Array.from(x).reduce((sum, each) => sum + each * each, 0)
const never = (): Promise<number> => new Promise(() => undefined)

/** The error of a run that must fail, with the outcome it carries. */
async function failureOf(run: Promise<unknown>): Promise<Error & { outcome: Failed }> {
  return run.then(
    () => expect.fail('the run did not fail'),
    (error: Error & { outcome: Failed }) => error,
  )
}

describe('minimize', () => {
  test('needs nothing but a function and a start', async () => {
    const result = await minimize(bowl, [1, 2])
    expect(result).toMatchObject({
      status: 'finished',
      stopReason: 'converged',
      queries: 61,
      iterations: 37,
      seed: 0,
    })
    expect(result.value).toBeLessThan(1e-12)
  })

  test('gives exactly these numbers for these options', async () => {
    // No transcendental function, no learning rate that may be tuned: every engine must find this.
    const result = await minimize(bowl, [1, 2], {
      solver: zoAdaMM({ directions: 3, learningRate: { value: 0.5, decay: 'sqrt' }, smoothing: 1 / 1024 }),
      maxIterations: 20,
      seed: 42,
    })
    expect(result).toMatchObject({ queries: 81, iterations: 20, value: 0.9389827333429156 })
    expect(Array.from(result.point)).toEqual([0.09911864867653548, 0.9639285382368618])
  })

  test('is the same for a function, a promise of it, an Objective, and batches', async () => {
    const options = { solver, maxIterations: 10, seed: 3 }
    const expected = await minimize(bowl, [1, 2], options)
    expect(await minimize(async (x) => bowl(x), [1, 2], options)).toEqual(expected)
    expect(await minimize(functionObjective(bowl, { dim: 2 }), [1, 2], options)).toEqual(expected)
    expect(await minimize((points) => points.map(bowl), [1, 2], { ...options, batched: true })).toEqual(expected)
    expect(minimizeSync(bowl, [1, 2], options)).toEqual(expected)
    expect(minimizeSync(functionObjective(bowl, { dim: 2 }), [1, 2], options)).toEqual(expected)
  })

  test('hands over points in float64 also where it computes in float32', async () => {
    const seen = new Set<unknown>()
    const result = await minimize(
      (x) => {
        seen.add(x.constructor)
        return x.every((each) => Math.fround(each) === each) ? bowl(x) : Number.NaN
      },
      [1.1, 2.2],
      { solver, precision: 'float32', maxIterations: 5 },
    )
    expect(Array.from(seen)).toEqual([Float64Array])
    expect(result.point).toBeInstanceOf(Float64Array)
  })

  test('passes concurrency, batch size and time-out on', async () => {
    let underWay = 0
    let most = 0
    await minimize(
      async (x) => {
        most = Math.max(most, ++underWay)
        await new Promise((resolve) => setTimeout(resolve))
        underWay--
        return bowl(x)
      },
      [1, 2],
      { solver, maxIterations: 2, concurrency: 3 },
    )
    expect(most).toBe(3)
    const sizes: number[] = []
    const count = (points: readonly Float64Array[]) => (sizes.push(points.length), points.map(bowl))
    await minimize(count, [1, 2], { solver, maxIterations: 1, batched: true, batchSize: 2 })
    expect(sizes).toEqual([2, 1, 1])
  })

  test('lets timers run during a long synchronous run', async () => {
    let now = 0
    let turns = 0
    let waiting = setImmediate(function turn() {
      turns++
      waiting = setImmediate(turn)
    })
    await minimize(bowl, [1, 2], { solver, maxIterations: 50, clock: () => (now += 20) })
    clearImmediate(waiting)
    expect(turns).toBeGreaterThan(3)
  })

  test.each([
    ['an asynchronous function', false],
    ['an asynchronous batched function', true],
  ])('lets timers run, and can be aborted, during a long run of %s that never really waits', async (_, batched) => {
    const busy = (): void => {
      const until = performance.now() + 1
      while (performance.now() < until);
    }
    const f = async (x: ArrayLike<number>): Promise<number> => {
      busy()
      return bowl(x)
    }
    const controller = new AbortController()
    setTimeout(() => controller.abort(), 20)
    const options = { solver, maxQueries: 3000, signal: controller.signal }
    const result = batched
      ? await minimize(async (points) => Promise.all(points.map(f)), [1, 2], { ...options, batched })
      : await minimize(f, [1, 2], options)
    expect(result.status).toBe('aborted')
    expect(result.queries).toBeLessThan(3000)
  })

  test.each(['batched', 'batchSize', 'concurrency', 'timeout'])(
    'refuses %s for an objective, where it would do nothing',
    async (name) => {
      const objective = functionObjective(bowl, { dim: 2 })
      const value = name === 'batched' ? true : 3
      await expect(minimize(objective, [1, 2], { [name]: value })).rejects.toThrow(
        `minimize.${name} is for functions; with an objective it does nothing: give it to the objective itself, or wrap it with timed or limited`,
      )
    },
  )

  test('refuses an object that cannot be asked', async () => {
    await expect(minimize({ dim: 2 } as never, [1, 2])).rejects.toThrow(
      'the objective is an object without evaluate(queries, into, signal)',
    )
  })

  test.each(['stop', 'skip', 'worst'] as const)(
    'an objective that is not set up as it should be ends the run under the policy "%s", and nothing is counted',
    async (failures) => {
      const broken: Objective = {
        dim: 2,
        evaluate: (queries, into) => {
          const reason = new ZerothError('invalid-objective', 'there is no such program')
          for (let row = 0; row < queries.rows; row++) recordFailure(into, row, reason)
        },
      }
      const error = await failureOf(minimize(broken, [1, 2], { failures }))
      expect(error).toMatchObject({ code: 'invalid-objective', message: 'there is no such program' })
      expect(error.outcome.queries).toBe(0)
    },
  )

  test('an error that ends a run can be written as JSON', async () => {
    const error = await failureOf(minimize(() => Number.NaN, [1, 2]))
    expect(error.outcome.queries).toBe(1)
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ code: 'objective-failed' })
  })

  test('many runs may share one signal without a warning', async () => {
    const warned = vi.fn()
    process.on('warning', warned)
    const { signal } = new AbortController()
    await Promise.all(
      Array.from({ length: 20 }, () => minimize(async (x) => bowl(x), [1, 2], { solver, signal, maxIterations: 2 })),
    )
    await new Promise((resolve) => setTimeout(resolve, 5))
    process.off('warning', warned)
    expect(warned).not.toHaveBeenCalled()
  })

  test('can be aborted during a long synchronous run', async () => {
    const controller = new AbortController()
    let now = 0
    setTimeout(() => controller.abort())
    const result = await minimize(bowl, [1, 2], { solver, signal: controller.signal, clock: () => (now += 20) })
    expect(result).toMatchObject({ status: 'aborted', stopReason: 'aborted' })
    expect(result.value).toBeLessThanOrEqual(5)
  })

  test('an abort is a result, not an exception, with the best point so far', async () => {
    const controller = new AbortController()
    const result = await minimize((x, { iteration }) => (iteration < 4 ? bowl(x) : never()), [1, 2], {
      solver,
      signal: controller.signal,
      onIteration: ({ iteration }) => {
        if (iteration === 3) setTimeout(() => controller.abort(), 2)
      },
    })
    expect(result).toMatchObject({ status: 'aborted', iterations: 3, queries: 9 })
    expect(result.value).toBe(bowl(result.point))
    expect(result.history).toHaveLength(3)
  })

  test('stops listening to the signal, however it ends', async () => {
    const { signal } = new AbortController()
    const added = vi.spyOn(signal, 'addEventListener')
    const removed = vi.spyOn(signal, 'removeEventListener')
    await minimize(bowl, [1, 2], { solver, maxIterations: 2, signal })
    await failureOf(minimize(() => Number.NaN, [1, 2], { solver, signal }))
    minimizeSync(bowl, [1, 2], { solver, maxIterations: 2, signal })
    expect(removed.mock.calls).toEqual(added.mock.calls)
    expect(added).toHaveBeenCalledTimes(3)
  })

  test('a promise that never settles ends by time-out, by maxTime, or by signal', async () => {
    const skip = { solver, failures: 'skip', maxIterations: 1, timeout: 3, concurrency: 3 } as const
    const timedOut = await minimize(never, [1, 2], skip)
    expect(timedOut).toMatchObject({ stopReason: 'max-iterations', skippedIterations: 1, queries: 7 })
    expect(timedOut.failures.count).toBe(7)
    expect(await minimize(never, [1, 2], { solver, maxTime: 5 })).toMatchObject({ stopReason: 'max-time', queries: 0 })
    expect(await minimize(never, [1, 2], { solver, signal: AbortSignal.timeout(5) })).toMatchObject({
      status: 'aborted',
    })
  })
})

describe('onIteration', () => {
  test('is called once per iteration, with its record', async () => {
    const records: HistoryRecord[] = []
    const result = await minimize(bowl, [1, 2], {
      solver,
      maxIterations: 4,
      onIteration: (record) => records.push(record),
    })
    expect(records).toEqual(result.history)
    expect(records.map(({ iteration, queries }) => [iteration, queries])).toEqual([
      [1, 3],
      [2, 6],
      [3, 9],
      [4, 12],
    ])
  })

  test('ends the run by returning "stop"', async () => {
    for (const f of [bowl, async (x: Float64Array) => bowl(x)]) {
      const result = await minimize(f, [1, 2], {
        solver,
        onIteration: ({ iteration }) => (iteration === 3 ? 'stop' : 'go'),
      })
      expect(result).toMatchObject({ status: 'finished', stopReason: 'callback', iterations: 3, queries: 9 })
    }
  })

  test('that throws rejects the run', async () => {
    const onIteration = () => {
      throw new Error('mine')
    }
    await expect(minimize(bowl, [1, 2], { solver, onIteration })).rejects.toThrow('mine')
  })

  test('sees the iteration that reached the target', async () => {
    const records: HistoryRecord[] = []
    const result = await minimize(bowl, [1, 2], { solver, target: 4.5, onIteration: (record) => records.push(record) })
    expect(result.stopReason).toBe('target')
    expect(records.at(-1)?.value).toBe(result.value)
  })
})

describe('a failure', () => {
  const failing = (value: () => unknown) =>
    ((x: Float64Array, { iteration, row }: { iteration: number; row: number }) =>
      iteration === 3 && row === 1 ? value() : bowl(x)) as (x: Float64Array) => number

  test.each<[string, () => unknown, string, number?]>([
    ['NaN', () => Number.NaN, 'the objective returned NaN'],
    ['Infinity', () => Infinity, 'the objective returned Infinity'],
    ['-Infinity', () => -Infinity, 'the objective returned -Infinity'],
    ['a string', () => 'three', 'the objective returned "three" instead of a number'],
    ['undefined', () => undefined, 'the objective returned undefined instead of a number'],
    [
      'a throw',
      () => {
        throw new RangeError('too hot')
      },
      'RangeError: too hot',
    ],
    ['a rejection', () => Promise.reject(new RangeError('too hot')), 'RangeError: too hot'],
    // What does not answer in time is the last that is asked.
    ['silence', never, 'ZerothError: the objective did not answer within 4 ms', 8],
  ])('by %s under the policy stop is thrown, with what was found so far', async (_, value, reason, queries = 9) => {
    const error = await failureOf(minimize(failing(value), [1, 2], { solver, timeout: 4 }))
    expect(error).toMatchObject({
      name: 'ZerothError',
      code: 'objective-failed',
      message: `a query failed (iteration 3, row 1 of 3): ${reason}; the policies failures: "skip" and "worst" go on without it`,
    })
    expect(error.outcome).toMatchObject({ status: 'failed', stopReason: 'objective-failed', iterations: 2, queries })
    expect(error.outcome.failures.count).toBe(1)
    expect(error.outcome.value).toBe(bowl(error.outcome.point))
    expect(error.outcome.value).toBeLessThan(5)
    expect(error.outcome.error).toBe(error)
  })

  test.each<['skip' | 'worst']>([['skip'], ['worst']])(
    'of any kind under the policy %s is counted and left behind',
    async (failures) => {
      const kinds = [
        () => Number.NaN,
        () => -Infinity,
        () => 'three',
        () => undefined,
        () => {
          throw new Error('too hot')
        },
        () => Promise.reject(new Error('too hot')),
        never,
      ]
      for (const value of kinds) {
        const result = await minimize(failing(value), [1, 2], { solver, failures, timeout: 4, maxIterations: 6 })
        expect(result).toMatchObject({ status: 'finished', iterations: 6, queries: 19, skippedIterations: 0 })
        expect(result.failures.count).toBe(1)
        expect(result.point.every(Number.isFinite)).toBe(true)
      }
    },
  )

  test('of a short batch says what came back', async () => {
    const short = (points: readonly Float64Array[]) => points.slice(1).map(bowl)
    const error = await failureOf(minimize(short, [1, 2], { solver, batched: true }))
    expect(error.message).toBe(
      'a query failed (iteration 1, row 0 of 3): the objective returned Array(2) for 3 points; one number each is needed; the policies failures: "skip" and "worst" go on without it',
    )
    expect(error.outcome.failures.count).toBe(3)
  })

  test('of the cause is kept', async () => {
    const cause = new RangeError('too hot')
    const error = await failureOf(minimize(() => Promise.reject(cause), [1, 2], { solver }))
    expect(error.cause).toBe(cause)
  })
})

describe('the objective', () => {
  test.each<[unknown, string]>([
    [3, 'the objective must be a function or an Objective, got 3'],
    [null, 'the objective must be a function or an Objective, got null'],
    [undefined, 'the objective must be a function or an Objective, got undefined'],
    ['x => x', 'the objective must be a function or an Objective, got "x => x"'],
  ])('cannot be %o', async (f, message) => {
    await expect(minimize(f as never, [1, 2])).rejects.toThrow(
      expect.objectContaining({ code: 'invalid-objective', message }),
    )
  })

  test('must have as many variables as the start', async () => {
    await expect(minimize(functionObjective(bowl, { dim: 3 }), [1, 2])).rejects.toThrow(
      'the objective has 3 variables, the start 2',
    )
  })

  test('that fills only some rows has failed in the others', async () => {
    const lazy: Objective = {
      dim: 2,
      evaluate(queries: Queries, into: Answers) {
        for (let row = 0; row < queries.rows - 1; row++) into.values[row] = 1
      },
    }
    const error = await failureOf(minimize(lazy, [1, 2], { solver }))
    expect(error.message).toContain('row 2 of 3): the objective returned NaN')
  })
})

describe('a stochastic objective', () => {
  test('sees the same sample on both sides of a difference', async () => {
    const samples = new Map<number, Set<number>>()
    await minimize(
      (x, { sample, iteration }) => {
        samples.set(iteration, (samples.get(iteration) ?? new Set()).add(sample))
        return bowl(x) + (sample % 7)
      },
      [1, 2],
      { solver, maxIterations: 5 },
    )
    // One sample per iteration, and one for the last point.
    expect(Array.from(samples.values(), (each) => each.size)).toEqual([1, 1, 1, 1, 1, 1])
  })

  test('with noise that both sides share is solved as if there were none', async () => {
    const noise = (sample: number) => (sample / 4294967296 - 0.5) * 100
    const options: MinimizeOptions = { solver, maxIterations: 30, seed: 1 }
    const noisy = await minimize((x, { sample }) => bowl(x) + noise(sample), [1, 2], options)
    const clean = await minimize(bowl, [1, 2], options)
    noisy.last.point.forEach((each, i) => expect(each).toBeCloseTo(clean.last.point[i] as number, 9))
  })

  test('that is a finite sum draws distinct terms, and all of them where samples and population agree', async () => {
    const terms: number[][] = []
    const draw = (samples: number) =>
      minimize(
        (x, { sample, row }) => {
          if (row === 0) terms.push([])
          if (row < samples) terms.at(-1)?.push(sample)
          return bowl(x)
        },
        [1, 2],
        { solver: zoSGD({ directions: 1, samples }), population: 5, maxIterations: 10 },
      )
    await draw(3)
    expect(terms.every((each) => new Set(each).size === 3 && each.every((term) => term < 5))).toBe(true)
    expect(new Set(terms.flat()).size).toBe(5)
    terms.length = 0
    await draw(5)
    expect(terms.every((each) => String(each) === '0,1,2,3,4')).toBe(true)
  })
})

describe('minimizeSync', () => {
  test('refuses a promise', () => {
    expect(() => minimizeSync(async (x) => bowl(x), [1, 2])).toThrow(
      'minimizeSync: the objective returned a promise; use minimize',
    )
  })

  test('makes no promise', () => {
    const then = vi.spyOn(Promise.prototype, 'then')
    minimizeSync(bowl, [1, 2], { solver, maxIterations: 20 })
    expect(then).not.toHaveBeenCalled()
    then.mockRestore()
  })

  test('keeps to the set, the callback and the target', () => {
    const set = box({ lower: 0.5, upper: 3 })
    const result = minimizeSync(bowl, [1, 2], { solver, set, maxIterations: 200 })
    expect(result.value).toBeGreaterThanOrEqual(0.5)
    expect(set.contains(result.point)).toBe(true)
    expect(minimizeSync(bowl, [1, 2], { solver, onIteration: () => 'stop' }).stopReason).toBe('callback')
    expect(minimizeSync(bowl, [1, 2], { solver, target: 4.9 }).stopReason).toBe('target')
  })

  test('throws the failure of an objective with its outcome', () => {
    expect(() => minimizeSync(() => Number.NaN, [1, 2], { solver })).toThrow(
      expect.objectContaining({
        code: 'objective-failed',
        outcome: expect.objectContaining({ status: 'failed', queries: 3 }),
      }),
    )
  })
})

test('historySize bounds the history', async () => {
  const result = await minimize(bowl, [1, 2], { solver, maxIterations: 100, historySize: 8 })
  expect(result.history.map((record) => record.iteration)).toEqual([1, 17, 33, 49, 65, 81, 97, 100])
})

describe('a callback', () => {
  test('may be asynchronous: it is waited for, and may stop the run', async () => {
    const seen: number[] = []
    const result = await minimize(bowl, [1, 2], {
      solver,
      onIteration: async ({ iteration }) => {
        await Promise.resolve()
        seen.push(iteration)
        return iteration === 3 ? 'stop' : undefined
      },
    })
    expect(seen).toEqual([1, 2, 3])
    expect(result).toMatchObject({ stopReason: 'callback', iterations: 3 })
  })

  test('is refused by minimizeSync where it returns a promise', () => {
    expect(() => minimizeSync(bowl, [1, 2], { solver, onIteration: async () => undefined })).toThrow(
      'minimizeSync.onIteration returned a promise; use minimize',
    )
  })

  test('that throws ends the run with its error, which carries what was found and where to go on', async () => {
    const failing = minimize(bowl, [1, 2], {
      solver,
      maxIterations: 9,
      onIteration: ({ iteration }) => {
        if (iteration === 4) throw new Error('disk full')
      },
    })
    const error = await failing.then(
      () => undefined,
      (each: ZerothError) => each,
    )
    expect(error).toMatchObject({ message: 'disk full', outcome: { status: 'aborted', iterations: 4 } })
    const resumed = await minimize(bowl, [1, 2], { solver, maxIterations: 9, resume: error?.checkpoint as Checkpoint })
    expect(resumed).toEqual(await minimize(bowl, [1, 2], { solver, maxIterations: 9 }))
  })

  test('is given the session, for checkpoints on the way', async () => {
    const iterations: number[] = []
    await minimize(bowl, [1, 2], {
      solver,
      maxIterations: 3,
      onIteration: (_, session) => void iterations.push(session.checkpoint().iteration),
    })
    expect(iterations).toEqual([1, 2, 3])
  })
})

test('says when the budget allows no iteration and when every query failed', async () => {
  const none = await minimize(bowl, [1, 2], { solver, maxQueries: 2 })
  expect(none).toMatchObject({ iterations: 0, queries: 1 })
  expect(none.warnings).toEqual(["the budget allows no iteration: one takes 4 queries with the last point's value"])
  const failed = await minimize(() => Number.NaN, [1, 2], { solver, maxQueries: 50, failures: 'skip' })
  expect(failed.warnings).toEqual(['every query failed'])
})

test('the default learning rate of ZO-AdaMM descends in a hundred thousand dimensions', async () => {
  const dim = 100_000
  const mean = (x: Float64Array) => x.reduce((sum, value) => sum + (value - 1) * (value - 1), 0) / dim
  const result = await minimize(mean, new Float64Array(dim), { maxQueries: 600 })
  expect(result.last.value).toBeLessThan(0.999)
})
