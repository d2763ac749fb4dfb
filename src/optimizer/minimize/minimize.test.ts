import fc from 'fast-check'
import { describe, expect, expectTypeOf, test, vi } from 'vitest'
import {
  createSession,
  decodeCheckpoint,
  encodeCheckpoint,
  type NamedPoint,
  namedVariables,
  type PointOf,
  points,
  type QueryContext,
} from '../../index.ts'
import { recordFailure } from '../core/answers.ts'
import { type Failed, ZerothError } from '../core/errors.ts'
import { fingerprint } from '../core/part.ts'
import type { Answers, Checkpoint, HistoryRecord, Objective, Queries } from '../core/types.ts'
import { usualAuto } from '../methods/auto.ts'
import { auto } from '../methods/auto-part.ts'
import { zoAdaMM, zoSGD } from '../methods/presets.ts'
import { functionObjective } from '../objectives/function.ts'
import { l2Ball } from '../parts/sets/balls.ts'
import { box } from '../parts/sets/boxes.ts'
import { type MinimizeOptions, maximize, minimize } from './minimize.ts'
import { minimizeMany } from './minimize-many.ts'
import { minimizeSync } from './minimize-sync.ts'

describe('variable options', () => {
  const variables = { rate: { from: 1e-5, to: 0.1, scale: 'log' }, width: { from: 0, to: 4 } } as const
  const ln = Math.log

  /** Lowest at rate = 0.003 and width = 2.5. */
  const valley = ({ rate, width }: PointOf<typeof variables>): number =>
    (ln(rate) - ln(0.003)) ** 2 + (width - 2.5) ** 2

  const asObjective: Objective = {
    dim: 2,
    evaluate(queries, into) {
      for (const [i, [rate = 0, width = 0]] of points(queries).entries()) into.values[i] = valley({ rate, width })
    },
  }

  describe('variables with names', () => {
    test('the function gets names, the result has them in own units, and the compiler knows them', async () => {
      const result = await minimize(
        ({ rate, width }) => {
          expectTypeOf(rate).toEqualTypeOf<number>()
          return valley({ rate, width })
        },
        { variables: { rate: { from: 1e-5, to: 0.1, scale: 'log' }, width: { from: 0, to: 4 } }, maxQueries: 4000 },
      )
      expectTypeOf(result.variables).toEqualTypeOf<{ readonly rate: number; readonly width: number }>()
      expect(result.variables.rate).toBeCloseTo(0.003, 4)
      expect(result.variables.width).toBeCloseTo(2.5, 2)
      expect(Object.keys(result.variables)).toEqual(['rate', 'width'])
      expect([...result.point]).toEqual(Object.values(result.variables))
      expect(valley(result.variables)).toBe(result.value)
      expect(valley({ rate: result.last.point[0] ?? 0, width: result.last.point[1] ?? 0 })).toBe(result.last.value)
    })

    test('a name that there is not is an error of the compiler', () => {
      // @ts-expect-error: there is no variable depth.
      void (() => minimize(({ depth }) => depth, { variables }))
      // @ts-expect-error: a start has the names of variables.
      void (() => minimize(valley, { depth: 1 }, { variables }))
    })

    test('a run begins in the scaled middle, or where it is told', async () => {
      const asked: NamedPoint[] = []
      const f = (x: NamedPoint): number => asked.push(x)
      const options = { variables, maxIterations: 0 }
      await minimize(f, options)
      await minimize(f, { rate: 0.05 }, options)
      await minimize(f, [1e-5, 4], options)
      expect(asked[0]?.rate).toBeCloseTo(0.001, 15)
      expect(asked[0]?.width).toBe(2)
      expect(asked[1]?.rate).toBeCloseTo(0.05, 15)
      expect(asked[1]?.width).toBe(2)
      expect(asked[2]).toEqual({ rate: 1e-5, width: 4 })
    })

    test('all ways of asking give the same bits', async () => {
      const options = { variables, seed: 3, maxQueries: 200 }
      const one = await minimize(valley, options)
      const later = await minimize(async (x) => valley(x), options)
      const many = await minimize((all) => all.map(valley), { ...options, batched: true, batchSize: 4 })
      const lists = await minimize(asObjective, options)
      for (const other of [later, many, lists, minimizeSync(valley, options)]) expect(other).toEqual(one)
    })

    test('a function may keep its points: each call has its own', () => {
      const seen = new Set<NamedPoint>()
      minimizeSync((x) => valley((seen.add(x), x)), { variables, maxQueries: 50 })
      expect(seen.size).toBeGreaterThan(40)
    })

    test('maximize and minimizeMany take them, too', async () => {
      const best = await maximize((x) => -valley(x), { variables, seed: 3, maxQueries: 500 })
      const { runs } = await minimizeMany(valley, { variables, seeds: [3], maxQueries: 500 })
      expect(best.variables).toEqual(runs[0]?.variables)
      expect(best.value).toBe(-(runs[0]?.value ?? 0))
    })

    test('a checkpoint resumes to the same bits, and only with the same variables', async () => {
      const options = { variables, seed: 5 }
      const whole = await minimize(valley, { ...options, maxIterations: 40 })
      let saved = ''
      const onIteration = (_: unknown, session: { checkpoint(): never }): void => {
        saved = encodeCheckpoint(session.checkpoint())
      }
      await minimize(valley, { ...options, maxIterations: 17, onIteration: onIteration as never })
      const resume = decodeCheckpoint(saved)
      const resumed = await minimize(valley, { ...options, maxIterations: 40, resume })
      expect(resumed.point).toEqual(whole.point)
      expect(resumed.last).toEqual(whole.last)
      const other = { ...variables, width: { from: 0, to: 5 } }
      await expect(minimize(valley, { variables: other, seed: 5, resume })).rejects.toThrow(/resume.set is variables\(/)
    })

    test('a session asks in own units and tells the best by name', () => {
      const session = createSession(
        { width: 1 },
        { solver: zoAdaMM(), variables: namedVariables(variables), maxQueries: 60 },
      )
      while (session.outcome === undefined) {
        session.tell(points(session.ask()).map(([rate = 0, width = 0]) => valley({ rate, width })))
      }
      expect(session.best.variables).toEqual(session.outcome.variables)
      expect(session.outcome.value).toBe(valley(session.outcome.variables as PointOf<typeof variables>))
    })

    test.each(['float64', 'float32'] as const)('no query is ever outside, in %s, whatever the bounds', (precision) => {
      const bound = fc.double({ min: -1e6, max: 1e6, noNaN: true })
      const range = fc.tuple(bound, bound).filter(([a, b]) => a !== b)
      fc.assert(
        fc.property(range, range, fc.boolean(), fc.nat(1000), ([a, b], [c, d], isLog, seed) => {
          const [from, to] = [Math.min(a, b), Math.max(a, b)]
          const [low, high] = [Math.min(c, d), Math.max(c, d)].map((each) => (isLog ? 10 ** (each / 1e4) : each))
          if (!((high as number) > (low as number))) return
          const ranges = {
            x: { from, to },
            y: { from: low as number, to: high as number, scale: isLog ? ('log' as const) : ('linear' as const) },
          }
          // Downhill towards a corner, in steps that are far too long.
          const f = ({ x, y }: PointOf<typeof ranges>, { iteration }: QueryContext): number => {
            expect(x >= from && x <= to && y >= ranges.y.from && y <= ranges.y.to).toBe(true)
            return iteration % 20 < 10 ? x + y : -x - y
          }
          minimizeSync(f, { variables: ranges, seed, precision, maxQueries: 300, solver: zoAdaMM({ learningRate: 1 }) })
        }),
        { numRuns: 60, seed: 1 },
      )
    })
  })

  describe('what is refused', () => {
    const f = (): number => 0
    test.each<[string, unknown, RegExp]>([
      ['no variables', {}, /^minimize.variables must hold at least one variable, got/],
      ['a list', [[0, 1]], /^minimize.variables must be an object of variables, as in \{ rate:/],
      [
        'a pair',
        { a: [0, 1] },
        /^minimize.variables.a must be \{ from, to \} or \{ choices: \[\.\.\.\] \}, got Array\(2\)/,
      ],
      ['no end', { a: { from: 0 } }, /^minimize.variables.a.to is required/],
      ['ends in the wrong order', { a: { from: 1, to: 0 } }, /^minimize.variables.a.to must be above from, 1, got 0/],
      ['equal ends', { a: { from: 1, to: 1 } }, /^minimize.variables.a.to must be above from, 1, got 1/],
      [
        'infinite ends',
        { a: { from: 0, to: Infinity } },
        /^minimize.variables.a.to must be a finite number, got Infinity/,
      ],
      ['NaN', { a: { from: Number.NaN, to: 1 } }, /^minimize.variables.a.from must be a finite number, got NaN/],
      ['too wide a range', { a: { from: -1e308, to: 1e308 } }, /^minimize.variables.a.to is too far from -1e\+308/],
      [
        'log from 0',
        { a: { from: 0, to: 1, scale: 'log' } },
        /^minimize.variables.a.from must be above 0 for the scale log, got 0/,
      ],
      [
        'an unknown scale',
        { a: { from: 0, to: 1, scale: 'ln' } },
        /^minimize.variables.a.scale must be one of "linear", "log", got "ln"/,
      ],
      [
        'an unknown option',
        { a: { from: 0, too: 1, to: 1 } },
        /^minimize.variables.a has no option too; did you mean to\?/,
      ],
      [
        'an empty name',
        { '': { from: 0, to: 1 } },
        /^minimize.variables. cannot be the name of a variable \(""\): a name begins with a letter/,
      ],
      ['a number as a name', { 7: { from: 0, to: 1 } }, /^minimize.variables.7 cannot be the name of a variable/],
      [
        'a name of JavaScript',
        { constructor: { from: 0, to: 1 } },
        /cannot be the name of a variable \("constructor"\)/,
      ],
      [
        'what other libraries write for whole numbers',
        { a: { from: 0, to: 9, type: 'integer' } },
        /^minimize.variables.a.type is not an option of a variable: whole numbers are step: 1, got "integer"/,
      ],
    ])('%s', async (_, given, message) => {
      await expect(minimize(f, { variables: given as never })).rejects.toThrow(message)
    })

    test.each<[string, unknown, RegExp]>([
      ['a start outside', { rate: 1 }, /^start.rate must be a number from 0.00001 to 0.1, got 1$/],
      ['a start that is no number', { width: 'wide' }, /^start.width must be a number from 0 to 4, got "wide"$/],
      ['NaN', [0.01, Number.NaN], /^start.width must be a number from 0 to 4, got NaN$/],
      ['a hole', [0.01, undefined], /^start.width must be a number from 0 to 4, got null$/],
      ['an unknown name', { with: 1 }, /^start.with is no variable; did you mean width\? \(known: rate, width\)$/],
      ['a list that is too short', [0.01], /^the start must have one number for each of rate, width, got 1 of them$/],
      ['a number', 3, /^the start must be a list of numbers or an object with some of rate, width, got 3$/],
    ])('%s', async (_, start, message) => {
      await expect(minimize(f, start as never, { variables })).rejects.toThrow(message)
    })

    test('a set besides', async () => {
      const both = { variables, set: box({ lower: 0 }) }
      await expect(minimize(f, both)).rejects.toThrow(
        /^the options set and variables exclude each other: each variable has its own bounds/,
      )
    })

    test('an objective with another number of variables', async () => {
      const objective = { dim: 3, evaluate: () => undefined }
      await expect(minimize(objective, { variables })).rejects.toThrow('the objective has 3 variables, but 2 are named')
    })

    test('a session is told how variables are made', () => {
      const plain = { solver: zoAdaMM(), variables: variables as never }
      expect(() => createSession({}, plain)).toThrow('session.variables must be made by namedVariables')
    })
  })
})

describe('minimize', () => {
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

    test.each(['batched', 'batchSize', 'timeout'])(
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
      expect(await minimize(never, [1, 2], { solver, maxTime: 5 })).toMatchObject({
        stopReason: 'max-time',
        queries: 0,
      })
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
      const result = await minimize(bowl, [1, 2], {
        solver,
        target: 4.5,
        onIteration: (record) => records.push(record),
      })
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
      const error = await failureOf(minimize(failing(value), [1, 2], { solver, failures: 'stop', timeout: 4 }))
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

    test.each<['avoid' | 'skip' | 'worst']>([['avoid'], ['skip'], ['worst']])(
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

    test('away from the start is a place to keep away from: a likelihood whose deviation must be above 0', async () => {
      const data = [1.2, 3.4, 2.2, 0.7, 5.1, 2.9]
      const counts: number[] = []
      for (const scale of [0.1, 1, 30]) {
        const unlikely = ([mean = 0, deviation = 0]: Float64Array): number =>
          data.reduce((sum, v) => sum + Math.log(deviation) + ((scale * v - mean) / deviation) ** 2 / 2, 0)
        const { point, stopReason, failures } = await minimize(unlikely, [0, 1])
        expect(stopReason).toBe('converged')
        counts.push(failures.count)
        expect(point[0]).toBeCloseTo((scale * 15.5) / 6, 5)
        expect(point[1]).toBeCloseTo(scale * Math.sqrt(data.reduce((sum, v) => sum + (v - 15.5 / 6) ** 2, 0) / 6), 5)
      }
      expect(counts.filter((count) => count > 0)).toHaveLength(2)
    })

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
      const error = await failureOf(minimize(lazy, [1, 2], { solver, failures: 'stop' }))
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
      const resumed = await minimize(bowl, [1, 2], {
        solver,
        maxIterations: 9,
        resume: error?.checkpoint as Checkpoint,
      })
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
})

describe('maximize', () => {
  const options = { solver: zoSGD({ directions: 2, learningRate: 0.05 }), maxIterations: 30 }
  const hill = (x: ArrayLike<number>): number => 3 - Array.from(x).reduce((sum, each) => sum + each * each, 0)

  test('finds a maximum, and all values are those of the function itself', async () => {
    const records: HistoryRecord[] = []
    const result = await maximize(hill, [1, 2], { ...options, onIteration: (record) => records.push(record) })
    expect(result.value).toBe(hill(result.point))
    expect(result.last.value).toBe(hill(result.last.point))
    expect(result.value).toBeGreaterThan(-2)
    expect(result.history[0]).toEqual({ iteration: 1, queries: 3, value: -2, best: -2 })
    expect(result.history.map((record) => record.best)).toEqual(
      result.history.map((_, i) => Math.max(...result.history.slice(0, i + 1).map((record) => record.value))),
    )
    expect(records).toEqual(result.history)
  })

  test('takes the path of minimising the negative', async () => {
    const up = await maximize(hill, [1, 2], options)
    const down = await minimize((x) => -hill(x), [1, 2], options)
    expect(up).toEqual({
      ...down,
      value: -down.value,
      last: { ...down.last, value: -down.last.value },
      history: down.history.map((record) => ({ ...record, value: -record.value, best: -record.best })),
    })
  })

  test('is the same for promises, other thenables, objectives and batches', async () => {
    const expected = await maximize(hill, [1, 2], options)
    expect(await maximize(async (x) => hill(x), [1, 2], options)).toEqual(expected)
    const thenable = (x: Float64Array) =>
      ({ then: (done: (value: number) => void) => done(hill(x)) }) as Promise<number>
    expect(await maximize(thenable, [1, 2], options)).toEqual(expected)
    expect(await maximize(functionObjective(hill, { dim: 2 }), [1, 2], options)).toEqual(expected)
    expect(
      await maximize(
        functionObjective(async (x) => hill(x), { dim: 2 }),
        [1, 2],
        options,
      ),
    ).toEqual(expected)
    expect(await maximize((points) => points.map(hill), [1, 2], { ...options, batched: true })).toEqual(expected)
    const typed = async (points: readonly Float64Array[]) => Float64Array.from(points, hill)
    expect(await maximize(typed, [1, 2], { ...options, batched: true })).toEqual(expected)
  })

  test('the target is a value of the function', async () => {
    const result = await maximize(hill, [1, 2], { ...options, maxIterations: 500, target: -1 })
    expect(result.stopReason).toBe('target')
    expect(result.value).toBeGreaterThanOrEqual(-1)
    expect(result.value).toBeLessThan(3)
  })

  test('a failure carries the outcome in values of the function', async () => {
    const failing = (x: ArrayLike<number>, { iteration }: { iteration: number }) =>
      iteration === 3 ? Infinity : hill(x)
    const error = await maximize(failing, [1, 2], { ...options, failures: 'stop' }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'objective-failed', outcome: { status: 'failed', iterations: 2 } })
    expect(error).toHaveProperty('message', expect.stringContaining('the objective returned Infinity'))
    const { outcome } = error as { outcome: { value: number; point: Float64Array; history: HistoryRecord[] } }
    expect(outcome.value).toBe(hill(outcome.point))
    expect(outcome.history[0]?.value).toBe(-2)
  })

  test('the policy worst puts the smallest value in the place of a missing one', async () => {
    const seen: number[] = []
    const result = await maximize(
      (x, { row, iteration }) => {
        if (row === 1 && iteration > 1) return Number.NaN
        const value = hill(x)
        seen.push(value)
        return value
      },
      [1, 2],
      { ...options, failures: 'worst', maxIterations: 3 },
    )
    expect(result.failures.count).toBe(2)
    expect(result.value).toBeGreaterThanOrEqual(Math.min(...seen))
  })

  test('what is no objective is refused', async () => {
    await expect(maximize(3 as never, [1])).rejects.toThrow('the objective must be a function or an Objective, got 3')
    await expect(maximize(null as never, [1])).rejects.toThrow(
      'the objective must be a function or an Objective, got null',
    )
  })

  test('the message about what came back shows what really came back', async () => {
    await expect(maximize(() => '3' as never, [1])).rejects.toThrow('the objective returned "3" instead of a number')
  })
})

describe('minimize many', () => {
  const options = { solver: zoSGD({ directions: 2, learningRate: 0.05 }), maxIterations: 10 }
  const bowl = (x: ArrayLike<number>): number => Array.from(x).reduce((sum, each) => sum + each * each, 0)

  test('is one run per seed, each as it would be alone', async () => {
    const { runs } = await minimizeMany(bowl, [1, 2], { ...options, seeds: [3, 1, 4] })
    expect(runs).toEqual([
      await minimize(bowl, [1, 2], { ...options, seed: 3 }),
      await minimize(bowl, [1, 2], { ...options, seed: 1 }),
      await minimize(bowl, [1, 2], { ...options, seed: 4 }),
    ])
  })

  test('a number of seeds means 0, 1, 2, ...', async () => {
    const { runs } = await minimizeMany(bowl, [1, 2], { ...options, seeds: 3 })
    expect(runs.map((run) => run.seed)).toEqual([0, 1, 2])
  })

  test('summarises values, queries and iterations, and names the best run', async () => {
    const many = await minimizeMany(bowl, [1, 2], { ...options, seeds: 5 })
    const values = many.runs.map((run) => run.value).sort((a, b) => a - b)
    expect(many.best.value).toBe(values[0])
    expect(many.value).toMatchObject({ count: 5, smallest: values[0], median: values[2], largest: values[4] })
    expect(many.queries).toMatchObject({ mean: 31, deviation: 0 })
    expect(many.iterations).toMatchObject({ mean: 10, deviation: 0 })
  })

  test('the best run has a value, if any of them has one', async () => {
    const many = await minimizeMany((x, { sample }) => (sample % 2 === 0 ? Number.NaN : bowl(x)), [1, 2], {
      solver: zoSGD({ directions: 1 }),
      failures: 'skip',
      maxIterations: 0,
      seeds: 8,
    })
    const values = many.runs.map((run) => run.value)
    expect(values.some(Number.isNaN) && values.some(Number.isFinite)).toBe(true)
    expect(many.best.value).toBe(5)
  })

  test('an abort ends the series, and what there is so far is summarised', async () => {
    const controller = new AbortController()
    let calls = 0
    const f = (x: Float64Array): number => {
      if (++calls === 40) controller.abort()
      return bowl(x)
    }
    const many = await minimizeMany(f, [1, 2], { ...options, seeds: 5, signal: controller.signal })
    expect(many.runs.map((run) => run.status)).toEqual(['finished', 'aborted'])
    expect(many.value.count).toBe(2)
  })

  describe('refuses', () => {
    test.each([[0], [[]], [undefined], ['3']])('%o as seeds', async (seeds) => {
      await expect(minimizeMany(bowl, [1], { seeds: seeds as never })).rejects.toThrow(
        `minimizeMany.seeds must be a count above 0 or a list, got ${String(seeds)}`,
      )
    })

    test('a seed that is none', async () => {
      await expect(minimizeMany(bowl, [1], { seeds: [-1] })).rejects.toThrow('minimize.seed must be at least 0, got -1')
    })
  })
})

describe('methods that few problems come to are loaded on demand, and the run is that of minimizeSync:', () => {
  const start = Array.from({ length: 12 }, (_, i) => 1 + 0.1 * i)
  const valley = (x: ArrayLike<number>): number =>
    Array.from(x).reduce((sum, each, i) => sum + (1 + i) * each * each + (i > 0 ? each * (x[i - 1] as number) : 0), 0)

  test.each<[string, string, MinimizeOptions]>([
    ['a usual problem', 'quasi-newton', { maxQueries: 400 }],
    ['the last budget of fewer than five queries per variable', 'block-descent', { maxQueries: 60 }],
    ['the first one with more', 'quasi-newton', { maxQueries: 61 }],
    ['a set that is no box', 'quasi-newton', { maxQueries: 400, set: l2Ball({ radius: 0.5, center: 1 }) }],
  ])('%s', async (_, method, options) => {
    const found = await minimize(valley, start, options)
    expect(found).toEqual(minimizeSync(valley, start, options))
    expect(found.phases?.[1]?.method).toBe(method)
  })

  test('variables with steps', async () => {
    const variables = { x: { from: -5, to: 5, step: 1 }, y: { from: -2, to: 3 } } as const
    const f = ({ x, y }: PointOf<typeof variables>): number => x * x + y * y
    const found = await minimize(f, { variables, maxQueries: 30 })
    expect(found).toEqual(minimizeSync(f, { variables, maxQueries: 30 }))
    expect(found.phases?.[0]?.method).toBe('bayesian')
    expect(found.value).toBeLessThan(1e-30)
  })

  test('a run that began with few queries and is given more', async () => {
    const session = createSession(start, { solver: auto(), maxQueries: 60 })
    for (let i = 0; i < 6; i++) session.tell(points(session.ask()).map(valley))
    const resume = session.checkpoint()
    const found = await minimize(valley, start, { maxQueries: 400, resume })
    expect(found).toEqual(minimizeSync(valley, start, { maxQueries: 400, resume }))
    expect(found.phases?.[1]?.method).toBe('block-descent')
  })

  test('noise that the start does not show', async () => {
    const noisy = (): ((x: Float64Array) => number) => {
      let state = 1
      const noise = (): number => {
        state = (state * 48271) % 2147483647
        return state / 2147483647 - 0.5
      }
      return ([x = 0, y = 0]) => (x - 1) ** 2 + (y - 2) ** 2 + 0.2 * Math.hypot(x, y) * noise()
    }
    const found = await minimize(noisy(), [0, 0], { maxQueries: 3000 })
    expect(found).toEqual(minimizeSync(noisy(), [0, 0], { maxQueries: 3000 }))
    expect(found.phases?.map(({ method }) => method)).toEqual(['probe', 'quasi-newton', 'probe', 'noisy-descent'])
  })

  test('checkpoints do not tell which of them were loaded', () => {
    expect(fingerprint(usualAuto())).toBe(fingerprint(auto()))
  })
})
