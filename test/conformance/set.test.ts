import { expect, test } from 'vitest'
import type { ConvexSet } from '../../src/optimizer/core/types.ts'
import { parts } from '../../src/registry.ts'
import golden from '../golden/projections.json' with { type: 'json' }
import { projected, setConformance } from './set.ts'

/** A set part whose options are known only to itself. */
type SetPart = ((options: never) => ConvexSet) & {
  readonly definition: { readonly name: string; readonly examples: (dim: number) => readonly unknown[] }
}

const sets: readonly SetPart[] = parts.set

const made = (part: SetPart, options: unknown) => part(options as never)

for (const part of sets) {
  setConformance(part.definition.name, (dim) => part.definition.examples(dim).map((options) => made(part, options)))
}

test.each(golden.cases)('$set with $options projects $point to the golden point', ({ set, options, ...expected }) => {
  const part = sets.find(({ definition }) => definition.name === set) as SetPart
  const x = projected(made(part, options), Float64Array.from(expected.point), Float64Array.from(golden.metric))
  for (const [i, value] of expected.projection.entries()) {
    expect(Math.abs((x[i] as number) - value)).toBeLessThan(1e-12)
  }
})
