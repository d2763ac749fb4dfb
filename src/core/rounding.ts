import type { Precision } from './types.ts'

/** The largest number of each precision. */
export const largestNumber: Readonly<Record<Precision, number>> = {
  float64: Number.MAX_VALUE,
  float32: 3.4028234663852886e38,
}

/** Rounds a number as storing it in a vector of the run would: one number for all coordinates has the precision of each. */
export function rounding(precision: Precision): (value: number) => number {
  return precision === 'float32' ? Math.fround : (value) => value
}
