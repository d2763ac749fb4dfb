import { expect, test } from 'vitest'
import { sampleRun } from '../../../test/report/sample-run.ts'
import { bestCurve, reaches, valueAt, valueCurve } from './curve.ts'

const { NaN: nan } = Number

test('what is not finite is left out, and the final point counts', () => {
  const run = sampleRun({ best: [nan, 5, 3], value: [nan, 5, Infinity], result: { value: 2, queries: 34, seconds: 4 } })
  expect(bestCurve(run, 'queries')).toEqual({ x: Float64Array.of(22, 33, 34), y: Float64Array.of(5, 3, 2) })
  expect(bestCurve(run, 'seconds')).toEqual({ x: Float64Array.of(2, 3, 4), y: Float64Array.of(5, 3, 2) })
  expect(valueCurve(run, 'queries')).toEqual({ x: Float64Array.of(22), y: Float64Array.of(5) })
})

test('a clock that was set back does not take the curve with it', () => {
  const run = sampleRun({ result: undefined, status: 'interrupted' })
  const curve = bestCurve({ ...run, trace: { ...run.trace, seconds: [1, 0.5, 2] } }, 'seconds')
  expect([...curve.x]).toEqual([1, 1, 2])
})

test('a curve keeps its value until its next point, and is infinite before its first', () => {
  const curve = { x: Float64Array.of(1, 2, 2, 5), y: Float64Array.of(9, 8, 7, 1) }
  expect([0.9, 1, 1.5, 2, 4.99, 5, 100].map((x) => valueAt(curve, x))).toEqual([Infinity, 9, 9, 7, 7, 1, 1])
})

test('a level is reached where the curve first comes down to it', () => {
  const curve = { x: Float64Array.of(10, 20, 30), y: Float64Array.of(3, 2, 1) }
  expect([5, 2, 1.5, 0.5].map((level) => reaches(curve, level))).toEqual([10, 20, 30, nan])
})
