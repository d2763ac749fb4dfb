import { number, table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import { betweenPlanes, normalOption } from './plane.ts'

/** All x with normal'x = offset. */
export const hyperplane = definePart({
  kind: 'set',
  name: 'hyperplane',
  summary: 'A plane of one dimension less.',
  options: table({ normal: normalOption, offset: number("the value of normal'x") }),
  examples: (dim) => [
    { normal: 1, offset: 1 },
    { normal: Array.from({ length: dim }, (_, i) => [2, -1, 0, 0.25][i % 4] as number), offset: -0.75 },
  ],
  make: ({ normal, offset }) => betweenPlanes('hyperplane', normal, offset, offset),
})
