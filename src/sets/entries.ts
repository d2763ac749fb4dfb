import { ZerothError } from '../core/errors.ts'
import { finiteList, option } from '../core/options.ts'
import { anyNumber, union } from '../core/schema.ts'
import type { Vector } from '../core/types.ts'

/** One number per coordinate, or one number that holds for all of them. */
export type Entries = number | Float64Array

/** An option that takes one finite number for all coordinates, or one each. */
export const entriesOption = union(anyNumber, finiteList)

/** The middle of a ball. */
export const centerOption = option(entriesOption, 'one number for all coordinates, or one each', 0)

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
