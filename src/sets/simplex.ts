import { positive, table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { ConvexSet } from '../core/types.ts'
import { boxedPlane } from './boxed-plane.ts'

/** All x >= 0 whose coordinates add up to `sum`: x_i = max(y_i - lambda / h_i, 0). */
export const simplex = definePart({
  kind: 'set',
  name: 'simplex',
  summary: 'Non-negative coordinates with a given sum.',
  options: table({ sum: positive('what the coordinates add up to', 1) }),
  examples: () => [{}, { sum: 3.5 }],
  make: ({ sum }): ConvexSet => ({
    ...boxedPlane('simplex', { normal: 1, offset: sum, lower: 0, upper: Infinity }),
    simplexSum: sum,
  }),
})
