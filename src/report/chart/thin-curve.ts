import type { Curve } from './curve.ts'

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
