import { table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { ConvexSet } from '../core/types.ts'
import { unconstrained } from '../core/unconstrained.ts'

/** All of R^d: no constraint. */
export const wholeSpace = definePart({
  kind: 'set',
  name: 'whole-space',
  summary: 'No constraint.',
  options: table({}),
  examples: () => [{}],
  make: (): ConvexSet => ({ ...unconstrained }),
})
