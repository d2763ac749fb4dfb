import { positive, table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import { boxedBall } from './boxed-ball.ts'
import { centerOption } from './entries.ts'

/** All x with ||x - center|| <= radius, in the Euclidean norm whatever metric the projection is taken in. */
export const l2Ball = definePart({
  kind: 'set',
  name: 'l2-ball',
  summary: 'Euclidean distance to the center at most the radius.',
  options: table({ radius: positive('largest distance'), center: centerOption }),
  examples: (dim) => [
    { radius: 1 },
    { radius: 0.75, center: Array.from({ length: dim }, (_, i) => 1 - 0.5 * (i % 4)) },
  ],
  make: (options) => boxedBall('l2-ball', { ...options, lower: -Infinity, upper: Infinity }),
})
