import type { Directions } from '../../src/optimizer/core/types.ts'
import { blocks, dct, givenBasis, guided, sphere, subspace, tiles } from '../../src/parts.ts'
import { parts } from '../../src/registry.ts'

/** Directions that the conformance suites try, for runs in any number of dimensions. */
export interface TriedDirections {
  readonly title: string
  readonly make: (dim: number) => Directions
}

/** Parts made of parts, which cannot give examples themselves: in bases of all coordinates they must do what all do. */
const nested: readonly TriedDirections[] = [
  { title: 'subspace of a block', make: () => subspace({ basis: blocks({ count: 1 }) }) },
  {
    title: 'subspace of tiles along the sphere',
    make: (dim) => subspace({ basis: tiles({ size: dim, shape: line(dim) }), within: sphere() }),
  },
  {
    title: 'subspace of cosines that may grow',
    make: (dim) => subspace({ basis: dct({ size: Math.min(dim, 20), shape: line(dim) }), growAfter: 3 }),
  },
  {
    title: 'subspace within a subspace',
    make: (dim) => subspace({ basis: blocks({ count: 1 }), within: subspace({ basis: reversed(dim) }) }),
  },
  { title: 'guided within a subspace', make: () => guided({ within: subspace({ basis: blocks({ count: 1 }) }) }) },
]

/** The examples of all directions. */
const exampleDirections: readonly TriedDirections[] = [
  ...parts.directions.flatMap((part) => {
    const make = part as unknown as (options: object) => Directions
    const { name, examples } = part.definition
    return examples(5).map((options, index) => ({
      title: Object.values(options).some((value) => typeof value === 'function')
        ? name
        : `${name} ${JSON.stringify(options)}`,
      make: (dim: number) => make(examples(dim)[index] as object),
    }))
  }),
]

/** The examples of all directions, and directions made of directions. */
export const triedDirections: readonly TriedDirections[] = [...exampleDirections, ...nested]

/** Enough of them to try estimators with. */
export const someDirections: readonly TriedDirections[] = [...exampleDirections, ...nested.slice(-1)]

function line(dim: number) {
  return { channels: 1, height: 1, width: dim }
}

/** The coordinate vectors from the last to the first, 20 of them at most. */
function reversed(dim: number) {
  const unit = (j: number) => Array.from({ length: dim }, (_, i) => (i === dim - 1 - j ? 1 : 0))
  return givenBasis({ vectors: Array.from({ length: Math.min(dim, 20) }, (_, j) => unit(j)) })
}
