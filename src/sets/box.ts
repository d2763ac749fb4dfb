import { table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import { boundedSet, boundsOptions } from './bounds.ts'

/** All x with lower <= x <= upper. For a box the projection is the plain clip, whatever the diagonal metric. */
export const box = definePart({
  kind: 'set',
  name: 'box',
  summary: 'Every coordinate between its lower and upper bound; either may be infinite.',
  options: table(boundsOptions),
  examples: (dim) => [
    { lower: -0.5, upper: 0.75 },
    { lower: 0 },
    { lower: Array.from({ length: dim }, (_, i) => -1 - (i % 3)), upper: 0.25 },
  ],
  make: ({ lower, upper }) => boundedSet('box', lower, upper),
})
