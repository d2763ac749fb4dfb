import { ZerothError } from '../core/errors.ts'
import { number, table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import { betweenPlanes, normalOption } from './plane.ts'

/** All x with lower <= normal'x <= upper: the constraint of the paper's counter-example (5). */
export const slab = definePart({
  kind: 'set',
  name: 'slab',
  summary: 'Everything between two parallel planes.',
  options: table({
    normal: normalOption,
    lower: number("the smallest allowed normal'x"),
    upper: number("the largest allowed normal'x"),
  }),
  examples: (dim) => [
    { normal: 1, lower: -1, upper: 1 },
    { normal: Array.from({ length: dim }, (_, i) => [1, 2, -1, 0.5][i % 4] as number), lower: -0.1, upper: 0.1 },
  ],
  make({ normal, lower, upper }) {
    if (lower > upper) {
      throw new ZerothError('invalid-set', `slab.lower must be at most slab.upper (${upper}), got ${lower}`)
    }
    return betweenPlanes('slab', normal, lower, upper)
  },
})
