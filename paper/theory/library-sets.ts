import { type ConvexSet, parts } from '../../src/index.ts'

/** A set and what to call it. */
export interface NamedSet {
  readonly name: string
  readonly set: ConvexSet
}

/** Every set of the library in the given dimension, in each of its example settings. */
export function librarySets(dim: number): NamedSet[] {
  return parts.set.flatMap((part) => {
    const { name, examples } = part.definition
    const make = part as unknown as (options: object) => ConvexSet
    return examples(dim).map((options) => ({ name, set: make(options) }))
  })
}
