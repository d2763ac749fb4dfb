import { expect, test } from 'vitest'
import type { ConvexSet } from '../../src/core/types.ts'
import { box } from '../../src/sets/box.ts'
import { boxAndHyperplane } from '../../src/sets/box-and-hyperplane.ts'
import { boxAndL2Ball } from '../../src/sets/box-and-l2-ball.ts'
import { boxAndLinfBall } from '../../src/sets/box-and-linf-ball.ts'
import { halfspace } from '../../src/sets/halfspace.ts'
import { hyperplane } from '../../src/sets/hyperplane.ts'
import { intersection } from '../../src/sets/intersection.ts'
import { l1Ball } from '../../src/sets/l1-ball.ts'
import { l2Ball } from '../../src/sets/l2-ball.ts'
import { linfBall } from '../../src/sets/linf-ball.ts'
import { simplex } from '../../src/sets/simplex.ts'
import { slab } from '../../src/sets/slab.ts'
import { wholeSpace } from '../../src/sets/whole-space.ts'
import golden from '../golden/projections.json' with { type: 'json' }
import { projected, setConformance } from './set.ts'

/** A set part whose options are known only to itself. */
type SetPart = ((options: never) => ConvexSet) & {
  readonly definition: { readonly name: string; readonly examples: (dim: number) => readonly unknown[] }
}

// biome-ignore format: one line, as the generated registry will have it.
const parts: readonly SetPart[] = [box, boxAndHyperplane, boxAndL2Ball, boxAndLinfBall, halfspace, hyperplane, intersection, l1Ball, l2Ball, linfBall, simplex, slab, wholeSpace]

const made = (part: SetPart, options: unknown) => part(options as never)

for (const part of parts) {
  setConformance(part.definition.name, (dim) => part.definition.examples(dim).map((options) => made(part, options)))
}

test.each(golden.cases)('$set with $options projects $point to the golden point', ({ set, options, ...expected }) => {
  const part = parts.find(({ definition }) => definition.name === set) as SetPart
  const x = projected(made(part, options), Float64Array.from(expected.point), Float64Array.from(golden.metric))
  for (const [i, value] of expected.projection.entries()) {
    expect(Math.abs((x[i] as number) - value)).toBeLessThan(1e-12)
  }
})
