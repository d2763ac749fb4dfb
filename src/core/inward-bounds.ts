import type { Begin, Bounds, Precision } from './types.ts'

/** The bounds of a set that is a box, at the run's precision, rounded so that a clipped point is inside the set. */
export function inwardBounds({ set, kernels, dim, precision }: Begin): Bounds | undefined {
  const bounds = set.bounds?.(dim)
  if (bounds === undefined) return undefined
  const length = bounds.lower.length
  const lower = kernels.allocate(length, precision)
  const upper = kernels.allocate(length, precision)
  for (let i = 0; i < length; i++) {
    lower[i] = roundTowards(bounds.lower[i] as number, precision, 1)
    upper[i] = roundTowards(bounds.upper[i] as number, precision, -1)
  }
  return { lower, upper }
}

function roundTowards(value: number, precision: Precision, side: 1 | -1): number {
  const rounded = precision === 'float32' ? Math.fround(value) : value
  if ((rounded - value) * side >= 0 || !Number.isFinite(rounded)) return rounded
  // One float32 ulp is at most 2^-23 of the value; below the normal range it is 2^-149.
  return Math.fround(rounded + side * Math.max(Math.abs(rounded) * 1.1920928955078125e-7, 1.401298464324817e-45))
}
