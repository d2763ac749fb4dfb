import { z } from 'zod'
import { definePart } from '../core/part.ts'
import { betweenPlanes, normalOption } from './plane.ts'

/** All x with normal'x <= offset. */
export const halfspace = definePart({
  kind: 'set',
  name: 'halfspace',
  summary: 'Everything on one side of a plane.',
  options: z.object({ normal: normalOption, offset: z.number().describe("the largest allowed normal'x") }),
  examples: (dim) => [
    { normal: 1, offset: 0.25 },
    { normal: Array.from({ length: dim }, (_, i) => [1, -2, 0, 0.5][i % 4] as number), offset: -0.5 },
  ],
  make: ({ normal, offset }) => betweenPlanes('halfspace', normal, -Infinity, offset),
})
