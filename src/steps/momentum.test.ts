import { expect, test } from 'vitest'
import { beginning } from '../../test/conformance/directions.ts'
import { momentum } from './momentum.ts'

test('is a running average that starts at 0, and its share may follow a schedule', () => {
  const at = beginning(1)
  const stepping = momentum({ beta: { value: 0.5, decay: 'linear' } }).begin(at)
  const averages = [4, 8, 6].map((gradient, index) => {
    const move = { direction: Float64Array.of(gradient), squares: null, metricSquares: null }
    stepping.apply(move, index + 1, at.start)
    return move.direction[0]
  })
  // beta_t = 1/2, 1/4, 1/6.
  expect(averages).toEqual([2, 6.5, expect.closeTo(6.5 / 6 + 5, 12)])
})
