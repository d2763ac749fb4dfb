import fc from 'fast-check'
import { expect, test } from 'vitest'
import { projected } from '../../../../test/conformance/set.ts'
import type { ConvexSet } from '../../core/types.ts'
import { boxAndL2Ball, l1Ball, l2Ball } from './balls.ts'
import { box } from './boxes.ts'
import { intersection } from './intersection.ts'
import { boxAndHyperplane, halfspace, hyperplane, simplex, slab } from './planes.ts'

const bounds = { lower: -0.5, upper: 0.5 }

test('agrees with the exact projection onto a box and a ball', () => {
  agree(intersection({ sets: [box(bounds), l2Ball({ radius: 0.8 })] }), boxAndL2Ball({ ...bounds, radius: 0.8 }))
  agree(intersection({ sets: [l2Ball({ radius: 0.8 }), box(bounds)] }), boxAndL2Ball({ ...bounds, radius: 0.8 }))
})

test('agrees with the exact projection onto a box and a plane', () => {
  const plane = { normal: 1, offset: 0.25 }
  agree(intersection({ sets: [box(bounds), hyperplane(plane)] }), boxAndHyperplane({ ...bounds, ...plane }))
})

test('agrees with the simplex made of its three conditions', () => {
  const sets = [box({ lower: 0 }), halfspace({ normal: 1, offset: 1 }), halfspace({ normal: -1, offset: -1 })]
  agree(intersection({ sets }), simplex())
})

test('goes on where the point stands still while the corrections still grow', () => {
  const y = Float64Array.of(3, 20)
  const sets = [box(bounds), l2Ball({ radius: 0.6 })]
  const exact = projected(boxAndL2Ball({ ...bounds, radius: 0.6 }), y)
  // Feasible, unmoved between two sweeps, and wrong: why the rule of Birgin and Raydan is needed.
  expect(distance(dykstraUntilThePointRests(sets, y), exact)).toBeGreaterThan(0.1)
  expect(distance(projected(intersection({ sets }), y), exact)).toBeLessThan(1e-9)
})

test('projects a point far away into all sets, off by no more than the rounding of that point', () => {
  const set = intersection({ sets: [box(bounds), l2Ball({ radius: 0.6 })] })
  const y = Float64Array.of(3e6, 2e7 / 3)
  const x = projected(set, y)
  expect(set.contains(x)).toBe(true)
  expect(distance(x, projected(boxAndL2Ball({ ...bounds, radius: 0.6 }), y))).toBeLessThan(1e-7)
})

test('leaves a point that all sets contain as it is', () => {
  const set = intersection({ sets: [l1Ball({ radius: 1 }), slab({ normal: 1, lower: -1, upper: 1 })] })
  const inside = Float64Array.of(0.1, 0.2, -0.3)
  expect(projected(set, inside, Float64Array.of(1, 2, 3))).toStrictEqual(inside)
})

test('needs a metric only if one of its sets does, and is one set where it has one', () => {
  expect(intersection({ sets: [box(bounds), box({ lower: 0 })] }).needsMetric).toBe(false)
  expect(intersection({ sets: [box(bounds), simplex()] }).needsMetric).toBe(true)
  agree(intersection({ sets: [l2Ball({ radius: 1 })] }), l2Ball({ radius: 1 }))
})

test('says so when its sets have no point in common', () => {
  const sets = [box({ upper: 0 }), halfspace({ normal: [-1, 0], offset: -2 })]
  const set = intersection({ sets, maxSweeps: 50 })
  expect(() => projected(set, Float64Array.of(1, 1))).toThrow(
    'after 50 sweeps (tolerance 1e-10): they have no point in common, or intersection.maxSweeps must be larger',
  )
})

test('says so when it is given too few sweeps', () => {
  const sets = [box(bounds), l2Ball({ radius: 0.8 })]
  const y = Float64Array.of(1.5, -0.7, 0.3, 2)
  expect(() => projected(intersection({ sets, maxSweeps: 2 }), y, Float64Array.of(4, 1, 0.25, 9))).toThrow('2 sweeps')
})

test('refuses what is not a set, no set at all, and sets that do not fit', () => {
  expect(() => intersection({ sets: [] })).toThrow('intersection.sets must hold at least one set')
  expect(() => intersection({ sets: [{} as ConvexSet] })).toThrow('intersection.sets.0 must be a set')
  expect(() => intersection({ sets: [box()], tolerance: 0 })).toThrow('intersection.tolerance must be above 0, got 0')
  expect(() => intersection({ sets: [box(), l2Ball({ radius: 1, center: [0] })] }).check(2)).toThrow('l2-ball.center')
  expect(() => intersection({ sets: [box(), box({ lower: 1, upper: 0 })] }).check(2)).toThrow('box is empty')
})

/** Both sets project random points to the same place, in random metrics. */
function agree(iterated: ConvexSet, exact: ConvexSet): void {
  const vector = (least: number, most: number) =>
    fc
      .array(fc.double({ min: least, max: most, noNaN: true }), { minLength: 6, maxLength: 6 })
      .map((list) => Float64Array.from(list))
  const property = fc.property(vector(-5, 5), vector(0.05, 20), (y, metric) => {
    expect(distance(projected(iterated, y, metric), projected(exact, y, metric))).toBeLessThan(1e-8)
  })
  fc.assert(property, { numRuns: 100, seed: 7 })
}

function distance(a: Float64Array, b: Float64Array): number {
  return Math.hypot(...a.map((value, i) => value - (b[i] as number)))
}

/** Dykstra's algorithm with the stopping rule that suggests itself. */
function dykstraUntilThePointRests(sets: readonly ConvexSet[], y: Float64Array): Float64Array {
  const corrections = sets.map(() => y.map(() => 0))
  let x = y
  for (;;) {
    const before = x
    for (const [j, set] of sets.entries()) {
      const moved = x.map((value, i) => value + (corrections[j]?.[i] as number))
      x = projected(set, moved)
      corrections[j] = moved.map((value, i) => value - (x[i] as number))
    }
    if (distance(before, x) < 1e-12) return x
  }
}
