import { positive, table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import { boundsOptions } from './bounds.ts'
import { boxedBall } from './boxed-ball.ts'
import { centerOption } from './entries.ts'

/** All x with ||x - center|| <= radius and lower <= x <= upper: valid images near a given one. */
export const boxAndL2Ball = definePart({
  kind: 'set',
  name: 'box-and-l2-ball',
  summary: 'Every coordinate between its bounds, and the Euclidean distance to the center at most the radius.',
  options: table({
    ...boundsOptions,
    radius: positive('largest Euclidean distance'),
    center: centerOption,
  }),
  examples: (dim) => [
    { lower: -0.5, upper: 0.5, radius: 0.8 },
    { lower: -0.5, upper: Array.from({ length: dim }, (_, i) => 0.25 * (1 + (i % 4))), radius: 1, center: 0.125 },
    // The center lies outside the box.
    { lower: 0.5, radius: 0.25 + 0.5 * Math.sqrt(dim) },
  ],
  make: (options) => boxedBall('box-and-l2-ball', options),
})
