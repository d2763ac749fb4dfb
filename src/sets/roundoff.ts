import type { Vector } from '../core/types.ts'

/** Gap between 1 and the next larger number. */
const epsilon64 = 2.220446049250313e-16
const epsilon32 = 1.1920928955078125e-7

/**
 * How far, as a share of the sum of |terms|, a sum over x may be off because x is stored and added in finite precision.
 * Additions are in float64 and their errors add up like a random walk, hence the root. Nothing smaller means anything.
 */
export function roundoff(x: Vector): number {
  const storage = x instanceof Float32Array ? epsilon32 : epsilon64
  return 4 * storage + epsilon64 * (4 + Math.sqrt(x.length))
}

/** A sum over x below this counts as 0: where all its terms should vanish, no share of them is small enough. */
export function negligible(x: Vector): number {
  return x instanceof Float32Array ? 1e-36 : 1e-150
}
