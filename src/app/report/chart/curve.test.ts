import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sampleRun } from '../../../../test/report/sample-run.ts'
import { bestCurve, valueCurve } from '../run/runs.ts'
import { bandCurve, partOf, reaches, thinCurve, valueAt } from './curve.ts'

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

const curveThrough = (x: number[], y: number[]) => ({ x: Float64Array.from(x), y: Float64Array.from(y) })

test('median and quartiles at evenly spaced places; ended curves keep their last value', () => {
  const band = bandCurve(
    [curveThrough([0, 4], [10, 1]), curveThrough([0, 2], [20, 5]), curveThrough([0, 4], [30, 3])],
    4,
  )
  expect([...band.x]).toEqual([0, 1, 2, 3, 4])
  expect([...band.y]).toEqual([20, 20, 10, 10, 3])
  expect([...band.low]).toEqual([15, 15, 7.5, 7.5, 2])
  expect([...band.high]).toEqual([25, 25, 20, 20, 4])
})

test('the median begins when enough curves have', () => {
  const band = bandCurve([curveThrough([0, 4], [4, 4]), curveThrough([2, 4], [2, 2])], 4)
  expect([...band.x]).toEqual([2, 3, 4])
  expect([...band.y]).toEqual([3, 3, 3])
})

test('curves of one place, and no curves, do no harm', () => {
  expect([...bandCurve([curveThrough([3], [1]), curveThrough([3], [2])], 4).y]).toEqual([1.5])
  expect(bandCurve([], 4).x).toHaveLength(0)
})

test('a part of a band has all its places in that part', () => {
  const curves = [curveThrough([0, 4], [10, 1]), curveThrough([0, 2], [20, 5]), curveThrough([0, 4], [30, 3])]
  const band = bandCurve(curves, 4, [1, 3])
  expect([...band.x]).toEqual([1, 1.5, 2, 2.5, 3])
  expect([...band.y]).toEqual([20, 20, 10, 10, 10])
  expect([...bandCurve(curves, 4, [8, 9]).y]).toEqual([3])
})

test('a part of a curve has the point before it, whose value holds, and the one behind', () => {
  const curve = curveThrough([1, 2, 3, 4, 5], [9, 8, 7, 6, 5])
  const placesIn = (from: number, to: number) => [...partOf(curve, [from, to]).x]
  expect(placesIn(2.5, 3.5)).toEqual([2, 3, 4])
  expect(placesIn(2, 4)).toEqual([2, 3, 4, 5])
  expect(placesIn(-1, 0.5)).toEqual([1])
  expect(placesIn(7, 9)).toEqual([5])
  expect(partOf({ ...curve, low: curve.y, high: curve.y }, [2.5, 3.5])).toMatchObject({
    ...{ y: Float64Array.of(8, 7, 6), low: Float64Array.of(8, 7, 6), high: Float64Array.of(8, 7, 6) },
  })
})

test('a short curve stays as it is', () => {
  const curve = { x: Float64Array.of(1, 2, 3), y: Float64Array.of(3, 1, 2) }
  expect(thinCurve(curve, 10)).toBe(curve)
})

test('of many points the ends and every peak and dip remain, in order, and four per bin at most', () => {
  const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.double({ noNaN: true, min: -9, max: 9 })), {
    minLength: 1,
    maxLength: 400,
  })
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 12 }), (points, bins) => {
      let at = 0
      const x = Float64Array.from(points, ([step]) => (at += step))
      const y = Float64Array.from(points, ([, value]) => value)
      const thin = thinCurve({ x, y }, bins)
      const pairs = [...x].map((each, i) => `${each} ${y[i]}`)
      let from = 0
      for (const [i, each] of [...thin.x].entries()) {
        from = pairs.indexOf(`${each} ${thin.y[i]}`, from) + 1
        expect(from).toBeGreaterThan(0)
      }
      expect([thin.x[0], thin.x.at(-1), thin.y[0], thin.y.at(-1)]).toEqual([x[0], x.at(-1), y[0], y.at(-1)])
      expect([Math.min(...thin.y), Math.max(...thin.y)]).toEqual([Math.min(...y), Math.max(...y)])
      expect(thin.x.length).toBeLessThanOrEqual(4 * (bins + 1))
    }),
    { numRuns: 200, seed: 1 },
  )
})

test('a single spike among a million points survives', () => {
  const x = Float64Array.from({ length: 1e6 }, (_, i) => i)
  const y = new Float64Array(1e6)
  y[654321] = 5
  const thin = thinCurve({ x, y }, 240)
  expect(thin.x[thin.y.indexOf(5)]).toBe(654321)
  expect(thin.x.length).toBeLessThan(1000)
})
