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
import { setConformance } from './set.ts'

/** A set part whose options are known only to itself. */
type SetPart = ((options: never) => ConvexSet) & {
  readonly definition: { readonly name: string; readonly examples: (dim: number) => readonly unknown[] }
}

// biome-ignore format: one line, as the generated registry will have it.
const parts: readonly SetPart[] = [box, boxAndHyperplane, boxAndL2Ball, boxAndLinfBall, halfspace, hyperplane, intersection, l1Ball, l2Ball, linfBall, simplex, slab, wholeSpace]

for (const part of parts) {
  setConformance(part.definition.name, (dim) => part.definition.examples(dim).map((options) => part(options as never)))
}
