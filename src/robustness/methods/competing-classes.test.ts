import { describe, expect, test } from 'vitest'
import { beginning } from '../../../test/conformance/directions.ts'
import type { RunContext, Vector } from '../../optimizer/core/types.ts'
import { box } from '../../optimizer/parts/sets/boxes.ts'
import { type BoundaryProgress, initialProgress } from './boundary-moves.ts'
import {
  beginWalk,
  classBoundaries,
  competingClassesOf,
  nextTurn,
  type Sighting,
  type Standing,
  valuesOf,
} from './competing-classes.ts'
import { coordinateSpan, gradientMemory } from './gradient-memory.ts'

describe('boundaries of competing classes', () => {
  /** Values that fall along the first and the second coordinate, plus the squared distance, as those of an attack. */
  const planes = [(x: Vector) => 6 - 3 * (x[0] as number), (x: Vector) => 4 - 4 * (x[1] as number), () => Infinity]
  const valuesAt = (x: Vector): number[] =>
    planes.map((f) => f(x) + (x[0] as number) * (x[0] as number) + (x[1] as number) * (x[1] as number))

  /** What is seen of the planes from a point, after slopes along all coordinates and a probe outwards. */
  function seenFrom(at: RunContext, x: Vector, probe = 1e-6) {
    const slopes = gradientMemory(at, coordinateSpan(2), false, undefined, 3)
    const around = { x, length: probe, count: 2 }
    const rows = [Float64Array.from(x), ...[0, 1].map(() => new Float64Array(2)), x.map((each) => each * (1 + probe))]
    for (const place of [0, 1]) slopes.write(around, place, rows[place + 1] as Float64Array, 0)
    const competitors = { count: 3, values: Float64Array.from(rows.flatMap((row) => valuesAt(row))) }
    slopes.learn({ values: valuesOf(competitors, 0, 4), failed: new Uint8Array(4) }, around, competitors)
    const length = Math.hypot(...x)
    const seen: Sighting = {
      point: x,
      origin: new Float64Array(2),
      competitors,
      rows: 4,
      probe: probe * length,
      floor: 0,
      rate: 1,
    }
    return { boundaries: classBoundaries(at, slopes), slopes, seen }
  }

  test('knows how far each boundary is from the origin, wherever the slopes were taken, and where it is nearest', () => {
    const { boundaries, seen } = seenFrom(beginning(2), Float64Array.of(1, 0.5))
    const [first, second, own] = boundaries.distances(seen)
    expect(first).toBeCloseTo(2, 2)
    expect(second).toBeCloseTo(1, 2)
    expect(own).toBe(Infinity)
    const nearest = new Float64Array(2)
    expect(boundaries.nearest(seen, 1, nearest)).toBeCloseTo(1, 2)
    expect(nearest[0]).toBeCloseTo(0, 3)
    expect(nearest[1]).toBeCloseTo(1, 2)
  })

  test('a boundary beyond the set is out of reach', () => {
    const { boundaries, seen } = seenFrom(
      beginning(2, { set: box({ lower: -1.5, upper: 1.5 }) }),
      Float64Array.of(1, 0.5),
    )
    expect(Array.from(boundaries.distances(seen), (each) => Math.round(100 * each))).toEqual([Infinity, 100, Infinity])
  })

  test('slopes go on with those of the competitor that is turned to', () => {
    const { slopes } = seenFrom(beginning(2), Float64Array.of(1, 0.5))
    expect(Array.from(slopes.gradient, Math.round)).toEqual([-1, 1])
    slopes.turnTo(1)
    expect(Array.from(slopes.gradient, Math.round)).toEqual([2, -3])
  })

  test('the classes are told apart as long as their slopes are at most a million', () => {
    const at = beginning(100)
    expect(competingClassesOf(at)).toBe(0)
    expect(competingClassesOf({ ...at, attack: { competingClasses: 10 } })).toBe(10)
    expect(competingClassesOf({ ...at, dim: 100_001, attack: { competingClasses: 10 } })).toBe(0)
  })
})

describe('turns to competing classes', () => {
  /** A walk along the boundary of class 1 with so many looks and queries since it began, 1 away from the origin. */
  function walk(looks: number, used: number): BoundaryProgress {
    const settings = { directions: 4, refinement: 8, smoothing: 1e-3, firstStep: 0.1, growth: 1.2 }
    const state = initialProgress(beginning(4), settings)
    beginWalk(state, 1, 1, 1)
    return Object.assign(state, { looks, used })
  }

  const standing = (changes: Partial<Standing> = {}): Standing => ({
    own: 1,
    ownRadius: 1,
    bestRadius: 1,
    reach: Float64Array.of(Infinity, 0.9, 0.7, 0.8),
    dim: 784,
    ...changes,
  })

  const fresh = () => Float64Array.of(0, 1, 0, 0)

  describe('on the way', () => {
    test('turns to the nearest boundary that seems a tenth nearer than its own, after three looks', () => {
      expect(nextTurn(walk(3, 150), fresh(), standing())).toEqual({ to: 'stay' })
      expect(nextTurn(walk(4, 200), fresh(), standing())).toEqual({ to: 'competitor', competitor: 2 })
      const close = { reach: Float64Array.of(Infinity, 0.9, 0.82, 0.83) }
      expect(nextTurn(walk(4, 200), fresh(), standing(close))).toEqual({ to: 'stay' })
    })

    test('stays until it has succeeded once, so that two boundaries which both seem near do not take turns', () => {
      expect(nextTurn(walk(9, 300), fresh(), standing({ ownRadius: Infinity, bestRadius: 2 }))).toEqual({ to: 'stay' })
    })

    test('leaves a boundary that seems further away than the best success', () => {
      const far = { ownRadius: Infinity, bestRadius: 0.8, reach: Float64Array.of(Infinity, 0.83, 0.85, 0.9) }
      const walked = fresh()
      expect(nextTurn(walk(3, 150), walked, standing(far))).toEqual({ to: 'stay' })
      expect(nextTurn(walk(4, 200), walked, standing(far))).toEqual({ to: 'best' })
      expect(Array.from(walked)).toEqual([0, 3, 0, 0])
    })
  })

  describe('a walk that has come nearer by less than a percent in 400 queries, or a quarter of the variables', () => {
    test('is over: boundaries up to 5 percent further away than the best success are tried, each up to three times', () => {
      const reach = Float64Array.of(Infinity, 0.99, 1.04, 1.06)
      expect(nextTurn(walk(2, 399), fresh(), standing({ reach }))).toEqual({ to: 'stay' })
      expect(nextTurn(walk(2, 400), fresh(), standing({ reach, dim: 1604 }))).toEqual({ to: 'stay' })
      expect(nextTurn(walk(2, 400), fresh(), standing({ reach }))).toEqual({ to: 'competitor', competitor: 2 })
      expect(nextTurn(walk(2, 400), Float64Array.of(0, 1, 3, 0), standing({ reach }))).toEqual({ to: 'stay' })
    })

    test('goes on where it is the best, and back to the best where it is not', () => {
      const reach = Float64Array.of(Infinity, 0.99, 2, 2)
      expect(nextTurn(walk(2, 400), fresh(), standing({ reach }))).toEqual({ to: 'stay' })
      expect(nextTurn(walk(2, 400), fresh(), standing({ reach, bestRadius: 0.98 }))).toEqual({ to: 'best' })
    })

    test('is measured again from there', () => {
      const state = walk(2, 400)
      const reach = Float64Array.of(Infinity, 0.9, 2, 2)
      const walked = fresh()
      nextTurn(state, walked, standing({ reach, ownRadius: 0.95, bestRadius: 0.95 }))
      expect([state.markUsed, state.markRadius, walked[1]]).toEqual([400, 0.95, 1])
    })
  })
})
