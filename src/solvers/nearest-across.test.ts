import { expect, test } from 'vitest'
import { beginning } from '../../test/conformance/directions.ts'
import type { ConvexSet } from '../core/types.ts'
import { box } from '../sets/box.ts'
import { boxAndL2Ball } from '../sets/box-and-l2-ball.ts'
import { wholeSpace } from '../sets/whole-space.ts'
import { nearestBeyond } from './nearest-across.ts'

function found(set: ConvexSet, from: number[], gradient: number[], level: number): number[] {
  const point = Float64Array.from(from)
  nearestBeyond(beginning(from.length, { set }))(point, Float64Array.from(gradient), level)
  return Array.from(point)
}

test('goes straight down to a plane where nothing is in the way', () => {
  expect(found(wholeSpace(), [1, 1], [3, 4], -18)).toEqual([-2, -3])
})

test('stays where it is beyond the plane already, and where there is no slope', () => {
  expect(found(wholeSpace(), [1, 1], [3, 4], 7)).toEqual([1, 1])
  expect(found(wholeSpace(), [1, 1], [0, 0], -1)).toEqual([1, 1])
})

test('in a box, the coordinates that have room go further: a black pixel cannot get darker', () => {
  const [x = 0, y = 0, z = 0] = found(box({ lower: [0, -9, -9], upper: 9 }), [0, 0, 0], [5, 3, 4], -25)
  expect(x).toBe(0)
  expect(y).toBeCloseTo(-3, 2)
  expect(z).toBeCloseTo(-4, 2)
  // Beyond the plane, but hardly.
  expect(3 * y + 4 * z).toBeLessThanOrEqual(-25 + 0.025)
})

test('where the box ends before the plane it goes to the furthest corner', () => {
  expect(found(box({ lower: -1, upper: 1 }), [0, 0], [1, -2], -100)).toEqual([-1, 1])
})

test('keeps to a ball in a box, too', () => {
  const set = boxAndL2Ball({ lower: -0.1, upper: 0.5, radius: 0.4 })
  const point = found(set, [0, 0, 0], [1, -1, 0.2], -0.3)
  expect(set.contains(Float64Array.from(point))).toBe(true)
  expect(point[0]).toBeCloseTo(-0.1, 6)
  expect((point[0] as number) - (point[1] as number) + 0.2 * (point[2] as number)).toBeCloseTo(-0.3, 3)
})
