import { describe, expect, test } from 'vitest'
import type { Checkpoint } from '../core/checkpoint.ts'
import { decodeCheckpoint, encodeCheckpoint } from '../core/checkpoint-json.ts'
import type { Outcome } from '../core/errors.ts'
import { points } from '../core/points.ts'
import { createSession, type Session } from '../core/session.ts'
import type { SessionOptions } from '../core/session-options.ts'
import { normalTile } from '../kernels/normals.ts'
import { box } from '../sets/box.ts'
import { noisyDescent } from './noisy-descent.ts'

type Function = (x: ArrayLike<number>) => number

/** A normal number that depends on nothing but its place in the run. */
const normal = (k: number): number => {
  const into = new Float32Array(8)
  normalTile({ seed: 99, iteration: k, row: 0 }, 0, 8, into)
  return into[0] as number
}

/** Coupled, badly scaled, with minimum 0 at 1, 1/2, 1/3, ... */
const valley: Function = (x) => {
  let sum = 0
  for (let i = 0; i < x.length; i++) {
    const own = (x[i] as number) - 1 / (i + 1)
    const last = i === 0 ? 0 : (x[i - 1] as number) - 1 / i
    sum += (1 + 10 * (i % 3)) * (own - 0.5 * last) * (own - 0.5 * last)
  }
  return sum
}
const additive =
  (f: Function, sigma: number) =>
  (x: ArrayLike<number>, k: number): number =>
    f(x) + sigma * normal(k)

function finish(
  session: Session,
  f: (x: ArrayLike<number>, k: number) => number,
  each?: (rows: number) => void,
): Outcome {
  while (session.outcome === undefined) {
    const { queries } = session.checkpoint()
    const rows = points(session.ask())
    session.tell(rows.map((x, row) => f(x, queries + row)))
    each?.(rows.length)
  }
  return session.outcome
}

const begin = (dim: number, options: Partial<SessionOptions>): Session =>
  createSession(new Float64Array(dim), { solver: noisyDescent(), seed: 5, ...options })

const start = (dim: number): number => valley(new Float64Array(dim))

describe('under constant noise of a thousandth of the way', () => {
  test.each([
    [1, 40],
    [2, 150],
    [5, 400],
    [10, 900],
  ])('ends within the noise of the minimum with %i variables and %i queries', (dim, maxQueries) => {
    const sigma = 1e-3 * start(dim)
    const outcome = finish(begin(dim, { maxQueries }), additive(valley, sigma))
    expect(outcome).toMatchObject({ status: 'finished', stopReason: 'max-queries', queries: maxQueries })
    expect(valley(outcome.point)).toBeLessThan(sigma)
  })

  test.each([
    [40, 4000],
    [250, 6000],
  ])('comes near with %i variables, too, where no regression is possible', (dim, maxQueries) => {
    const sigma = 1e-3 * start(dim)
    const outcome = finish(begin(dim, { maxQueries }), additive(valley, sigma))
    expect(valley(outcome.point)).toBeLessThan(0.05 * start(dim))
    expect(outcome.queries).toBeLessThanOrEqual(maxQueries)
  })

  test('above 200 variables it remembers no more than 30 vectors of their number', () => {
    const dim = 1000
    const session = begin(dim, { maxQueries: 5000 })
    finish(session, additive(valley, 1e-3 * start(dim)))
    const { vectors } = session.checkpoint().memory
    expect(Object.values(vectors).reduce((sum, vector) => sum + vector.length, 0)).toBeLessThan(30 * dim)
  })
})

test('under noise in proportion to the value it gets far below the noise of the start', () => {
  const noisy = (x: ArrayLike<number>, k: number): number => valley(x) * (1 + 1e-3 * normal(k))
  const outcome = finish(begin(4, { maxQueries: 1000 }), noisy)
  expect(valley(outcome.point)).toBeLessThan(1e-6 * start(4))
})

test('ends with the value of the answer when it is asked again, not with the luckiest', () => {
  const sigma = 1e-3 * start(3)
  let least = Infinity
  const noisy = additive(valley, sigma)
  const outcome = finish(begin(3, { maxQueries: 300 }), (x, k) => {
    const value = noisy(x, k)
    least = Math.min(least, value)
    return value
  })
  expect(least).toBeLessThan(outcome.value)
  expect(outcome.value).toBe(outcome.last.value)
  expect(outcome.point).toEqual(outcome.last.point)
})

test('an exact function is minimised to rounding, and the run ends converged with the lowest value', () => {
  const outcome = finish(begin(5, { maxQueries: 5000 }), valley)
  expect(outcome).toMatchObject({ status: 'finished', stopReason: 'converged' })
  expect(outcome.value).toBeLessThan(1e-12)
  expect(outcome.value).toBe(valley(outcome.point))
})

test('a constant function ends the run', () => {
  expect(finish(begin(3, { maxQueries: 500 }), () => 4)).toMatchObject({ stopReason: 'converged', value: 4 })
})

test('noise alone spends the budget and no more', () => {
  for (const maxQueries of [1, 2, 3, 5, 6, 8, 17, 60, 301]) {
    let asked = 0
    const outcome = finish(
      begin(3, { maxQueries }),
      (_, k) => normal(k),
      (rows) => {
        asked += rows
      },
    )
    expect(asked).toBe(outcome.queries)
    expect(outcome.queries).toBeLessThanOrEqual(maxQueries)
    expect(outcome.stopReason).toBe('max-queries')
  }
})

test('never leaves a box, and finds a minimum on its border', () => {
  const set = box({ lower: -1, upper: [0.5, 1, 1, 0.1] })
  const outside: number[][] = []
  const sigma = 1e-3 * start(4)
  const noisy = additive(valley, sigma)
  const session = begin(4, { maxQueries: 600, set })
  const outcome = finish(session, (x, k) => {
    if (!set.contains(Float64Array.from(x))) outside.push(Array.from(x))
    return noisy(x, k)
  })
  expect(outside).toEqual([])
  const exact = finish(begin(4, { maxQueries: 5000, set }), valley)
  expect(valley(outcome.point) - valley(exact.point)).toBeLessThan(2 * sigma)
})

test('half of the queries may fail', () => {
  const sigma = 1e-3 * start(3)
  const noisy = additive(valley, sigma)
  const outcome = finish(begin(3, { maxQueries: 800, failures: 'skip' }), (x, k) =>
    normal(k + 100_000) > 0 ? Number.NaN : noisy(x, k),
  )
  expect(valley(outcome.point)).toBeLessThan(5 * sigma)
  expect(outcome.failures.count).toBeGreaterThan(300)
})

describe.each([
  ['all models made anew', 3, 150, 1],
  ['models that take in answers', 9, 700, 5],
  ['no regression', 31, 600, 3],
])('with %s', (_, dim, maxQueries, every) => {
  test('goes on from a checkpoint with the same bits, through JSON', () => {
    const noisy = additive(valley, 1e-3 * start(dim))
    const whole = begin(dim, { maxQueries })
    const saved: Checkpoint[] = [whole.checkpoint()]
    const outcome = finish(whole, noisy, () => saved.push(whole.checkpoint()))
    expect(saved.length).toBeGreaterThan(10)
    saved.forEach((checkpoint, k) => {
      if (k % every !== 0) return
      const resume = decodeCheckpoint(encodeCheckpoint(checkpoint))
      expect(finish(begin(dim, { maxQueries, resume }), noisy)).toEqual(outcome)
    })
  })
})

test('a run whose budget grows goes on', () => {
  const sigma = 1e-3 * start(5)
  const noisy = additive(valley, sigma)
  const first = begin(5, { maxQueries: 60 })
  const before = finish(first, noisy)
  const after = finish(begin(5, { maxQueries: 500, resume: first.checkpoint() }), noisy)
  expect(after.queries).toBe(500)
  expect(valley(after.point)).toBeLessThan(Math.min(sigma, valley(before.point)))
})
