import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { points } from '../core/answers.ts'
import type { Outcome } from '../core/errors.ts'
import { createSession } from '../core/session.ts'
import type { SessionOptions } from '../core/session-options.ts'
import type { Checkpoint } from '../core/types.ts'
import { minimizeSync } from '../minimize/minimize-sync.ts'
import { box } from '../parts/sets/boxes.ts'
import { simplex } from '../parts/sets/planes.ts'
import { trustRegion } from './trust-region.ts'

type Function = (x: ArrayLike<number>) => number

const square = (x: number): number => x * x

const rosenbrock: Function = (x) => {
  let sum = 0
  for (let i = 0; i + 1 < x.length; i++) {
    const [a, b] = [x[i] as number, x[i + 1] as number]
    sum += 100 * square(b - a * a) + square(1 - a)
  }
  return sum
}

const ellipsoid: Function = (x) =>
  Array.from(x).reduce((sum, each, i) => sum + square(1 + (99 * i) / x.length) * square(each - 1), 0)

function solve(
  f: Function,
  start: readonly number[],
  options: Partial<Omit<SessionOptions, 'variables'>> = {},
): Outcome & { asked: number[] } {
  const asked: number[] = []
  const outcome = minimizeSync(
    (x) => {
      asked.push(f(x))
      return asked.at(-1) as number
    },
    start,
    { solver: trustRegion(), ...options },
  )
  return { ...outcome, asked }
}

/** How many queries it takes to get so near to the minimum 0. */
function queriesTo(share: number, asked: readonly number[]): number {
  return 1 + asked.findIndex((value) => value <= share * (asked[0] as number))
}

describe('smooth functions', () => {
  test('a separable quadratic is known after the first 2 d + 1 points, and solved by the next steps', () => {
    const { asked } = solve(ellipsoid, new Array<number>(20).fill(3))
    expect(queriesTo(0.5, asked)).toBe(44)
    expect(queriesTo(1e-5, asked)).toBeLessThanOrEqual(50)
  })

  // BOBYQA of nlopt 2.11 with the same first radius needs 140, 322 and 719.
  test.each([
    [2, 155],
    [5, 360],
    [10, 800],
  ])('the Rosenbrock function of %i variables takes about as many queries as BOBYQA', (dim, most) => {
    const start = Array.from({ length: dim }, (_, i) => (i % 2 === 1 ? 1 : -1.2))
    const { asked, value } = solve(rosenbrock, start)
    const goal = value > 1 ? value : 0
    const reached = asked.map((each) => each - goal)
    expect(queriesTo(1e-5, reached)).toBeLessThanOrEqual(most)
  })

  test('ends by itself without a limit on queries, and near the minimum', () => {
    const outcome = solve(rosenbrock, [-1.2, 1])
    expect(outcome.stopReason).toBe('converged')
    expect(outcome.value).toBeLessThan(1e-13)
    expect(outcome.queries).toBeLessThan(250)
  })

  test('one variable: three points, then steps', () => {
    const session = createSession([3], { solver: trustRegion() })
    expect(points(session.ask()).map((row) => row[0])).toEqual([3, 3.3, 2.7])
    const outcome = solve((x) => square(square(x[0] as number)) - (x[0] as number), [3])
    expect(outcome.point[0]).toBeCloseTo(4 ** (-1 / 3), 5)
    expect(outcome.queries).toBeLessThan(60)
  })

  test('a constant function ends soon, where it began', () => {
    const outcome = solve(() => 7, [1, 2, 3])
    expect(outcome).toMatchObject({ stopReason: 'converged', value: 7 })
    expect(outcome.queries).toBeLessThan(60)
    expect(Array.from(outcome.point)).toEqual([1, 2, 3])
  })

  test('is restarted where queries are left, and ends where that does not help', () => {
    const once = solve(ellipsoid, [3, 3, 3])
    const again = solve(ellipsoid, [3, 3, 3], { maxQueries: 5000 })
    expect(again.stopReason).toBe('converged')
    expect(again.queries).toBeGreaterThan(once.queries)
    expect(again.queries).toBeLessThan(4 * once.queries)
    expect(again.value).toBeLessThanOrEqual(once.value)
  })
})

describe('the first radius', () => {
  const firstStep = (start: number[], options: Partial<SessionOptions>): number => {
    const [center, next] = points(createSession(start, options as SessionOptions).ask()) as [Float64Array, Float64Array]
    return (next[0] as number) - (center[0] as number)
  }

  test('is a tenth of the largest variable, of the scale, or of the box; or it is given', () => {
    expect(firstStep([0.5, -20], { solver: trustRegion() })).toBeCloseTo(2)
    expect(firstStep([0, 0], { solver: trustRegion({ scale: [4, 1] }) })).toBeCloseTo(0.4)
    expect(firstStep([0, 0], { solver: trustRegion({ radius: 0.25 }) })).toBe(0.25)
    expect(firstStep([0, 0], { solver: trustRegion(), set: box({ lower: -0.5, upper: 0.5 }) })).toBeCloseTo(0.1)
    // Never so long that the box has no room for both points of a variable.
    expect(
      firstStep([0, 0], { solver: trustRegion({ radius: 9 }), set: box({ lower: -0.5, upper: 0.5 }) }),
    ).toBeCloseTo(0.4)
  })

  test('variables of different sizes are solved with their scale', () => {
    const f: Function = (x) => rosenbrock([(x[0] as number) / 1e4, (x[1] as number) * 1e3])
    const scale = [1e4, 1e-3]
    const { value, queries } = solve(f, [-1.2e4, 1e-3], { solver: trustRegion({ scale }) })
    expect(value).toBeLessThan(1e-12)
    expect(queries).toBeLessThan(250)
  })
})

describe('bounds', () => {
  test('no point is ever outside, and the best corner is found exactly', () => {
    const [lower, upper] = [
      [-1.5, -1.5, 0, -1],
      [0.8, 0.8, 0, 0.5],
    ]
    const set = box({ lower, upper })
    const outcome = solve(
      (x) => {
        expect(set.contains(Float64Array.from(x), 0)).toBe(true)
        return ellipsoid(x)
      },
      [-1, 0.79, 0, -1],
      { set, maxQueries: 1000 },
    )
    // The third variable cannot move.
    expect(Array.from(outcome.point)).toEqual([0.8, 0.8, 0, 0.5])
    expect(outcome.stopReason).toBe('converged')
  })

  test('random boxes are kept, at their corners too, in either precision', () => {
    const entry = fc.record({
      low: fc.double({ min: -5, max: 5, noNaN: true }),
      width: fc.oneof(fc.constant(0), fc.double({ min: 1e-6, max: 10, noNaN: true })),
      at: fc.constantFrom(0, 0.01, 0.5, 1),
    })
    const precision = fc.constantFrom('float64' as const, 'float32' as const)
    fc.assert(
      fc.property(fc.array(entry, { minLength: 1, maxLength: 5 }), precision, (entries, precision) => {
        const set = box({ lower: entries.map(({ low }) => low), upper: entries.map(({ low, width }) => low + width) })
        const start = entries.map(({ low, width, at }) => low + at * width)
        if (precision === 'float32' && entries.some(({ width }) => width < 1e-5)) return
        let isInside = true
        const outcome = solve(
          (x) => {
            isInside &&= set.contains(Float64Array.from(x), 0)
            return rosenbrock(x) + ellipsoid(x)
          },
          start,
          { set, precision, maxQueries: 120 },
        )
        expect(isInside).toBe(true)
        expect(outcome.value).toBeLessThanOrEqual(outcome.asked[0] as number)
      }),
      { numRuns: 60, seed: 3 },
    )
  })

  test('in a set that is no box the projections are asked, and the minimum on its border is found', () => {
    const set = simplex()
    const outcome = solve(
      (x) => {
        expect(set.contains(Float64Array.from(x), 1e-12)).toBe(true)
        return square((x[0] as number) - 1) + square((x[1] as number) - 1) + square(x[2] as number)
      },
      [1 / 3, 1 / 3, 1 / 3],
      { set },
    )
    expect(outcome.stopReason).toBe('converged')
    expect(outcome.value).toBeCloseTo(0.5, 8)
    expect(outcome.point[2]).toBeCloseTo(0, 4)
  })
})

describe('what can go wrong', () => {
  /** Noise that is a function of how often was asked: the same in every run. */
  const noisy = (f: Function, share: number): Function => {
    let state = 12345
    return (x) => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0
      return f(x) * (1 + share * (2 * (state / 2 ** 32) - 1))
    }
  }

  test('noise is seen, the run uses its budget, and ends with a point that is good without the noise', () => {
    const f: Function = (x) => ellipsoid(x) + 1
    const outcome = solve(noisy(f, 1e-2), [3, 3, 3, 3], { maxQueries: 400 })
    expect(outcome.stopReason).toBe('max-queries')
    expect(f(outcome.point)).toBeLessThan(1.02)
  })

  test('noise ends a run without a limit on queries early', () => {
    const outcome = solve(
      noisy((x) => ellipsoid(x) + 1, 1e-2),
      [3, 3, 3, 3],
    )
    expect(outcome.stopReason).toBe('converged')
    expect(outcome.queries).toBeLessThan(200)
  })

  test('failed queries count as high: a function that is defined on a half only is solved', () => {
    const f: Function = (x) => ((x[0] as number) < 0.9 ? Number.NaN : rosenbrock(x))
    const outcome = solve(f, [2, 2], { failures: 'worst', maxQueries: 500 })
    expect(outcome.value).toBeLessThan(1e-8)
  })

  test('huge values do not spoil the model for good', () => {
    const f: Function = (x) => ((x[0] as number) > 3.1 ? 1e300 : ellipsoid(x))
    expect(solve(f, [3, 3], { maxQueries: 600 }).value).toBeLessThan(1e-6)
  })

  test('a kink does not stop it before the budget or the end of the radius', () => {
    const f: Function = (x) => Array.from(x).reduce((sum, each) => sum + Math.abs(each - 0.3), 0)
    expect(solve(f, [2, -1, 1], { maxQueries: 2000 }).value).toBeLessThan(1e-4)
  })

  test('points in float32 are no nearer to each other than float32 can tell', () => {
    const seen = new Set<string>()
    const outcome = solve(
      (x) => {
        seen.add(Array.from(x).join())
        return rosenbrock(x)
      },
      [-1.2, 1],
      { precision: 'float32' },
    )
    expect(outcome.stopReason).toBe('converged')
    expect(outcome.value).toBeLessThan(1e-7)
    // The best point is asked twice, to see noise.
    expect(outcome.queries - seen.size).toBeLessThanOrEqual(3)
  })

  test('more than 1000 variables are refused, more than 100 are warned of', () => {
    expect(() => createSession(new Float64Array(1001), { solver: trustRegion() })).toThrow(
      'trust-region takes at most 1000 variables, got 1001: its model needs about 8 d^2 numbers and 2 d queries to begin ' +
        'with. Use quasi-newton, or zo-adamm where the budget is a few times d',
    )
    const outcome = solve(ellipsoid, new Array<number>(101).fill(1.5), { maxQueries: 210 })
    expect(outcome.warnings).toEqual([
      'trust-region is meant for up to 100 variables, this run has 101: quasi-newton is faster',
    ])
  })
})

test('resumes bit for bit through shifts of the base, smaller radii, noise and restarts', () => {
  const options = { solver: trustRegion({ finalShare: 1e-3 }), maxQueries: 260 }
  const f = (x: ArrayLike<number>, k: number): number => rosenbrock(x) + 1e-3 * ((k * 7919) % 13)
  const run = (from?: Checkpoint): { values: number[]; saved: Checkpoint[] } => {
    const session = createSession([-1.2, 1, 0.5], { ...options, ...(from && { resume: from }) })
    const values: number[] = []
    const saved: Checkpoint[] = []
    while (session.outcome === undefined) {
      const at = 3 * session.checkpoint().iteration
      const told = points(session.ask()).map((row, i) => f(row, at + i))
      values.push(...told)
      session.tell(told)
      saved.push(session.checkpoint())
    }
    return { values, saved }
  }
  const whole = run()
  expect(whole.values.length).toBeGreaterThan(250)
  for (let k = 0; k < whole.saved.length - 1; k += 5) {
    const { values } = run(whole.saved[k] as Checkpoint)
    expect(values).toEqual(whole.values.slice(whole.values.length - values.length))
  }
})
