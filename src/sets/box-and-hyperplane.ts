import { number, table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import { boundsOptions } from './bounds.ts'
import { boxedPlane } from './boxed-plane.ts'
import { normalOption } from './plane.ts'

/** All x with normal'x = offset and lower <= x <= upper: capped simplices and budgets. */
export const boxAndHyperplane = definePart({
  kind: 'set',
  name: 'box-and-hyperplane',
  summary: 'The part of a plane that lies inside a box.',
  options: table({
    ...boundsOptions,
    normal: normalOption,
    offset: number("the value of normal'x"),
  }),
  examples: (dim) => [
    { lower: -1, upper: 1, normal: Array.from({ length: dim }, (_, i) => [1, 2, -1, 0.5][i % 4] as number), offset: 0 },
    { lower: 0, upper: Array.from({ length: dim }, (_, i) => (i % 3 === 1 ? 0.5 : Infinity)), normal: 1, offset: 1 },
    {
      lower: Array.from({ length: dim }, (_, i) => -1 - (i % 3)),
      upper: 0.25,
      normal: Array.from({ length: dim }, (_, i) => [1, 0, -3][i % 3] as number),
      offset: -0.125,
    },
  ],
  make: (options) => boxedPlane('box-and-hyperplane', options),
})
