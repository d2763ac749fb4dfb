import { expect, test } from 'vitest'
import { bandCurve } from './band-curve.ts'

const curve = (x: number[], y: number[]) => ({ x: Float64Array.from(x), y: Float64Array.from(y) })

test('median and quartiles at evenly spaced places; ended curves keep their last value', () => {
  const band = bandCurve([curve([0, 4], [10, 1]), curve([0, 2], [20, 5]), curve([0, 4], [30, 3])], 4)
  expect([...band.x]).toEqual([0, 1, 2, 3, 4])
  expect([...band.y]).toEqual([20, 20, 10, 10, 3])
  expect([...band.low]).toEqual([15, 15, 7.5, 7.5, 2])
  expect([...band.high]).toEqual([25, 25, 20, 20, 4])
})

test('the median begins when enough curves have', () => {
  const band = bandCurve([curve([0, 4], [4, 4]), curve([2, 4], [2, 2])], 4)
  expect([...band.x]).toEqual([2, 3, 4])
  expect([...band.y]).toEqual([3, 3, 3])
})

test('curves of one place, and no curves, do no harm', () => {
  expect([...bandCurve([curve([3], [1]), curve([3], [2])], 4).y]).toEqual([1.5])
  expect(bandCurve([], 4).x).toHaveLength(0)
})
