import { number, table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import { betweenPlanes, normalOption } from './plane.ts'

/** All x with normal'x <= offset. */
export const halfspace = definePart({
  kind: 'set',
  name: 'halfspace',
  summary: 'Everything on one side of a plane.',
  options: table({ normal: normalOption, offset: number("the largest allowed normal'x") }),
  examples: (dim) => [
    { normal: 1, offset: 0.25 },
    { normal: Array.from({ length: dim }, (_, i) => [1, -2, 0, 0.5][i % 4] as number), offset: -0.5 },
  ],
  make: ({ normal, offset }) => betweenPlanes('halfspace', normal, -Infinity, offset),
})
