import { summarize } from '../../core/statistics.ts'
import { type Curve, valueAt } from './curve.ts'

/** The median of several curves, and the quartiles around it. */
export interface BandCurve extends Curve {
  readonly low: Float64Array
  readonly high: Float64Array
}

/**
 * Median and quartiles of curves at evenly spaced places. A curve that has ended keeps its last value; one that has not
 * begun counts as infinitely bad, so that the median begins when half of the curves have.
 */
export function bandCurve(curves: readonly Curve[], steps: number): BandCurve {
  const begins = curves.flatMap(({ x }) => (x.length > 0 ? [x[0] as number] : []))
  const ends = curves.flatMap(({ x }) => (x.length > 0 ? [x[x.length - 1] as number] : []))
  const first = Math.min(...begins)
  const last = Math.max(...ends)
  const grid = Array.from({ length: steps }, (_, i) => first + ((last - first) * i) / steps)
  const rows = [...new Set([...grid, last])].flatMap((x) => {
    const { median, lowerQuartile, upperQuartile } = summarize(curves.map((curve) => valueAt(curve, x)))
    return Number.isFinite(upperQuartile) ? [{ x, median, lowerQuartile, upperQuartile }] : []
  })
  return {
    x: Float64Array.from(rows, (row) => row.x),
    y: Float64Array.from(rows, (row) => row.median),
    low: Float64Array.from(rows, (row) => row.lowerQuartile),
    high: Float64Array.from(rows, (row) => row.upperQuartile),
  }
}
