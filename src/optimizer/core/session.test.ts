import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bayesian } from '../methods/bayesian/bayesian.ts'
import { descent } from '../methods/descent.ts'
import { zoAdaMM, zoSGD } from '../methods/presets.ts'
import { coordinate, sphere } from '../parts/directions/basic.ts'
import { central, forward } from '../parts/estimators/differences.ts'
import { l2Ball } from '../parts/sets/balls.ts'
import { box } from '../parts/sets/boxes.ts'
import { plain } from '../parts/steps/basic.ts'
import { makeAnswers, points, recordFailure } from './answers.ts'
import { decodeCheckpoint, encodeCheckpoint } from './checkpoint.ts'
import type { Outcome } from './errors.ts'
import { countedPhases, createSession, type Session } from './session.ts'
import type { SessionOptions } from './session-options.ts'
import type { Queries, Search, Solver } from './types.ts'

describe('session', () => {
  type F = (x: ArrayLike<number>, row: number, queries: Queries) => unknown

  const bowl: F = (x) => Array.from(x).reduce((sum, each) => sum + each * each, 0)
  const solver = zoSGD({ directions: 2, learningRate: 0.05 })

  function begin(options: Partial<SessionOptions> = {}, start: number[] = [1, 2]): Session {
    return createSession(start, { solver, ...options })
  }

  /** Asks and tells to the end; every evaluated point, with its row, goes into `seen`. */
  function finish(session: Session, f: F = bowl, seen: { x: number[]; row: number; queries: Queries }[] = []): Outcome {
    while (session.outcome === undefined) {
      const queries = session.ask()
      const rows = points(queries)
      rows.forEach((x, row) => seen.push({ x: Array.from(x), row, queries }))
      session.tell(rows.map((x, row) => f(x, row, queries) as number))
    }
    return session.outcome
  }

  describe('the account', () => {
    test('of 1000 iterations at 10 directions is 11,001 queries', () => {
      const outcome = finish(createSession([1, 2, 3], { solver: zoAdaMM(), maxIterations: 1000 }))
      expect(outcome).toMatchObject({ queries: 11_001, iterations: 1000, stopReason: 'max-iterations' })
    })

    test('of a run without limits ends at 10,000 queries', () => {
      const outcome = finish(createSession([1, 2, 3], { solver: zoAdaMM() }))
      expect(outcome).toMatchObject({ queries: 909 * 11 + 1, iterations: 909, stopReason: 'max-queries' })
    })

    test('leaves out rows known from earlier queries, and says how many there were', () => {
      const session = begin({ maxQueries: 20 })
      while (session.outcome === undefined) {
        const queries = session.ask()
        const answers = session.answers()
        points(queries).forEach((x, row) => {
          answers.values[row] = bowl(x, row, queries) as number
        })
        answers.cached?.fill(1, 0, queries.centers)
        session.tell(answers)
      }
      // Two queries of three rows count; the last point is asked as a center, too.
      expect(session.outcome).toMatchObject({ iterations: 9, queries: 18, cacheHits: 10 })
    })

    test('says how often the black box was asked again, and a resumed run goes on counting', () => {
      const first = begin({ maxIterations: 3 })
      const told = (session: Session) => {
        const answers = makeAnswers(3)
        answers.values.set(points(session.ask()).map((x, row) => bowl(x, row, session.ask()) as number))
        session.tell({ ...answers, retries: 2, cached: Uint8Array.of(0, 1, 0) })
      }
      told(first)
      told(first)
      const second = begin({ maxIterations: 3, resume: first.checkpoint() })
      told(second)
      expect(finish(second)).toMatchObject({ retries: 6, cacheHits: 3, queries: 3 * 2 + 1 })
    })

    test('is exact whatever the budget: all queries counted, none too many, no iteration left that would have fitted', () => {
      fc.assert(
        fc.property(
          fc.record({
            directions: fc.integer({ min: 1, max: 5 }),
            samples: fc.integer({ min: 1, max: 4 }),
            maxQueries: fc.integer({ min: 1, max: 120 }),
            trackBest: fc.boolean(),
            twoSided: fc.boolean(),
          }),
          ({ directions, samples, maxQueries, trackBest, twoSided }) => {
            const estimator = (twoSided ? central : forward)({ along: sphere(), directions, samples })
            const session = begin({ solver: descent({ estimator, step: plain() }), maxQueries, trackBest })
            const seen: { queries: Queries }[] = []
            const outcome = finish(session, bowl, seen as never)
            const centers = twoSided && !trackBest ? 0 : samples
            const perIteration = centers + samples * directions * (twoSided ? 2 : 1)
            const reserve = samples
            const iterations = Math.max(0, Math.floor((maxQueries - reserve) / perIteration))
            const last = Math.min(reserve, maxQueries)
            expect(seen.length).toBe(outcome.queries)
            expect(outcome.iterations).toBe(iterations)
            expect(outcome.queries).toBe(iterations * perIteration + last)
            expect(outcome.queries).toBeLessThanOrEqual(maxQueries)
          },
        ),
        { numRuns: 150, seed: 5 },
      )
    })

    test('keeps back one query per sample for the last point', () => {
      const stochastic = zoSGD({ directions: 2, samples: 3 })
      expect(finish(begin({ solver: stochastic, maxQueries: 11 }))).toMatchObject({ queries: 3, iterations: 0 })
      expect(finish(begin({ solver: stochastic, maxQueries: 12 }))).toMatchObject({ queries: 12, iterations: 1 })
    })

    test('of a budget below one query per sample takes what there is', () => {
      const outcome = finish(begin({ solver: zoSGD({ samples: 3 }), maxQueries: 2 }))
      expect(outcome).toMatchObject({ queries: 2, iterations: 0, value: 5 })
    })
  })

  describe('the result', () => {
    test('is a point that was itself evaluated, and its value is what the objective said there', () => {
      const seen: { x: number[]; row: number; queries: Queries }[] = []
      const outcome = finish(begin({ maxIterations: 40 }), bowl, seen)
      const at = seen.map(({ x }) => String(x))
      expect(at).toContain(String(Array.from(outcome.point)))
      expect(at.at(-1)).toBe(String(Array.from(outcome.last.point)))
      expect(outcome.value).toBe(bowl(outcome.point, 0, seen[0]?.queries as Queries))
      expect(outcome.last.value).toBe(bowl(outcome.last.point, 0, seen[0]?.queries as Queries))
    })

    test('is the best center; probes never count, however good they are', () => {
      // Probes see -100, centers see their distance from 0: the smallest answers of all belong to probes.
      const outcome = finish(begin({ maxIterations: 5 }), (x, row, queries) =>
        row < queries.centers ? (bowl(x, row, queries) as number) : -100,
      )
      expect(outcome.value).toBeGreaterThanOrEqual(0)
    })

    test('keeps the best when the run gets worse, and says where it ended', () => {
      let value = 10
      // The third center is the best.
      const values = [10, 8, 3, 9, 12, 20]
      const outcome = finish(begin({ maxIterations: 5 }), (_, row, queries) => {
        if (row < queries.centers) value = values.shift() as number
        return value + row
      })
      expect(outcome.value).toBe(3)
      expect(outcome.last.value).toBe(20)
      expect(outcome.history.map((record) => record.value)).toEqual([10, 8, 3, 9, 12])
      expect(outcome.history.map((record) => record.best)).toEqual([10, 8, 3, 3, 3])
      expect(outcome.history.map((record) => record.queries)).toEqual([3, 6, 9, 12, 15])
      expect(outcome.history.map((record) => record.iteration)).toEqual([1, 2, 3, 4, 5])
      expect(outcome.queries).toBe(16)
    })

    test('is the last point where that is better than every center', () => {
      const outcome = finish(begin({ maxIterations: 3 }))
      expect(outcome.point).toEqual(outcome.last.point)
      expect(outcome.value).toBe(outcome.last.value)
    })

    test('is the start, with no value, where nothing was evaluated', () => {
      const session = begin()
      session.stop('aborted')
      expect(session.outcome).toMatchObject({ status: 'aborted', queries: 0, iterations: 0, value: Number.NaN })
      expect(Array.from(session.outcome?.point ?? [])).toEqual([1, 2])
    })

    test('has no value at the centers where they are not asked, but one at the end', () => {
      const estimator = central({ along: coordinate(), directions: 2 })
      const outcome = finish(
        begin({ solver: descent({ estimator, step: plain() }), trackBest: false, maxIterations: 3 }),
      )
      expect(outcome.history.map((record) => record.value)).toEqual([Number.NaN, Number.NaN, Number.NaN])
      expect(outcome.queries).toBe(3 * 4 + 1)
      expect(outcome.value).toBe(outcome.last.value)
    })

    test('averages a stochastic objective over the samples of the iteration', () => {
      const outcome = finish(
        begin({ solver: zoSGD({ directions: 1, samples: 4 }), population: 4, maxIterations: 0 }),
        (_, row, queries) => 10 * queries.sample(row),
      )
      expect(outcome).toMatchObject({ queries: 4, value: 15 })
    })
  })

  describe('a run ends', () => {
    test('when another iteration does not fit', () => {
      expect(finish(begin({ maxQueries: 9 }))).toMatchObject({
        status: 'finished',
        stopReason: 'max-queries',
        queries: 7,
      })
    })

    test('after maxIterations, 0 included', () => {
      expect(finish(begin({ maxIterations: 3 }))).toMatchObject({
        stopReason: 'max-iterations',
        iterations: 3,
        queries: 10,
      })
      expect(finish(begin({ maxIterations: 0 }))).toMatchObject({
        stopReason: 'max-iterations',
        iterations: 0,
        queries: 1,
      })
    })

    test('by whichever limit is reached first', () => {
      expect(finish(begin({ maxIterations: 3, maxQueries: 100 })).stopReason).toBe('max-iterations')
      expect(finish(begin({ maxIterations: 30, maxQueries: 10 })).stopReason).toBe('max-queries')
    })

    test('when its time is up, between iterations, without asking anything more', () => {
      let now = 1000
      const session = begin({ maxTime: 50, clock: () => now })
      expect(session.timeLeft).toBe(50)
      const outcome = finish(session, (x, row, queries) => {
        now += 7
        return bowl(x, row, queries)
      })
      // Each iteration takes 21 ms: the third begins at 42 and ends at 63.
      expect(outcome).toMatchObject({ status: 'finished', stopReason: 'max-time', iterations: 3, queries: 9 })
      expect(outcome.last.value).toBeNaN()
    })

    test('as soon as a center reaches the target, which is then the last point', () => {
      const outcome = finish(begin({ target: 4.5 }))
      expect(outcome).toMatchObject({ status: 'finished', stopReason: 'target' })
      expect(outcome.value).toBeLessThanOrEqual(4.5)
      expect(outcome.last.value).toBe(outcome.value)
      expect(outcome.last.point).toEqual(outcome.point)
      expect(outcome.queries % 3).toBe(0)
      expect(outcome.history.at(-1)?.value).toBe(outcome.value)
    })

    test('with the target where only the last point reaches it', () => {
      const exact = finish(begin({ maxIterations: 2 }))
      const outcome = finish(begin({ maxIterations: 2, target: exact.last.value }))
      expect(outcome).toMatchObject({ stopReason: 'target', queries: 7, iterations: 2 })
    })

    test('at the start where that is good enough already', () => {
      expect(finish(begin({ target: 5 }))).toMatchObject({ stopReason: 'target', queries: 3, iterations: 1, value: 5 })
    })

    test('no earlier, where a probe reaches the target', () => {
      const outcome = finish(begin({ target: -50, maxIterations: 3 }), (x, row, queries) =>
        row < queries.centers ? bowl(x, row, queries) : -100,
      )
      expect(outcome.stopReason).toBe('max-iterations')
    })

    test.each([
      ['aborted', 'aborted'],
      ['callback', 'finished'],
      ['max-time', 'finished'],
    ] as const)('when it is stopped: %s', (reason, status) => {
      const session = begin()
      session.ask()
      session.tell([3, 2, 4])
      session.ask()
      session.stop(reason)
      expect(session.outcome).toMatchObject({ status, stopReason: reason, queries: 3, iterations: 1, value: 3 })
      session.stop('aborted')
      expect(session.outcome?.stopReason).toBe(reason)
    })

    describe('when its patience is over,', () => {
      /** Each iteration asks three rows; the value falls in the first four of them, and by whatever the last point brings. */
      const falling =
        (end = 1): F =>
        (_, row, { rows, key }) =>
          rows === 1 ? end : row === 0 ? Math.max(5 - key.iteration, 1) : 6

      test.each([
        [6, { iterations: 6, queries: 19 }],
        [7, { iterations: 7, queries: 22 }],
      ])(
        '%i queries after the iteration of the last gain, with whole iterations and the last point',
        (patience, expected) => {
          const outcome = finish(begin({ patience }), falling())
          expect(outcome).toMatchObject({ status: 'finished', stopReason: 'patience', value: 1, ...expected })
        },
      )

      test('counted from the first query on where none is answered', () => {
        const outcome = finish(begin({ patience: 8, failures: 'skip' }), () => Number.NaN)
        // Each iteration asks its center three times more.
        expect(outcome).toMatchObject({ stopReason: 'patience', iterations: 2, queries: 2 * (3 + 3) + 1 })
      })

      test('in the same place after a resumption at any moment, and once it has ended, even if the last point is better', () => {
        const options = { patience: 7 }
        const whole = begin(options)
        const kept = [encodeCheckpoint(whole.checkpoint())]
        while (whole.outcome === undefined) {
          const queries = whole.ask()
          whole.tell(points(queries).map((x, row) => falling(0)(x, row, queries) as number))
          kept.push(encodeCheckpoint(whole.checkpoint()))
        }
        expect(whole.outcome).toMatchObject({ stopReason: 'patience', value: 0, queries: 22 })
        expect(kept).toHaveLength(9)
        for (const resume of kept.map(decodeCheckpoint)) {
          expect(finish(begin({ ...options, resume }), falling(0))).toEqual(whole.outcome)
        }
        const further = begin({ patience: 11, resume: decodeCheckpoint(kept.at(-1) as string) })
        // What the last point gained counts with the next iteration, the eighth.
        expect(finish(further, falling(0))).toMatchObject({ iterations: 8 + 4, queries: 22 + 3 + 12 + 1 })
      })

      test('and no more queries are under way than may still go by', () => {
        const session = begin({ solver: bayesian(), set: box({ lower: -1, upper: 1 }), patience: 3, concurrency: 8 })
        const underWay: number[] = []
        while (session.outcome === undefined) {
          const open = session.open()
          underWay.push(open.length)
          session.tell([7], open.at(-1))
        }
        expect(underWay).toEqual([3, 3, 2, 1, 1])
        expect(session.outcome).toMatchObject({ stopReason: 'patience', queries: 5, iterations: 4 })
      })
    })

    test('when its solver knows that there is nothing more to do', () => {
      const outcome = finish(begin({ solver: convergedAfter(4) }))
      expect(outcome).toMatchObject({ status: 'finished', stopReason: 'converged', iterations: 4, queries: 5 })
    })
  })

  describe('ask and tell', () => {
    test('asking twice gives the same rows', () => {
      const session = begin()
      expect(session.ask()).toBe(session.ask())
      expect(points(session.ask())).toEqual(points(session.ask()))
    })

    test('the next iteration asks other rows', () => {
      const session = begin()
      const first = points(session.ask()).map(String)
      session.tell([5, 5.1, 4.9])
      expect(session.ask().key).toEqual({ seed: 0, iteration: 2 })
      expect(points(session.ask()).map(String)).not.toEqual(first)
    })

    test('answers may be a list, a typed array, or full answers, and are copied', () => {
      const after = (tell: (session: Session) => void): unknown => {
        const session = begin()
        session.ask()
        tell(session)
        return session.checkpoint()
      }
      const expected = after((session) => session.tell([5, 6, 4]))
      expect(after((session) => session.tell(Float64Array.of(5, 6, 4)))).toEqual(expected)
      expect(
        after((session) => {
          const answers = makeAnswers(3)
          answers.values.set([5, 6, 4])
          session.tell(answers)
        }),
      ).toEqual(expected)
      expect(
        after((session) => {
          const room = session.answers()
          room.values.set([5, 6, 4])
          session.tell(room)
        }),
      ).toEqual(expected)
    })

    test('a row that nobody answered counts as failed, never as its answer of the iteration before', () => {
      const session = begin({ failures: 'skip' })
      session.ask()
      session.answers().values.set([5, 6, 4])
      session.tell(session.answers())
      expect(session.checkpoint().failures).toEqual({ count: 3, first: 'the objective returned NaN' })
    })

    test('telling before asking is an error', () => {
      expect(() => begin().tell([1, 2, 3])).toThrow('tell: nothing was asked')
      const session = begin()
      session.ask()
      session.tell([5, 6, 4])
      expect(() => session.tell([5, 6, 4])).toThrow('tell: nothing was asked')
    })

    test('asking after the end is an error that says why it ended', () => {
      const session = begin({ maxIterations: 0 })
      finish(session)
      expect(() => session.ask()).toThrow('ask: the session has ended (max-iterations)')
      expect(() => session.tell([1])).toThrow('tell: nothing was asked')
    })

    test.each<[unknown, string]>([
      [[1, 2], 'Array(2)'],
      [[1, 2, 3, 4], 'Array(4)'],
      [new Float64Array(2), 'Float64Array(2)'],
      [undefined, 'undefined'],
      [null, 'null'],
      [5, '5'],
      ['abc', '"abc"'],
      [{ values: new Float64Array(2) }, 'Float64Array(2)'],
      [{}, '[object Object]'],
    ])('telling %o is an error, and the session still waits', (told, shown) => {
      const session = begin()
      session.ask()
      expect(() => session.tell(told as never)).toThrow(`tell expects 3 values, one per row asked, got ${shown}`)
      session.tell([5, 6, 4])
      expect(session.latest?.iteration).toBe(1)
    })

    test('sessions do not disturb each other', () => {
      const [a, b] = [begin({ maxIterations: 5, seed: 1 }), begin({ maxIterations: 5, seed: 2 })]
      const expected = [finish(begin({ maxIterations: 5, seed: 1 })), finish(begin({ maxIterations: 5, seed: 2 }))]
      while (a.outcome === undefined && b.outcome === undefined) {
        const [fromA, fromB] = [points(a.ask()), points(b.ask())]
        b.tell(fromB.map((x) => bowl(x, 0, b.ask()) as number))
        a.tell(fromA.map((x) => bowl(x, 0, a.ask()) as number))
      }
      expect([a.outcome, b.outcome]).toEqual(expected)
    })
  })

  describe('the start', () => {
    test('outside the set is projected onto it, and the user is told', () => {
      const session = begin({ set: box({ lower: 0, upper: 1 }) })
      expect(session.warnings).toEqual(['the start was outside the set and has been projected onto it'])
      expect(points(session.ask())[0]).toEqual(Float64Array.of(1, 1))
      expect(begin({ set: l2Ball({ radius: 3 }) }).warnings).toEqual([])
    })

    test('is copied', () => {
      const start = [1, 2]
      const session = begin({}, start)
      start[0] = 77
      expect(points(session.ask())[0]).toEqual(Float64Array.of(1, 2))
    })
  })

  describe('failures', () => {
    const failing =
      (when: (row: number, iteration: number) => boolean, value: unknown = Number.NaN): F =>
      (x, row, queries) =>
        when(row, queries.key.iteration) ? value : bowl(x, row, queries)

    describe('under the policy stop', () => {
      test('end the run; what, where and what to do is said, and the best point survives', () => {
        const outcome = finish(
          begin({ failures: 'stop' }),
          failing((row, iteration) => iteration === 3 && row === 1),
        )
        expect(outcome).toMatchObject({ status: 'failed', stopReason: 'objective-failed', iterations: 2, queries: 9 })
        expect(outcome.failures).toEqual({ count: 1, first: 'the objective returned NaN' })
        expect(outcome.status === 'failed' && outcome.error.message).toBe(
          'a query failed (iteration 3, row 1 of 3): the objective returned NaN; the policies failures: "skip" and "worst" go on without it',
        )
        expect(outcome.value).toBe(bowl(outcome.point, 0, {} as Queries))
        expect(outcome.value).toBeLessThan(5)
      })

      test('keep the center that was answered beside them', () => {
        const outcome = finish(
          begin({ failures: 'stop' }),
          failing((row) => row === 2),
        )
        expect(outcome).toMatchObject({ status: 'failed', value: 5, queries: 3, iterations: 0 })
      })

      test('are all counted, not only the first', () => {
        expect(
          finish(
            begin({ failures: 'stop' }),
            failing((row) => row > 0),
          ).failures.count,
        ).toBe(2)
      })

      test('do not lose the run: the checkpoint goes on where it stopped', () => {
        const session = begin({ failures: 'stop', maxIterations: 6 })
        finish(
          session,
          failing((_, iteration) => iteration === 4),
        )
        const resumed = begin({ failures: 'stop', maxIterations: 6, resume: session.checkpoint() })
        const whole = finish(begin({ failures: 'stop', maxIterations: 6 }))
        expect(finish(resumed)).toMatchObject({ last: whole.last, value: whole.value, queries: whole.queries + 3 })
      })
    })

    describe('under the policy avoid, the usual one', () => {
      test('a start that fails ends the run', () => {
        const outcome = finish(
          begin(),
          failing((row) => row === 0),
        )
        expect(outcome).toMatchObject({ status: 'failed', queries: 3, failures: { count: 1 } })
        expect(outcome.status === 'failed' && outcome.error.message).toContain('(iteration 1, row 0 of 3)')
      })

      test('other points are left out and counted', () => {
        const outcome = finish(
          begin({ maxIterations: 6 }),
          failing((row, iteration) => iteration > 1 && row === 1),
        )
        expect(outcome).toMatchObject({ status: 'finished', iterations: 6, failures: { count: 5 } })
      })

      test('who cannot be reached says nothing about a point: that ends the run', () => {
        const lost = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
        const session = begin()
        for (const reason of [undefined, lost]) {
          const { rows } = session.ask()
          const answers = session.answers()
          answers.values.fill(1, 0, rows)
          if (reason !== undefined) recordFailure(answers, 2, reason)
          session.tell(answers)
        }
        expect(session.outcome).toMatchObject({ status: 'failed', iterations: 1, failures: { count: 1, first: lost } })
      })

      test('100 failures in a row end the run, also across a checkpoint', () => {
        const value = failing((_, iteration) => iteration > 10)
        const limits = { maxIterations: 200 }
        const whole = finish(begin(limits), value)
        expect(whole).toMatchObject({ status: 'failed', failures: { count: 100 } })
        const session = begin(limits)
        // The failed center is asked again up to three times.
        while ((session.latest?.iteration ?? 0) < 20) {
          const queries = session.ask()
          session.tell(points(queries).map((x, row) => value(x, row, queries) as number))
        }
        expect(session.checkpoint().failures).toMatchObject({ count: 60, streak: 60 })
        const resumed = finish(
          begin({ ...limits, resume: decodeCheckpoint(encodeCheckpoint(session.checkpoint())) }),
          value,
        )
        expect(resumed).toMatchObject({ status: 'failed', queries: whole.queries, failures: { count: 100 } })
      })
    })

    describe('under the policy skip', () => {
      test('are left out', () => {
        const outcome = finish(
          begin({ failures: 'skip', maxIterations: 8 }),
          failing((row) => row === 1),
        )
        expect(outcome).toMatchObject({ status: 'finished', iterations: 8, queries: 25, skippedIterations: 0 })
        expect(outcome.failures.count).toBe(8)
        expect(outcome.value).toBeLessThan(5)
      })

      test('of a center ask it again, at most three times, and then the answers of the probes count', () => {
        for (const failingTimes of [1, 2, 3]) {
          let asked = 0
          const rows: number[] = []
          const session = begin({ failures: 'skip', maxIterations: 1 })
          const outcome = finish(session, (x, row, queries) => {
            if (row === 0) rows.push(queries.rows)
            return row === 0 && asked++ < failingTimes ? Number.NaN : bowl(x, row, queries)
          })
          expect(rows).toEqual([3, ...new Array(failingTimes).fill(1), 1])
          expect(outcome).toMatchObject({ queries: 4 + failingTimes, skippedIterations: 0, iterations: 1 })
          expect(outcome.failures.count).toBe(failingTimes)
          expect(outcome.last).toEqual(finish(begin({ maxIterations: 1 })).last)
        }
      })

      test('of a center four times make a zero step, counted as skipped', () => {
        let asked = 0
        const outcome = finish(begin({ failures: 'skip', maxIterations: 3 }), (x, row, queries) => {
          return row === 0 && queries.key.iteration === 2 && asked++ < 4 ? Number.NaN : bowl(x, row, queries)
        })
        expect(outcome).toMatchObject({ iterations: 3, skippedIterations: 1, queries: 3 * 3 + 3 + 1 })
        expect(outcome.failures.count).toBe(4)
        expect(outcome.history.map((record) => record.iteration)).toEqual([1, 2, 3])
        expect(outcome.history[1]?.value).toBeNaN()
        expect(outcome.history[1]?.queries).toBe(9)
        // The third iteration is asked at the point that the second did not leave.
        expect(outcome.history[2]?.value).toBe(finish(begin({ maxIterations: 2 })).history[1]?.value)
      })

      test('of a center are not asked again where the budget has no room for it', () => {
        const session = begin({ failures: 'skip', maxQueries: 4 })
        const outcome = finish(
          session,
          failing((row, iteration) => row === 0 && iteration === 1),
        )
        expect(outcome).toMatchObject({ queries: 4, iterations: 1, skippedIterations: 1, value: 5 })
      })

      test('of every probe make a zero step, counted as skipped', () => {
        const outcome = finish(
          begin({ failures: 'skip', maxIterations: 2 }),
          failing((row) => row > 0),
        )
        expect(outcome).toMatchObject({ skippedIterations: 2, iterations: 2, queries: 7, value: 5 })
        expect(Array.from(outcome.last.point)).toEqual([1, 2])
      })

      test('of everything leave the start and no value', () => {
        const outcome = finish(
          begin({ failures: 'skip', maxIterations: 2 }),
          failing(() => true),
        )
        expect(outcome).toMatchObject({
          skippedIterations: 2,
          iterations: 2,
          queries: 2 * (3 + 3) + 1,
          value: Number.NaN,
        })
        expect(outcome.failures.count).toBe(outcome.queries)
        expect(Array.from(outcome.point)).toEqual([1, 2])
      })

      test('of one sample leave the others', () => {
        const stochastic = zoSGD({ directions: 1, samples: 2, learningRate: 0.05 })
        const session = begin({ solver: stochastic, population: 2, failures: 'skip', maxIterations: 1 })
        const outcome = finish(session, (x, row, queries) =>
          queries.sample(row) === 0 ? Number.NaN : bowl(x, row, queries),
        )
        expect(outcome).toMatchObject({ skippedIterations: 0, queries: 6 })
        expect(outcome.failures.count).toBe(3)
        expect(outcome.last.value).toBeLessThan(5)
      })
    })

    describe('under the policy worst', () => {
      test('count as the largest value seen so far, but for the current point, which is asked again', () => {
        const seen: number[][] = []
        const spy: Solver = {
          ...solver,
          start(at) {
            const search = solver.start(at)
            const tell = search.tell.bind(search)
            search.tell = (answers) => {
              seen.push(Array.from(answers.values))
              return tell(answers)
            }
            return search
          },
        }
        const session = begin({ solver: spy, failures: 'worst', maxIterations: 2 })
        session.ask()
        session.tell([3, Number.NaN, 7])
        session.ask()
        session.tell([Number.NaN, 4, Number.NaN])
        expect(session.ask()).toMatchObject({ rows: 1, centers: 1 })
        session.tell([2])
        expect(seen).toEqual([
          [3, 7, 7],
          [2, 4, 7],
        ])
        expect(session.checkpoint().failures.count).toBe(3)
      })

      test('never make a point the best whose value nobody gave', () => {
        const session = begin({ failures: 'worst', maxIterations: 1 })
        session.ask()
        session.tell([Number.NaN, 100, 101])
        for (let retry = 0; retry < 3; retry++) {
          session.ask()
          session.tell([Number.NaN])
        }
        session.ask()
        session.tell([200])
        expect(session.outcome).toMatchObject({ value: 200, skippedIterations: 1, queries: 7 })
        expect(session.outcome?.point).toEqual(session.outcome?.last.point)
        expect(session.outcome?.history[0]?.value).toBeNaN()
      })

      test('never give the last point a value nobody gave', () => {
        const session = begin({ failures: 'worst', maxIterations: 1 })
        session.ask()
        session.tell([5, 6, 4])
        session.ask()
        session.tell([Number.NaN])
        expect(session.outcome?.last.value).toBeNaN()
        expect(session.outcome?.value).toBe(5)
      })

      test('are skipped where no value is known yet', () => {
        const session = begin({ failures: 'worst', maxIterations: 1 })
        const outcome = finish(
          session,
          failing((_, iteration) => iteration === 1),
        )
        expect(outcome).toMatchObject({ skippedIterations: 1, queries: 7, value: 5 })
      })

      test('remember the worst across a checkpoint', () => {
        const session = begin({ failures: 'worst', maxIterations: 2 })
        session.ask()
        session.tell([3, 50, 7])
        const resumed = begin({ failures: 'worst', maxIterations: 2, resume: session.checkpoint() })
        for (const each of [session, resumed]) {
          each.ask()
          each.tell([Number.NaN, 4, 5])
        }
        expect(resumed.checkpoint()).toEqual(session.checkpoint())
      })
    })

    describe.each(['skip', 'worst'] as const)('of every kind under %s', (failures) => {
      test.each<[string, unknown, number]>([
        ['NaN', Number.NaN, 1],
        ['Infinity', Infinity, 1],
        ['-Infinity', -Infinity, 1],
        ['a string', '3', 1],
        ['undefined', undefined, 1],
        ['null', null, 1],
        ['an object', {}, 1],
        ['1e308', 1e308, 0],
        ['-1e308', -1e308, 0],
        ['1.7e308', 1.7e308, 0],
      ])('%s leaves x and the state finite, and the account exact', (_, value, counts) => {
        for (const precision of ['float64', 'float32'] as const) {
          for (const method of [zoSGD({ directions: 3 }), zoAdaMM({ directions: 3 })]) {
            for (const set of [box({ lower: -2, upper: 3 }), l2Ball({ radius: 3 })]) {
              const session = begin({ solver: method, failures, precision, set, maxIterations: 12 })
              const odd = (row: number, iteration: number): boolean => row > 0 && (row + iteration) % 3 === 0
              let expected = 0
              const outcome = finish(session, (x, row, queries) => {
                if (!odd(row, queries.key.iteration)) return bowl(x, row, queries)
                expected += counts
                return value
              })
              expect(outcome).toMatchObject({ status: 'finished', iterations: 12, queries: 49 })
              expect(outcome.failures.count).toBe(expected)
              for (const vector of Object.values(session.checkpoint().memory.vectors)) {
                expect(vector.every(Number.isFinite)).toBe(true)
              }
            }
          }
        }
      })
    })

    test('in any mixture and order keep the account exact, the budget unbroken and the state finite', () => {
      const answer = fc.constantFrom<unknown>(
        1,
        -2,
        0.5,
        1e308,
        -1e308,
        Number.NaN,
        Infinity,
        -Infinity,
        'x',
        undefined,
      )
      const record = fc.record({
        told: fc.array(answer, { minLength: 30, maxLength: 60 }),
        failures: fc.constantFrom('skip' as const, 'worst' as const),
        precision: fc.constantFrom('float64' as const, 'float32' as const),
        samples: fc.integer({ min: 1, max: 2 }),
      })
      fc.assert(
        fc.property(record, ({ told, failures, precision, samples }) => {
          const method = zoAdaMM({ directions: 2, samples })
          const session = begin({
            solver: method,
            failures,
            precision,
            maxQueries: told.length,
            set: l2Ball({ radius: 3 }),
          })
          let next = 0
          const outcome = finish(session, () => told[next++])
          const failed = told.slice(0, next).filter((each) => typeof each !== 'number' || !Number.isFinite(each))
          expect(outcome.queries).toBe(next)
          expect(outcome.queries).toBeLessThanOrEqual(told.length)
          expect(outcome.failures.count).toBe(failed.length)
          expect(outcome.skippedIterations).toBeLessThanOrEqual(outcome.iterations)
          for (const vector of Object.values(session.checkpoint().memory.vectors))
            expect(vector.every(Number.isFinite)).toBe(true)
        }),
        { numRuns: 200, seed: 3 },
      )
    })

    test('of a center, saved before it was asked again, ask the whole iteration again', () => {
      const session = begin({ failures: 'skip', maxIterations: 1 })
      session.ask()
      session.tell([Number.NaN, 5.1, 4.9])
      expect(session.ask().rows).toBe(1)
      const resumed = begin({ failures: 'skip', maxIterations: 1, resume: session.checkpoint() })
      expect(resumed.ask().rows).toBe(3)
      expect(finish(resumed)).toMatchObject({ queries: 3 + 3 + 1, iterations: 1, failures: { count: 1 } })
    })

    test('are remembered by the first of them', () => {
      let calls = 0
      const outcome = finish(begin({ failures: 'skip', maxIterations: 3 }), (x, row, queries) =>
        row === 0 ? bowl(x, row, queries) : `answer ${++calls}`,
      )
      expect(outcome.failures).toEqual({ count: 6, first: 'the objective returned "answer 1" instead of a number' })
    })

    test('are described by what was returned', () => {
      const reason = (value: unknown) =>
        finish(begin({ failures: 'skip', maxIterations: 1 }), () => value).failures.first
      expect(reason('3')).toBe('the objective returned "3" instead of a number')
      expect(reason(undefined)).toBe('the objective returned undefined instead of a number')
      expect(reason(-Infinity)).toBe('the objective returned -Infinity')
      expect(reason(10n)).toBe('the objective returned 10n instead of a number')
    })
  })

  /** A search of its own kind: asks its point, stays there, and has enough after some iterations. */
  function convergedAfter(iterations: number): Solver {
    return {
      start({ start, dim, seed }): Search {
        const point = start.slice()
        return {
          point,
          memory: { vectors: { point } },
          iteration: 0,
          rows: 1,
          centers: 1,
          ask() {
            const key = { seed, iteration: this.iteration + 1 }
            return {
              key,
              rows: 1,
              dim,
              centers: 1,
              sample: () => 0,
              write: (_, into, offset = 0) => into.set(point, offset),
            }
          },
          tell() {
            this.iteration++
            return true
          },
          skip() {
            this.iteration++
          },
          get finished() {
            return this.iteration >= iterations ? 'converged' : undefined
          },
        }
      },
    }
  }
})

describe('candidates', () => {
  /** Asks lists of single numbers, one list per iteration, and never moves: what it asked is all it has. */
  const lists = (asked: readonly (readonly number[])[], more: Partial<Search> = {}): Solver => ({
    start({ start, dim, seed }): Search {
      const search: Search = {
        point: start,
        memory: { vectors: { point: start } },
        iteration: 0,
        get rows() {
          return (asked[this.iteration] ?? [0]).length
        },
        centers: 0,
        candidates: true,
        ask() {
          const { iteration, rows, centers } = this
          const key = { seed, iteration: iteration + 1 }
          const write = (row: number, into: Float64Array | Float32Array, offset = 0) => {
            into[offset] = asked[iteration]?.[row] ?? 0
          }
          return { key, rows, centers, dim, sample: () => 0, write }
        },
        tell() {
          this.iteration++
          return true
        },
        skip() {
          this.iteration++
        },
      }
      return Object.defineProperties(search, Object.getOwnPropertyDescriptors(more))
    },
  })

  const table = [
    [3, 2, 5],
    [4, 1, 1],
    [2, 6],
  ]

  function begin(options: Partial<SessionOptions> & { solver: Solver }): Session {
    return createSession([9], { maxIterations: table.length, ...options })
  }

  /** Answers x itself unless told otherwise. */
  function finish(session: Session, f: (x: number, row: number) => number = (x) => x) {
    while (session.outcome === undefined) session.tell(points(session.ask()).map(([x = 0], row) => f(x, row)))
    return session.outcome
  }

  describe('where every row is a candidate', () => {
    test('the best answered row counts for the history and the result, and is asked again at the end', () => {
      const outcome = finish(begin({ solver: lists(table) }))
      expect(outcome).toMatchObject({ value: 1, last: { value: 1 }, queries: 9, stopReason: 'max-iterations' })
      expect([...outcome.point, ...outcome.last.point]).toEqual([1, 1])
      expect(outcome.history.map(({ value, best }) => [value, best])).toEqual([
        [2, 2],
        [1, 1],
        [2, 1],
      ])
    })

    test('the first of equal rows wins', () => {
      const outcome = finish(begin({ solver: lists([[3, 2, -2]]), maxIterations: 1 }), Math.abs)
      expect(outcome).toMatchObject({ value: 2, point: Float64Array.of(2) })
    })

    test('without candidates, rows around the point do not count', () => {
      const centered = lists(table, { candidates: undefined })
      expect(finish(begin({ solver: centered }))).toMatchObject({ value: 9, last: { value: 9 } })
    })

    test('a target is reached by any row, and its point is the last one', () => {
      const outcome = finish(begin({ solver: lists(table), target: 1.5 }))
      expect(outcome).toMatchObject({ stopReason: 'target', value: 1, queries: 6, iterations: 2 })
      expect(outcome.last).toEqual({ point: Float64Array.of(1), value: 1 })
    })

    test('rows that failed do not count, whatever the policy puts in their place', () => {
      for (const failures of ['skip', 'worst'] as const) {
        const outcome = finish(begin({ solver: lists(table), failures }), (x) => (x === 1 ? Number.NaN : -x))
        expect(outcome).toMatchObject({ value: -6, failures: { count: 2 } })
        expect(outcome.history.map(({ value }) => value)).toEqual([-5, -4, -6])
      }
    })

    test('where none was answered there is no value', () => {
      const outcome = finish(begin({ solver: lists(table), failures: 'skip' }), () => Number.NaN)
      expect(outcome).toMatchObject({ value: Number.NaN, point: Float64Array.of(9) })
      expect(outcome.history.map(({ value }) => value)).toEqual([Number.NaN, Number.NaN, Number.NaN])
    })

    test('a lucky answer does not stay: the result is what the best candidate comes to when asked again', () => {
      let queries = 0
      const outcome = finish(begin({ solver: lists(table) }), (x) => (++queries === 5 ? x - 3 : x))
      expect(outcome).toMatchObject({ value: 1, last: { value: 1 } })
      expect(outcome.history[1]?.best).toBe(-2)
    })

    test('an answer of the method itself is asked at the end instead', () => {
      const own = lists(table, { answer: Float64Array.of(7) })
      expect(finish(begin({ solver: own }))).toMatchObject({ value: 1, last: { value: 7, point: Float64Array.of(7) } })
    })

    test('a center that is asked again is a candidate, too, and the value is the lowest of all', () => {
      const centered = lists([[0, 2, 3]], { centers: 1, point: Float64Array.of(0) })
      let asked = 0
      const outcome = finish(begin({ solver: centered, failures: 'skip', maxIterations: 1 }), (x) => {
        asked++
        return asked === 1 ? Number.NaN : x + 1
      })
      expect(outcome).toMatchObject({ value: 1, point: Float64Array.of(0), queries: 5 })
      expect(outcome.history.map(({ value }) => value)).toEqual([1])
    })

    test('a run goes on from every checkpoint with the same bits', () => {
      const whole = begin({ solver: lists(table) })
      const saved = [encodeCheckpoint(whole.checkpoint())]
      while (whole.outcome === undefined) {
        whole.tell(points(whole.ask()).map(([x = 0]) => x))
        saved.push(encodeCheckpoint(whole.checkpoint()))
      }
      for (const text of saved) {
        expect(finish(begin({ solver: lists(table), resume: decodeCheckpoint(text) }))).toEqual(whole.outcome)
      }
    })
  })

  test.each([
    ['samples', { samples: 2 }],
    ['centers', { centers: 3 }],
  ])('several %s per point are refused', (_, more) => {
    expect(() => begin({ solver: lists(table, more) })).toThrow(
      'a method that compares single values takes one sample per point, got',
    )
  })
})

describe('counted phases', () => {
  test('the last phase takes what no other counted', () => {
    const phase = (queries: number) => ({ method: 'probe', why: '', queries, value: 1 })
    expect(countedPhases([phase(2), phase(5)], 9).map(({ queries }) => queries)).toEqual([2, 7])
    expect(countedPhases([], 0)).toEqual([])
  })
})
