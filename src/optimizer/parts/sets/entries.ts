import { ZerothError } from '../../core/errors.ts'
import { finiteList, number, union, withDefault } from '../../core/options.ts'
import type { Vector } from '../../core/types.ts'

/** One number per coordinate, or one number that holds for all of them. */
export type Entries = number | Float64Array

/** An option that takes one finite number for all coordinates, or one each. */
export const entriesOption = union(number, finiteList)

/** The middle of a ball. */
export const centerOption = withDefault(entriesOption, 0)

/** The number that belongs to coordinate i. */
export function entryAt(entries: Entries, i: number): number {
  return typeof entries === 'number' ? entries : (entries[i] as number)
}

/** The weight of coordinate i in a metric; null is the Euclidean one. */
export function weightAt(metric: Vector | null, i: number): number {
  return metric === null ? 1 : (metric[i] as number)
}

/** The entries written out, one per coordinate. */
export function spread(entries: Entries, dim: number): Float64Array {
  return typeof entries === 'number' ? new Float64Array(dim).fill(entries) : entries.slice(0, dim)
}

/** Entry by entry, kept as one number where both are. Lists of different lengths are for `checkLengths` to refuse. */
export function combine(a: Entries, b: Entries, operation: (a: number, b: number) => number): Entries {
  if (typeof a === 'number' && typeof b === 'number') return operation(a, b)
  const length = typeof a === 'number' ? (b as Float64Array).length : a.length
  return Float64Array.from({ length }, (_, i) => operation(entryAt(a, i), entryAt(b, i)))
}

/** Refuses a list that does not have one entry per coordinate. */
export function checkLengths(owner: string, options: Readonly<Record<string, Entries>>, dim: number): void {
  for (const [name, entries] of Object.entries(options)) {
    if (typeof entries !== 'number' && entries.length !== dim) {
      const given = `${owner}.${name} has ${entries.length} ${entries.length === 1 ? 'entry' : 'entries'}`
      throw new ZerothError('invalid-set', `${given}, but there are ${dim} coordinates`)
    }
  }
}

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
