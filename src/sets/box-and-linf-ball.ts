import { positive, table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { ConvexSet } from '../core/types.ts'
import { boundedSet, boundsOptions } from './bounds.ts'
import { centerOption, checkLengths, combine } from './entries.ts'

/** A box cut to the coordinates within a radius: the reference code's `projection_box_eps`. Again a box. */
export const boxAndLinfBall = definePart({
  kind: 'set',
  name: 'box-and-linf-ball',
  summary: 'Every coordinate between its bounds and within the radius of the center.',
  options: table({
    ...boundsOptions,
    radius: positive('largest distance of a coordinate from the center'),
    center: centerOption,
  }),
  examples: (dim) => [
    { lower: -0.5, upper: 0.5, radius: 16 / 256 },
    { lower: 0, radius: 1, center: Array.from({ length: dim }, (_, i) => 0.25 * (i % 5)) },
  ],
  make: ({ lower, upper, radius, center }): ConvexSet => {
    const cut = boundedSet(
      'box-and-linf-ball',
      combine(lower, center, (low, c) => Math.max(low, c - radius)),
      combine(upper, center, (high, c) => Math.min(high, c + radius)),
    )
    return {
      ...cut,
      check(dim) {
        checkLengths('box-and-linf-ball', { lower, upper, center }, dim)
        cut.check(dim)
      },
    }
  },
})
