import { positive, table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { ConvexSet } from '../core/types.ts'
import { boundedSet } from './bounds.ts'
import { centerOption, checkLengths, combine } from './entries.ts'

/** All x with max |x_i - center_i| <= radius: a box around the center. */
export const linfBall = definePart({
  kind: 'set',
  name: 'linf-ball',
  summary: 'Every coordinate within the radius of the center.',
  options: table({ radius: positive('largest distance of a coordinate'), center: centerOption }),
  examples: (dim) => [{ radius: 0.5 }, { radius: 1.25, center: Array.from({ length: dim }, (_, i) => (i % 4) - 1) }],
  make: ({ radius, center }): ConvexSet => ({
    ...boundedSet(
      'linf-ball',
      combine(center, radius, (c, r) => c - r),
      combine(center, radius, (c, r) => c + r),
    ),
    check: (dim) => checkLengths('linf-ball', { center }, dim),
  }),
})
