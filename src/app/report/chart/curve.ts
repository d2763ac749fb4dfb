import { summarize } from '../../../optimizer/core/statistics.ts'

/** Points in order of x; every number is finite. */
export interface Curve {
  readonly x: Float64Array
  readonly y: Float64Array
}

/** The same in columns of any kind. */
type Columns = Readonly<Record<'x' | 'y', ArrayLike<number>>>

/** The value a curve has at x, which it keeps until its next point; infinite before its first. */
export function valueAt({ x, y }: Columns, at: number): number {
  let low = 0
  let high = x.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((x[middle] as number) <= at) low = middle + 1
    else high = middle
  }
  return low === 0 ? Infinity : (y[low - 1] as number)
}

/** What of a curve lies between two places, the point before, whose value holds there, and the one behind. */
export function partOf<Line extends Curve & Partial<BandCurve>>(
  curve: Line,
  [from, to]: readonly [number, number],
): Line {
  const first = curve.x.findLastIndex((x) => x <= from)
  const behind = curve.x.findIndex((x) => x > to)
  const last = behind < 0 ? curve.x.length : behind + 1
  const columns = Object.entries(curve).map(([name, column]) => [name, column.subarray(Math.max(0, first), last)])
  return Object.fromEntries(columns) as Line
}

/** Where a curve first comes down to a level; NaN if it never does. */
export function reaches({ x, y }: Curve, level: number): number {
  const i = y.findIndex((value) => value <= level)
  return i < 0 ? Number.NaN : (x[i] as number)
}

/** The curve through some points. Leaves out what is not finite, and never goes backwards: clocks may. */
export function curveOf(
  xs: ArrayLike<number>,
  ys: ArrayLike<number>,
  end: readonly { readonly x: number; readonly y: number }[] = [],
): Curve {
  const x = new Float64Array(xs.length + end.length)
  const y = new Float64Array(x.length)
  let count = 0
  let furthest = -Infinity
  const add = (atX: number, atY: number): void => {
    if (!Number.isFinite(atX) || !Number.isFinite(atY)) return
    furthest = Math.max(furthest, atX)
    x[count] = furthest
    y[count++] = atY
  }
  for (let i = 0; i < xs.length; i++) add(xs[i] as number, ys[i] as number)
  for (const point of end) add(point.x, point.y)
  return { x: x.subarray(0, count), y: y.subarray(0, count) }
}

/** The median of several curves, and the quartiles around it. */
export interface BandCurve extends Curve {
  readonly low: Float64Array
  readonly high: Float64Array
}

/**
 * Median and quartiles of curves at evenly spaced places. A curve that has ended keeps its last value; one that has not
 * begun counts as infinitely bad, so that the median begins when half of the curves have. Of a part, only the places in it.
 */
export function bandCurve(
  curves: readonly Curve[],
  steps: number,
  part: readonly [number, number] = [-Infinity, Infinity],
): BandCurve {
  const begins = curves.flatMap(({ x }) => (x.length > 0 ? [x[0] as number] : []))
  const ends = curves.flatMap(({ x }) => (x.length > 0 ? [x[x.length - 1] as number] : []))
  const first = Math.max(part[0], Math.min(...begins))
  const last = Math.max(first, Math.min(part[1], Math.max(...ends)))
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

/**
 * A curve of at most four points per bin of x: the first, the lowest, the highest and the last. At a bin per pixel or
 * so, the drawing is the same.
 */
export function thinCurve(curve: Curve, bins: number): Curve {
  const { x, y } = curve
  if (x.length <= 4 * bins) return curve
  const kept: number[] = []
  let from = 0
  while (from < x.length) {
    const to = endOfBin(x, from, bins)
    kept.push(...extremes(y, from, to))
    from = to
  }
  return { x: Float64Array.from(kept, (i) => x[i] as number), y: Float64Array.from(kept, (i) => y[i] as number) }
}

/** The index behind the last point that lies in the same bin as a point. */
function endOfBin(x: Float64Array, from: number, bins: number): number {
  const first = x[0] as number
  const width = ((x[x.length - 1] as number) - first) / bins || Infinity
  const bin = Math.floor(((x[from] as number) - first) / width)
  let to = from + 1
  while (to < x.length && Math.floor(((x[to] as number) - first) / width) === bin) to++
  return to
}

function extremes(y: Float64Array, from: number, to: number): number[] {
  let lowest = from
  let highest = from
  for (let i = from; i < to; i++) {
    if ((y[i] as number) < (y[lowest] as number)) lowest = i
    if ((y[i] as number) > (y[highest] as number)) highest = i
  }
  return [...new Set([from, Math.min(lowest, highest), Math.max(lowest, highest), to - 1])]
}
