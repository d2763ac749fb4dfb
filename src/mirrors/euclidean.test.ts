import { describe, expect, test } from 'vitest'
import { beginning } from '../../test/conformance/directions.ts'
import type { ConvexSet, Move, Vector } from '../core/types.ts'
import { box } from '../sets/box.ts'
import { l1Ball } from '../sets/l1-ball.ts'
import { slab } from '../sets/slab.ts'
import { wholeSpace } from '../sets/whole-space.ts'
import { euclidean } from './euclidean.ts'

function advanced(set: ConvexSet, start: number[], rate: number, move: Move, weight = 0.5): number[] {
  const x = Float64Array.from(start)
  euclidean({ weight }).begin(beginning(start.length, { start, set })).advance(x, rate, move)
  return Array.from(x)
}

const vector = (...values: number[]): Vector => Float64Array.from(values)

test('psi(x) = weight ||x||^2 gives steps of rate / (2 weight)', () => {
  const move = { direction: vector(4), squares: null, metricSquares: null }
  expect(advanced(wholeSpace(), [1], 0.5, move)).toEqual([-1])
  expect(advanced(wholeSpace(), [1], 0.5, move, 1)).toEqual([0])
  expect(advanced(wholeSpace(), [1], 0.5, move, 0.25)).toEqual([-3])
})

describe('the counter-example (5): f = -2 x1 - x2 at (1/2, 1/2), a sign step of 0.1', () => {
  // Sign steps of AMSGrad with exact gradients: the direction over the root of its square.
  const squares = vector(4, 1)
  const step = { direction: vector(-2, -1), squares }
  const set = slab({ normal: [1, 1], lower: -1, upper: 1 })

  test('projected in the metric of the step goes on along the boundary', () => {
    const [x1, x2] = advanced(set, [0.5, 0.5], 0.1, { ...step, metricSquares: squares })
    expect(x1).toBeCloseTo(0.5333333333333333, 14)
    expect(x2).toBeCloseTo(0.4666666666666667, 14)
  })

  test('projected in the Euclidean metric it sticks', () => {
    expect(advanced(set, [0.5, 0.5], 0.1, { ...step, metricSquares: null })).toEqual([0.5, 0.5])
    expect(advanced(l1Ball({ radius: 1 }), [0.5, 0.5], 0.1, { ...step, metricSquares: null })).toEqual([0.5, 0.5])
  })
})

test('a box does not care about the metric', () => {
  const set = box({ lower: -1, upper: 0.25 })
  const step = { direction: vector(-2, -1), squares: vector(4, 1) }
  expect(advanced(set, [0, 0], 1, { ...step, metricSquares: vector(4, 1) })).toEqual(
    advanced(set, [0, 0], 1, { ...step, metricSquares: null }),
  )
})

test('a coordinate that never moved has a metric above 0', () => {
  const set = slab({ normal: [1, 1], lower: -1, upper: 1 })
  const step = { direction: vector(0, -3), squares: vector(0, 9), metricSquares: vector(0, 9) }
  const x = advanced(set, [0.5, 0.5], 0.1, step)
  expect(x.every(Number.isFinite)).toBe(true)
  expect((x[0] as number) + (x[1] as number)).toBeCloseTo(1, 12)
  // The coordinate that costs nothing takes the whole way back.
  expect(x[1]).toBeCloseTo(0.6, 9)
  const nothing = { direction: vector(0, 0), squares: vector(0, 0), metricSquares: vector(0, 0) }
  expect(advanced(set, [0.5, 0.25], 0.1, nothing)).toEqual([0.5, 0.25])
})

test('in float32 a clipped point lies inside bounds that float32 cannot hold', () => {
  const set = box({ lower: -0.1, upper: 0.1 })
  const at = beginning(2, { start: [0, 0], set, precision: 'float32' })
  const x = new Float32Array(2)
  euclidean()
    .begin(at)
    .advance(x, 1, { direction: Float32Array.of(-5, 5), squares: null, metricSquares: null })
  expect(x[0]).toBeLessThanOrEqual(0.1)
  expect(x[0]).toBeGreaterThan(0.0999999)
  expect(x[1]).toBeGreaterThanOrEqual(-0.1)
  expect(x[1]).toBeLessThan(-0.0999999)
})
