import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Begin, ConvexSet } from '../core/types.ts'
import { scalarKernels } from '../kernels/scalar.ts'
import { box } from '../sets/box.ts'
import { l2Ball } from '../sets/l2-ball.ts'
import { searchDomain } from './search-domain.ts'

const within = (set: ConvexSet, dim: number) =>
  searchDomain({ set, dim, precision: 'float64', kernels: scalarKernels } as Begin)

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
