import { describe, expect, test } from 'vitest'
import { beginning } from '../../test/conformance/directions.ts'
import type { Move } from '../core/types.ts'
import { radazo } from './radazo.ts'

const gradients = [
  [1, -2],
  [0.5, 3],
  [-4, 0.1],
]

/** All that each move says, copied. */
function moves(options: Parameters<typeof radazo>[0]) {
  const at = beginning(2)
  const stepping = radazo(options).begin(at)
  return gradients.map((gradient, index) => {
    const move: Move = { direction: Float64Array.from(gradient), squares: null, metricSquares: null }
    stepping.apply(move, index + 1, at.start)
    return {
      direction: Array.from(move.direction),
      squares: Array.from(move.squares ?? []),
      metricSquares: move.metricSquares && Array.from(move.metricSquares),
    }
  })
}

test('the second moment is that of the momentum', () => {
  const [first, second, third] = moves({ beta1: 0.5, beta2: 0.5, initialSecondMoment: 0, epsilon: 0 })
  // m = (.5, -1), (.5, 1), (-1.75, .55); v = half of v and half of m^2.
  expect(first).toMatchObject({ direction: [0.5, -1], squares: [0.125, 0.5] })
  expect(second).toMatchObject({ direction: [0.5, 1], squares: [0.1875, 0.75] })
  expect(third?.direction).toEqual([-1.75, expect.closeTo(0.55, 14)])
  expect(third?.squares).toEqual([1.625, expect.closeTo(0.52625, 14)])
})

test('v_0 counts as the past, and epsilon is added inside the root', () => {
  const [first] = moves({ beta1: 0.5, beta2: 0.75, initialSecondMoment: 4, epsilon: 0.5 })
  expect(first?.squares).toEqual([3 + 0.0625 + 0.5, 3 + 0.25 + 0.5])
})

describe('the metric of the projection', () => {
  test('is what the step is divided by', () => {
    for (const { squares, metricSquares } of moves({})) expect(metricSquares).toEqual(squares)
  })

  test('can be Euclidean', () => {
    for (const { metricSquares } of moves({ projection: 'euclidean' })) expect(metricSquares).toBeNull()
  })
})

test('the share of the past may follow a schedule', () => {
  const [, second] = moves({ beta1: 0, beta2: { value: 0.5, decay: 'linear' }, initialSecondMoment: 0, epsilon: 0 })
  // beta2 = 1/2, 1/4.
  expect(second?.squares).toEqual([0.125 + 0.1875, 0.5 + 6.75])
})
