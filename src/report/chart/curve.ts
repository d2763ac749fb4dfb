import type { RunData } from '../run/run-data.ts'

/** Points in order of x; every number is finite. */
export interface Curve {
  readonly x: Float64Array
  readonly y: Float64Array
}

/** What a run is drawn against. */
export type Progress = 'queries' | 'seconds'

/** The best value so far, to the very end of the run: the final point counts, too. */
export function bestCurve({ trace, result }: RunData, progress: Progress): Curve {
  const end = result === undefined ? [] : [{ x: result[progress], y: result.value }]
  return curveOf(trace[progress], trace.best, end)
}

/** The value at the point of each iteration. */
export function valueCurve({ trace }: RunData, progress: Progress): Curve {
  return curveOf(trace[progress], trace.value)
}

/** The value a curve has at x, which it keeps until its next point; infinite before its first. */
export function valueAt({ x, y }: Curve, at: number): number {
  let low = 0
  let high = x.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((x[middle] as number) <= at) low = middle + 1
    else high = middle
  }
  return low === 0 ? Infinity : (y[low - 1] as number)
}

/** Where a curve first comes down to a level; NaN where it never does. */
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
