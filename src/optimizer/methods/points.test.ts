import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { projectInto } from '../../robustness/methods/project-into.ts'
import { unconstrained } from '../core/session-options.ts'
import type { ConvexSet, RunContext } from '../core/types.ts'
import { scalarKernels } from '../kernels/scalar.ts'
import { l2Ball } from '../parts/sets/balls.ts'
import { box } from '../parts/sets/boxes.ts'
import { searchDomain, withinSet } from './points.ts'

const begin = (set: object, precision: 'float64' | 'float32' = 'float64') =>
  ({
    set,
    dim: 3,
    precision,
    kernels: scalarKernels,
    start: scalarKernels.allocate(3, precision),
  }) as unknown as Parameters<typeof withinSet>[0]

describe.each([withinSet, projectInto])('$name', (within) => {
  test('clips to a box with one bound for all, or with one each', () => {
    const x = Float64Array.of(-2, 0.25, 2)
    within(begin(box({ lower: -0.5, upper: 0.75 })))(x)
    expect(Array.from(x)).toEqual([-0.5, 0.25, 0.75])
    within(begin(box({ lower: [0, 0.5, 0.5], upper: 0.6 })))(x)
    expect(Array.from(x)).toEqual([0, 0.5, 0.6])
  })

  test('a point is in the set at either precision, and stays what it is where it was in it', () => {
    for (const set of [box({ lower: -0.1, upper: [0.1, 0.3, 0.7] }), l2Ball({ radius: 0.3 })]) {
      fc.assert(
        fc.property(fc.array(fc.double({ min: -2, max: 2, noNaN: true }), { minLength: 3, maxLength: 3 }), (given) => {
          for (const precision of ['float64', 'float32'] as const) {
            const x = precision === 'float32' ? Float32Array.from(given) : Float64Array.from(given)
            const enter = within(begin(set, precision))
            enter(x)
            expect(set.contains(x)).toBe(true)
            const inside = x.slice()
            enter(x)
            expect(x).toEqual(inside)
          }
        }),
        { numRuns: 40 },
      )
    }
  })

  test('nothing happens where there is no set', () => {
    const x = Float64Array.of(1e300, -1e300, 0)
    within(begin(unconstrained))(x)
    expect(Array.from(x)).toEqual([1e300, -1e300, 0])
  })
})

describe('free coordinates', () => {
  const within = (set: ConvexSet, dim: number) =>
    searchDomain({ set, dim, precision: 'float64', kernels: scalarKernels } as RunContext)

  describe('a box', () => {
    const domain = within(box({ lower: [0, -Infinity, 2, -1], upper: [10, 5, Infinity, -1] }), 4)
    const point = new Float64Array(4)
    const free = new Float64Array(4)

    test('holds the point of all free coordinates', () => {
      fc.assert(
        fc.property(
          fc.float64Array({ minLength: 4, maxLength: 4, noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }),
          (at) => {
            domain.write(at, point, 0)
            const [a = 0, b = 0, c = 0, d = 0] = point
            return a >= 0 && a <= 10 && b <= 5 && c >= 2 && d === -1
          },
        ),
        { seed: 1 },
      )
    })

    test('free coordinates of a point lead back to it, and far from bounds they are the same', () => {
      for (const at of [
        [5, 0, 7, -1],
        [0, 5, 2, -1],
        [0.1, 4.99, 2.001, -1],
        [9.9, -50, 900, -1],
      ]) {
        domain.free(Float64Array.from(at), free)
        domain.write(free, point, 0)
        point.forEach((each, i) => {
          expect(each).toBeCloseTo(at[i] as number, 12)
        })
      }
      domain.free(Float64Array.from([5, 0, 7, -1]), free)
      expect(Array.from(free)).toEqual([5, 0, 7, -1])
    })

    test('a bound is approached like the vertex of a parabola, and left behind it again', () => {
      const at = (x: number): number => {
        domain.write(Float64Array.from([x, 0, 3, -1]), point, 0)
        return point[0] as number
      }
      expect([0.5, 0, -0.5, -1, -1.5].map(at)).toEqual([0.5, 0.125, 0, 0.125, 0.5])
    })
  })

  test('a ball holds projected points, and knows how far they were outside', () => {
    const domain = within(l2Ball({ radius: 5 }), 2)
    const point = new Float64Array(2)
    domain.write(Float64Array.from([6, 8]), point, 0)
    expect(point[0]).toBeCloseTo(3, 9)
    expect(domain.excess?.(Float64Array.from([6, 8]))).toBeCloseTo(25, 9)
    expect(domain.excess?.(Float64Array.from([1, 1]))).toBe(0)
  })
})
