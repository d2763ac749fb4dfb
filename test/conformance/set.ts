import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { originOf } from '../../src/optimizer/core/part.ts'
import type { ConvexSet, Vector } from '../../src/optimizer/core/types.ts'

/** One way to try a set: two points to project and a metric, and a third point that is projected to get into the set. */
interface Trial {
  readonly y: Float64Array
  readonly other: Float64Array
  readonly seed: Float64Array
  readonly metric: Float64Array
}

/** What every set must satisfy, whatever it is made of (SPEC R4.10). `make` gives the sets to try in a dimension. */
export function setConformance(name: string, make: (dim: number) => readonly ConvexSet[]): void {
  const holds = (statement: string, check: (set: ConvexSet, trial: Trial) => void, runs = 25) =>
    test(statement, () => {
      const property = fc.property(trials, (trial) => {
        for (const set of make(trial.y.length)) check(set, trial)
      })
      fc.assert(property, { numRuns: runs, seed: 20191 })
    })

  describe(`${name} as a set`, () => {
    holds('accepts the dimension it was made for', (set, { y }) => set.check(y.length))

    holds('projects to a point that it contains, without any tolerance', (set, { y, metric }) => {
      expect(set.contains(projected(set, y, metric))).toBe(true)
      expect(set.contains(projected(set, y))).toBe(true)
    })

    holds('leaves a point it contains as it is, bit for bit', (set, { y, metric }) => {
      const inside = projected(set, y)
      expect(projected(set, inside, metric)).toStrictEqual(inside)
      if (set.contains(y)) expect(projected(set, y, metric)).toStrictEqual(y)
    })

    holds('finds the nearest point: no z in it has <H(y - Py), z - Py> above 0', (set, { y, seed, metric }) => {
      const nearest = projected(set, y, metric)
      const z = projected(set, seed)
      const scale = squared(y, metric) + squared(nearest, metric) + squared(z, metric)
      expect(inner(minus(y, nearest), minus(z, nearest), metric)).toBeLessThanOrEqual(1e-9 * scale)
    })

    holds('brings no two points further apart in the metric', (set, { y, other, metric }) => {
      const apart = squared(minus(y, other), metric)
      const after = squared(minus(projected(set, y, metric), projected(set, other, metric)), metric)
      const scale = Math.sqrt(squared(y, metric) + squared(other, metric))
      expect(Math.sqrt(after)).toBeLessThanOrEqual(Math.sqrt(apart) + accuracy(set) * scale)
    })

    holds('is convex', (set, { y, seed }) => {
      const a = projected(set, y)
      const b = projected(set, seed)
      const middle = a.map((value, i) => (value + (b[i] as number)) / 2)
      expect(set.contains(middle, 1e-12)).toBe(true)
    })

    holds('projects as Euclid does where the metric is constant', (set, { y, metric }) => {
      const constant = new Float64Array(y.length).fill(metric[0] as number)
      expectClose(projected(set, y, constant), projected(set, y), accuracy(set))
    })

    holds('does not depend on the scale of the metric', (set, { y, metric }) => {
      const nearest = projected(set, y, metric)
      for (const factor of [1e-6, 3, 1024]) {
        const scaled = metric.map((weight) => factor * weight)
        expectClose(projected(set, y, scaled), nearest, accuracy(set))
      }
    })

    holds('needs no metric where it says so', (set, { y, metric }) => {
      if (!set.needsMetric) expect(projected(set, y, metric)).toStrictEqual(projected(set, y))
    })

    holds('is the box it says it is', (set, { y, metric }) => {
      const bounds = set.bounds?.(y.length)
      if (bounds === undefined) return
      const at = (bound: Vector, i: number): number => bound[bound.length === 1 ? 0 : i] as number
      const clipped = y.map((value, i) => Math.max(at(bounds.lower, i), Math.min(at(bounds.upper, i), value)))
      expectClose(projected(set, y, metric), clipped, 0)
    })

    holds('does not care what is in its scratch memory, nor how much more there is', (set, { y, metric }) => {
      const roomy = y.slice()
      set.project(roomy, metric, new Float64Array(set.scratchSize(y.length) + 50))
      expect(projected(set, y, metric)).toStrictEqual(roomy)
    })

    holds('projects float32 points in float64', (set, { y, metric }) => {
      const rounded = Float32Array.from(y)
      const single = projected(set, rounded, Float32Array.from(metric))
      const double = projected(set, Float64Array.from(rounded), Float64Array.from(Float32Array.from(metric)))
      expectClose(Float64Array.from(single), double, 2e-6)
      expect(set.contains(single, isIterated(set) ? 1e-6 : 0)).toBe(true)
      if (!isIterated(set)) expect(projected(set, single)).toStrictEqual(single)
    })
  })
}

/** The projection as a new vector; the scratch memory is full of NaN, so that reading it before writing shows. */
export function projected<V extends Vector>(set: ConvexSet, y: V, metric: Vector | null = null): V {
  const x = y.slice() as V
  set.project(x, metric, new Float64Array(set.scratchSize(y.length)).fill(Number.NaN))
  return x
}

const coordinates = (dim: number) =>
  fc.array(fc.double({ min: -4, max: 4, noNaN: true }), { minLength: dim, maxLength: dim })

/** Weights from 1/1000 to 1000, which sets of several metrics' sizes apart must stand. */
const weights = (dim: number) =>
  fc.array(
    fc.tuple(fc.integer({ min: -10, max: 10 }), fc.double({ min: 1, max: 2, noNaN: true })).map(([e, m]) => m * 2 ** e),
    { minLength: dim, maxLength: dim },
  )

const trials: fc.Arbitrary<Trial> = fc
  .integer({ min: 1, max: 40 })
  .chain((dim) => fc.tuple(coordinates(dim), coordinates(dim), coordinates(dim), weights(dim)))
  .map(([y, other, seed, metric]) => ({
    // + 0 turns -0 into 0, which the comparisons below would tell apart.
    y: Float64Array.from(y, (value) => value + 0),
    other: Float64Array.from(other),
    seed: Float64Array.from(seed),
    metric: Float64Array.from(metric),
  }))

/** How exact an answer can be expected: to rounding, or to some multiple of the tolerance it is iterated to. */
function accuracy(set: ConvexSet): number {
  return isIterated(set) ? 1e4 * (originOf(set)?.options.tolerance as number) : 1e-12
}

/** Whether the set finds its projection by iterating up to a tolerance. */
function isIterated(set: ConvexSet): boolean {
  return originOf(set)?.options.tolerance !== undefined
}

function expectClose(actual: Float64Array, expected: Float64Array, tolerance: number): void {
  const scale = Math.max(1, ...expected.map(Math.abs))
  for (let i = 0; i < expected.length; i++) {
    expect(Math.abs((actual[i] as number) - (expected[i] as number))).toBeLessThanOrEqual(tolerance * scale)
  }
}

function inner(a: Float64Array, b: Float64Array, metric: Float64Array): number {
  return a.reduce((sum, value, i) => sum + (metric[i] as number) * value * (b[i] as number), 0)
}

function squared(a: Float64Array, metric: Float64Array): number {
  return inner(a, a, metric)
}

function minus(a: Float64Array, b: Float64Array): Float64Array {
  return a.map((value, i) => value - (b[i] as number))
}
