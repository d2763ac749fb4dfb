import { describe, expect, test } from 'vitest'
import { points } from '../core/answers.ts'
import { decodeCheckpoint, encodeCheckpoint } from '../core/checkpoint.ts'
import type { Outcome } from '../core/errors.ts'
import { createSession, type Session } from '../core/session.ts'
import type { SessionOptions } from '../core/session-options.ts'
import type { Checkpoint, ConvexSet } from '../core/types.ts'

import { normalTile } from '../kernels/normals.ts'
import { minimizeSync } from '../minimize/minimize-sync.ts'
import { box } from '../parts/sets/boxes.ts'
import { startWarnings } from './auto.ts'
import { auto } from './auto-part.ts'

type Function = (x: Float64Array) => number
type Settings = Omit<Partial<SessionOptions>, 'variables'>

const rosenbrock: Function = (x) => {
  let sum = 0
  for (let i = 0; i + 1 < x.length; i++) {
    const [a, b] = [x[i] as number, x[i + 1] as number]
    sum += 100 * (b - a * a) * (b - a * a) + (1 - a) * (1 - a)
  }
  return sum
}
const bowl: Function = (x) => x.reduce((sum, each, i) => sum + (i + 1) * (each - i) * (each - i), 0)

/** Runs auto, and checks what must hold for every run: the count, the set, finite points, the phases. */
function run(f: Function, start: readonly number[], options: Settings = {}, set: ConvexSet | undefined = undefined) {
  let asked = 0
  const counted: Function = (x) => {
    asked++
    if (!x.every(Number.isFinite)) throw new Error(`asked ${x}`)
    if (set !== undefined && !set.contains(x)) throw new Error(`asked ${x}, outside`)
    return f(x)
  }
  const result = minimizeSync(counted, start, { solver: auto(), seed: 1, ...options, ...(set && { set }) })
  expect(result.queries).toBe(asked)
  expect(result.queries).toBeLessThanOrEqual(options.maxQueries ?? (isLimited(options) ? Infinity : 10_000))
  expect(result.phases?.reduce((sum, { queries }) => sum + queries, 0)).toBe(result.queries)
  return result
}

function isLimited({ maxIterations, maxTime }: Settings): boolean {
  return maxIterations !== undefined || maxTime !== undefined
}

describe('a start without a value', () => {
  const f: Function = (x) => (x[0] === 1 ? Number.NaN : bowl(x))

  test('ends the run under the policy stop, and the error says why', () => {
    expect(() => run(f, [1, 2])).toThrow('the objective returned NaN')
    expect(() => run((x) => (x[0] === 1 ? -Infinity : 0), [1, 2])).toThrow('the objective returned -Infinity')
  })

  test.each(['skip', 'worst'] as const)('is left for other starts under the policy %s', (failures) => {
    const { value, stopReason, phases, warnings } = run(f, [1, 2], { failures })
    expect(value).toBeLessThan(1e-20)
    expect(stopReason).toBe('converged')
    expect(phases?.map(({ method }) => method)).toEqual(['probe', 'quasi-newton', 'restarts'])
    expect(phases?.[0]?.value).toBeNaN()
    expect(warnings).toEqual([])
  })

  test.each(['skip', 'worst'] as const)('and nowhere else either: the budget is spent under %s', (failures) => {
    const { value, failures: failed, queries, warnings } = run(() => Number.NaN, [1, 2], { failures, maxQueries: 200 })
    expect([value, failed.count]).toEqual([Number.NaN, queries])
    expect(warnings).toEqual(['every query failed'])
  })

  test('is left for a population where the budget is small', () => {
    const { phases } = run(() => Number.NaN, [1, 2, 3, 4], { failures: 'skip', maxQueries: 18 })
    expect(phases?.map(({ method }) => method)).toEqual(['probe', 'block-descent', 'cma-es'])
  })
})

describe('queries that fail', () => {
  const halfSpace: Function = (x) => ((x[0] as number) < 0.5 ? Number.NaN : bowl(x))

  test.each(['skip', 'worst'] as const)('on half of the space leave the other half, under %s', (failures) => {
    const { value, point } = run(halfSpace, [1, 2], { failures, maxQueries: 2000 })
    expect(point[0]).toBeGreaterThanOrEqual(0.5)
    expect(value).toBeLessThan(0.26)
  })

  test('may end a run that has no budget to look further, with a warning', () => {
    const { stopReason, warnings } = run(halfSpace, [1, 2], { failures: 'skip' })
    expect(stopReason).toBe('converged')
    expect(warnings).toEqual([expect.stringMatching(/queries failed: .* more maxQueries/)])
  })

  test.each([3, 10, 300])('every second time do not stop a run of %i queries', (maxQueries) => {
    for (const failures of ['skip', 'worst'] as const) {
      let calls = 0
      const {
        value,
        queries,
        failures: failed,
      } = run((x) => (calls++ % 2 === 1 ? Number.NaN : bowl(x)), [1, 2, 3], { failures, maxQueries })
      expect(value).toBeLessThanOrEqual(6)
      expect(failed.count).toBe(Math.floor(queries / 2))
    }
  })
})

describe('odd functions', () => {
  test('one with steps gets as low as it can by looking around', () => {
    const steps: Function = (x) => x.reduce((sum, each) => sum + Math.floor(Math.abs(3 * each)), 0)
    expect(run(steps, [1.2, 2.3], { maxQueries: 400 }).value).toBe(0)
    expect(run(steps, [1.2, 2.3])).toMatchObject({ value: 0, stopReason: 'converged', warnings: [] })
  })

  test('a constant one ends early, with a warning', () => {
    const { stopReason, queries, warnings } = run(() => 3, [1, 2], { maxQueries: 5000 })
    expect(stopReason).toBe('converged')
    expect(queries).toBeLessThan(2500)
    expect(warnings).toEqual([expect.stringContaining('answers were the same')])
  })

  test.each<[string, Function, number[]]>([
    ['a line', (x) => -(x[0] as number), [1]],
    ['a parabola', (x) => -bowl(x), [1, 2]],
    ['a line of twelve variables', (x) => (x[3] as number) - (x[0] as number), new Array(12).fill(1)],
    ['a line of 120 variables', (x) => (x[3] as number) - (x[0] as number), new Array(120).fill(1)],
  ])('%s without a minimum ends with a warning, at a finite point', (_, f, start) => {
    for (const maxQueries of [undefined, 3000]) {
      const { value, warnings } = run(f, start, { maxQueries })
      expect(value).toBeLessThan(-1e30)
      expect(warnings).toEqual([expect.stringContaining('unbounded')])
    }
  })

  test('one that overflows ends at the last finite value', () => {
    const { value, warnings } = run((x) => -Math.exp(x[0] as number), [1, 2], { failures: 'skip' })
    expect(value).toBeLessThan(-1e200)
    expect(value).toBeGreaterThan(-Infinity)
    expect(warnings).toEqual([expect.stringContaining('unbounded')])
  })

  test('points of float32 do not overflow either', () => {
    const line: Function = (x) => -(x[0] as number)
    expect(run(line, [1, 2], { precision: 'float32', maxQueries: 500 }).value).toBeGreaterThan(-3.5e38)
  })
})

describe('scales', () => {
  test.each([1e-30, 1e-8, 1e8, 1e30])('a function times %d has the same minimum', (factor) => {
    const { value, point } = run((x) => factor * rosenbrock(x), [-1.2, 1])
    expect(value / factor).toBeLessThan(1e-20)
    expect(point[0]).toBeCloseTo(1, 9)
  })

  test.each([1e8, 1e30])('variables of size %d are seen at the start', (size) => {
    const { value } = run((x) => rosenbrock(x.map((each) => each / size)), [-1.2 * size, size])
    expect(value).toBeLessThan(1e-20)
  })

  test('variables of sizes that differ by 1e16 get a warning that names scale, and with it the minimum', () => {
    const f: Function = (x) => ((x[0] as number) * 1e8 - 1) ** 2 + ((x[1] as number) / 1e8 - 1) ** 2
    const without = run(f, [0, 0])
    expect(without.value).toBeGreaterThan(0.9)
    expect(without.warnings).toEqual([expect.stringMatching(/^bad scaling: .* variables 0 and 1 .* set scale/)])
    const scaled = run(f, [0, 0], { solver: auto({ scale: [1e-8, 1e8] }) })
    expect(scaled).toMatchObject({ value: 0, warnings: [] })
  })
})

describe('boxes', () => {
  test('that are empty are an error', () => {
    expect(() => run(bowl, [1, 2], {}, box({ lower: 1, upper: 0 }))).toThrow(
      'box is empty: coordinate 0 has lower 1 and upper 0',
    )
  })

  test('keep a variable whose bounds are equal', () => {
    const { point, value } = run(
      rosenbrock,
      [0.5, 0.5],
      { maxQueries: 500 },
      box({ lower: [0.5, -1], upper: [0.5, 1] }),
    )
    expect(point[0]).toBe(0.5)
    expect(value).toBeCloseTo(0.25, 12)
  })

  test('of one point end at once', () => {
    const set = box({ lower: [0.5, -1], upper: [0.5, -1] })
    const { queries, stopReason, warnings } = run(rosenbrock, [0.5, -1], { maxQueries: 500 }, set)
    expect({ queries, stopReason }).toEqual({ queries: 3, stopReason: 'converged' })
    expect(warnings).toEqual([expect.stringContaining('nothing to minimize')])
  })

  test('take a start from outside to their edge', () => {
    const { point, warnings } = run(rosenbrock, [5, -7], {}, box({ lower: [0.5, -1], upper: [0.75, 2] }))
    expect(point[0]).toBe(0.75)
    expect(point[1]).toBeCloseTo(0.5625, 9)
    expect(warnings).toEqual([expect.stringContaining('outside the set')])
  })

  test('may be open on a side', () => {
    const set = box({ lower: [0.5, -Infinity], upper: [Infinity, 2] })
    expect(run(rosenbrock, [5, -7], {}, set)).toMatchObject({ stopReason: 'converged' })
    expect(run(rosenbrock, [5, -7], { maxQueries: 600 }, set).value).toBeLessThan(1e-20)
  })

  test.each([3, 10, 500, undefined])('of width 1e-9 are never left, with %s queries', (maxQueries) => {
    const set = box({ lower: 0.5, upper: 0.5 + 1e-9 })
    const { value } = run(rosenbrock, [0.5, 0.5], { maxQueries }, set)
    const [low, high] = [rosenbrock(new Float64Array([0.5 + 1e-9, 0.5])), rosenbrock(new Float64Array([0.5, 0.5]))]
    if (maxQueries === undefined) expect(value).toBe(low)
    else expect(value >= low && value < high).toBe(true)
  })
})

describe('limits', () => {
  test.each([
    [1, 1],
    [2, 2],
    [3, 3],
    [10, 10],
  ])('%i queries are %i, and too few get a warning', (maxQueries, used) => {
    const { queries, value, warnings } = run(bowl, [1, 2, 3], { maxQueries })
    expect(queries).toBe(used)
    if (maxQueries < 10) expect(warnings).toEqual([expect.stringMatching(/budget allows no iteration|too small/)])
    else expect(value).toBeLessThan(6)
  })

  test('one variable is enough', () => {
    const { value, stopReason } = run((x) => ((x[0] as number) - 3) ** 2, [1.2])
    expect({ value, stopReason }).toEqual({ value: 0, stopReason: 'converged' })
  })

  test('iterations alone end a run, wherever it is', () => {
    for (const maxIterations of [1, 2, 5, 50, 500]) {
      const { iterations, stopReason } = run(rosenbrock, [-1.2, 1], { maxIterations })
      expect({ iterations, stopReason }).toEqual({ iterations: maxIterations, stopReason: 'max-iterations' })
    }
  })

  test('time alone ends a run', () => {
    let now = 0
    const { stopReason, queries } = run(rosenbrock, [-1.2, 1], { maxTime: 1000, clock: () => now++ })
    expect(stopReason).toBe('max-time')
    expect(queries).toBeGreaterThan(100)
  })

  test('a target ends a run at the query that reached it', () => {
    const { value, stopReason, queries } = run(rosenbrock, [-1.2, 1], { target: 1e-3 })
    expect(stopReason).toBe('target')
    expect(value).toBeLessThanOrEqual(1e-3)
    expect(queries).toBeLessThan(200)
  })
})

/** A normal number that depends on nothing but its place in the run. */
function normal(place: number): number {
  const into = new Float32Array(8)
  normalTile({ seed: 99, iteration: place, row: 0 }, 0, 8, into)
  return into[0] as number
}

/** Takes a session to its end; noise depends on the number of the query alone. */
function finish(session: Session, sigma: number, each?: (checkpoint: Checkpoint) => void): Outcome {
  while (session.outcome === undefined) {
    const { queries } = session.checkpoint()
    const rows = points(session.ask())
    session.tell(rows.map((x, row) => rosenbrock(x as Float64Array) + sigma * normal(queries + row)))
    if (session.outcome === undefined) each?.(session.checkpoint())
  }
  return session.outcome
}

describe('a run that is resumed', () => {
  test('with a budget for which another method would be chosen keeps its own', () => {
    const set = box({ lower: -2, upper: 2 })
    const begin = (maxQueries: number, resume?: Checkpoint): Session =>
      createSession([-1.2, 1], { solver: auto(), seed: 3, set, maxQueries, resume })
    const few = begin(30)
    finish(few, 0)
    const more = finish(begin(600, few.checkpoint()), 0)
    expect(more.phases?.map(({ method }) => method)).toEqual(['bayesian'])
    expect(more.queries).toBeGreaterThan(40)
    expect(more.value).toBeLessThan(1e-9)
    const many = begin(600)
    for (let k = 0; k < 4; k++) many.tell(points(many.ask()).map((x) => rosenbrock(x as Float64Array)))
    const fewer = finish(begin(100, many.checkpoint()), 0)
    expect(fewer.phases?.[0]?.method).toBe('probe')
  })

  test.each<[string, number, Settings, string[]]>([
    ['exact', 0, { maxQueries: 380 }, ['probe', 'quasi-newton', 'restarts', 'cma-es']],
    ['noisy', 0.01, { maxQueries: 300 }, ['probe', 'noisy-descent']],
    ['short', 0, { maxQueries: 10 }, ['probe', 'block-descent']],
    [
      'boxed',
      0,
      { maxQueries: 520, set: box({ lower: -2, upper: 0.8 }) },
      ['probe', 'quasi-newton', 'restarts', 'cma-es'],
    ],
    ['boxed, few queries', 0, { maxQueries: 40, set: box({ lower: -2, upper: 0.8 }) }, ['bayesian']],
  ])(
    'after any iteration ends with the same bits (%s)',
    (_, sigma, settings, methods) => {
      const options = { solver: auto(), seed: 3, ...settings }
      const begin = (resume?: Checkpoint): Session =>
        createSession([-1.2, 1], { ...options, ...(resume && { resume }) })
      const saved: Checkpoint[] = []
      const whole = finish(begin(), sigma, (checkpoint) => saved.push(checkpoint))
      expect(whole.phases?.map(({ method }) => method)).toEqual(methods)
      expect(saved.length).toBeGreaterThan(4)
      for (const checkpoint of saved) {
        expect(finish(begin(decodeCheckpoint(encodeCheckpoint(checkpoint))), sigma)).toEqual(whole)
      }
    },
    60_000,
  )
})

describe('a run that is extended', () => {
  const options = { solver: auto(), seed: 3 }

  /** Ends a run, and goes on with a larger budget; also once more, resumed after each iteration. */
  function extended(dim: number, first: Settings, second: Settings): { before: Outcome; after: Outcome } {
    const start = new Float64Array(dim).fill(-0.5)
    const ended = createSession(start, { ...options, ...first })
    const before = finish(ended, 0)
    const resume = ended.checkpoint()
    const after = finish(createSession(start, { ...options, ...second, resume }), 0)
    let pieces = createSession(start, { ...options, ...second, resume })
    while (pieces.outcome === undefined) {
      pieces.tell(points(pieces.ask()).map((x) => rosenbrock(x as Float64Array)))
      if (pieces.outcome !== undefined) break
      pieces = createSession(start, { ...options, ...second, resume: pieces.checkpoint() })
    }
    expect(pieces.outcome).toEqual(after)
    return { before, after }
  }

  test.each([1, 2, 3, 12, 40, 150, 300, 600])('from %i queries uses the larger budget', (maxQueries) => {
    const { before, after } = extended(2, { maxQueries }, { maxQueries: maxQueries + 400 })
    expect(after.queries).toBeGreaterThan(before.queries + 360)
    expect(after.queries).toBeLessThanOrEqual(maxQueries + 400)
    expect(after.value).toBeLessThanOrEqual(before.value)
    expect(after.phases?.reduce((sum, { queries }) => sum + queries, 0)).toBe(after.queries)
    const methods = (of: Outcome): string[] => (of.phases ?? []).map(({ method }) => method)
    expect(methods(after).slice(0, methods(before).length)).toEqual(methods(before))
  })

  test('spends the larger budget of a noisy run as well as one that had it from the beginning', () => {
    const start = new Float64Array(4).fill(3)
    const exact = (x: ArrayLike<number>): number => bowl(Float64Array.from(x))
    const noisyRun = (seed: number, maxQueries: number, resume?: Checkpoint) => {
      const session = createSession(start, { solver: auto(), seed, maxQueries, ...(resume && { resume }) })
      const asked = new Set<string>()
      while (session.outcome === undefined) {
        const { queries } = session.checkpoint()
        const rows = points(session.ask())
        for (const x of rows) asked.add(String(x))
        session.tell(rows.map((x, row) => exact(x) + 0.05 * normal(10_000 * seed + queries + row)))
      }
      const { point } = session.outcome
      return { queries: session.outcome.queries, asked: asked.size, error: exact(point), end: session.checkpoint() }
    }
    const results = Array.from({ length: 15 }, (_, i) => i + 1).map((seed) => {
      const first = noisyRun(seed, 100)
      return { first, extended: noisyRun(seed, 1000, first.end), fresh: noisyRun(seed, 1000) }
    })
    for (const { extended } of results) expect(extended).toMatchObject({ queries: 1000 })
    expect(Math.min(...results.map(({ extended }) => extended.asked))).toBeGreaterThan(400)
    const middle = (of: 'first' | 'extended' | 'fresh') =>
      results.map((each) => each[of].error).sort((a, b) => a - b)[7]
    expect(middle('extended')).toBeLessThan(0.5 * (middle('first') as number))
    expect(middle('extended')).toBeLessThan(3 * (middle('fresh') as number))
  })

  test('keeps its kind of matrix, though the larger budget would have had another', () => {
    const { before, after } = extended(30, { maxQueries: 400 }, { maxQueries: 3500 })
    expect(before.phases?.at(-1)?.method).toBe('quasi-newton')
    expect(after.value).toBeLessThan(before.value)
  })

  test('after it had converged without a budget looks for a lower minimum', () => {
    const { before, after } = extended(2, {}, { maxQueries: 1000 })
    expect(before).toMatchObject({ stopReason: 'converged' })
    expect(after.phases?.map(({ method }) => method)).toEqual(['probe', 'quasi-newton', 'restarts', 'cma-es'])
  })
})

test('a hundred thousand variables take no matrix', () => {
  const dim = 100_000
  const session = createSession(new Float64Array(dim).fill(1), { solver: auto(), seed: 1, maxQueries: 600_000 })
  for (let iteration = 0; iteration < 3; iteration++) session.tell(new Float64Array(session.ask().rows).fill(iteration))
  const { vectors } = session.checkpoint().memory
  const numbers = Object.values(vectors).reduce((sum, { length }) => sum + length, 0)
  // Those of the limited matrix, (2 x 20 + 6) d, the answers to the gradient at work, and three points of auto itself.
  expect(numbers).toBeLessThanOrEqual((2 * 20 + 6 + 1 + 4) * dim)
})

const sphere = (x: Float64Array): number => x.reduce((sum, each) => sum + (each - 1) * (each - 1), 0)

test.each([1, 2])('a failure of query %i, at the start, is not taken for noise', (failing) => {
  let asked = 0
  const f = (x: Float64Array): number => (++asked === failing ? Number.NaN : sphere(x))
  const { phases, value } = minimizeSync(f, [3, 4], { failures: 'skip' })
  expect(phases?.map(({ method }) => method)).toEqual(['probe', 'quasi-newton'])
  expect(value).toBeLessThan(1e-20)
})

test('answers that differ at the start are noise', () => {
  let asked = 0
  const { phases } = minimizeSync((x) => sphere(x) + (asked++ % 2) * 0.1, [3, 4], { maxQueries: 200 })
  expect(phases?.map(({ method }) => method)).toEqual(['probe', 'noisy-descent'])
})

const calm = { dim: 3, budget: { maxQueries: 100 }, population: undefined, answers: [2, 2] as const }

describe('warnings at the start', () => {
  test('are none where answers agree and there is a query per variable', () => {
    expect(startWarnings(calm)).toEqual([])
    expect(startWarnings({ ...calm, budget: { maxQueries: 6 } })).toEqual([])
    expect(startWarnings({ ...calm, budget: {} })).toEqual([])
  })

  test('say how much two answers differ, but not for the terms of a sum', () => {
    expect(startWarnings({ ...calm, answers: [2, 2.5] })).toEqual([
      expect.stringContaining('two answers at the start differ by 0.5 (20 %)'),
    ])
    expect(startWarnings({ ...calm, answers: [2, 2.5], population: 10 })).toEqual([])
    expect(startWarnings({ ...calm, answers: [2, Number.NaN] })).toEqual([])
  })

  test('say that the budget is too small for the variables, and whether it was chosen', () => {
    expect(startWarnings({ ...calm, budget: { maxQueries: 5 } })).toEqual([
      expect.stringMatching(/^maxQueries 5 is too small.*one per variable \(3\); raise maxQueries/),
    ])
    expect(startWarnings({ ...calm, dim: 20_000, budget: { maxQueries: 10_000, isDefault: true } })).toEqual([
      expect.stringContaining('the usual maxQueries 10000'),
    ])
  })
})

test('a noisy objective and a small budget are reported by a run of auto, an exact one is not', () => {
  const bowl = (x: Float64Array) => x.reduce((sum, each) => sum + each * each, 0)
  let calls = 0
  const noisy = (x: Float64Array) => bowl(x) + 0.01 * (calls++ % 2)
  const warningsOf = (f: typeof bowl, maxQueries: number) =>
    minimizeSync(f, [1, 2, 3], { solver: auto(), maxQueries }).warnings
  expect(warningsOf(bowl, 200)).toEqual([])
  expect(warningsOf(noisy, 200)).toEqual([expect.stringContaining('differ by 0.01 (0.071 %)')])
  expect(warningsOf(bowl, 2)).toEqual([expect.stringContaining('maxQueries 2 is too small')])
})

test('a budget below the number of variables is reported', () => {
  const sum = (x: Float64Array) => x.reduce((total, each) => total + Math.abs(each), 0)
  const { warnings } = minimizeSync(sum, new Float64Array(60).fill(1), { solver: auto(), maxQueries: 50 })
  expect(warnings).toEqual([expect.stringContaining('maxQueries 50 is too small')])
})

test('a start that fails has nothing to do with noise', () => {
  let calls = 0
  const f = ([x = 0]: Float64Array) => (calls++ === 0 ? Number.NaN : x * x)
  const { warnings } = minimizeSync(f, [3], { solver: auto(), maxQueries: 60, failures: 'skip' })
  expect(warnings).toEqual([])
})

describe('what the start does not show', () => {
  const noise = (): (() => number) => {
    let state = 1
    return () => {
      state = (state * 48271) % 2147483647
      return state / 2147483647 - 0.5
    }
  }
  test('noise of arithmetic is none: it costs a small part of the usual budget', () => {
    const next = noise()
    const { value, queries, stopReason } = run((x) => (bowl(x) + 1) * (1 + 2e-10 * next()), [3, 4, 5])
    expect(stopReason).toBe('converged')
    expect(value).toBeCloseTo(1, 7)
    expect(queries).toBeLessThan(3000)
  })

  test('a hole in a plateau is found by wider and wider populations', () => {
    const hole: Function = ([x = 0, y = 0]) => Math.min((x - 3) ** 2 + (y - 3) ** 2 - 1, 0)
    expect(run(hole, [0, 0], { maxQueries: 2000 }).value).toBeLessThan(-0.999)
  })
})
