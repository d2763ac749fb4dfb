import { z } from 'zod'
import { ZerothError } from '../core/errors.ts'
import { numbersOption } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { Bounds, ConvexSet, Vector } from '../core/types.ts'

const boundOption = z.union([z.number(), z.literal([Infinity, -Infinity]), numbersOption])

/** All x with lower <= x <= upper. For a box the projection is the plain clip, whatever the diagonal metric. */
export const box = definePart({
  kind: 'set',
  name: 'box',
  summary: 'Every coordinate between its lower and upper bound; either may be infinite.',
  options: z.object({
    lower: boundOption.default(-Infinity).describe('one bound for all coordinates, or one each'),
    upper: boundOption.default(Infinity).describe('one bound for all coordinates, or one each'),
  }),
  examples: (dim) => [
    { lower: -0.5, upper: 0.75 },
    { lower: 0 },
    { lower: Array.from({ length: dim }, (_, i) => -1 - (i % 3)), upper: 0.25 },
  ],
  make: ({ lower, upper }): ConvexSet => ({
    needsMetric: false,
    check: (dim) => checkBounds(lower, upper, dim),
    bounds: (dim): Bounds => ({ lower: spread(lower, dim), upper: spread(upper, dim) }),
    contains: (x, tolerance = 0) =>
      x.every((value, i) => value >= boundAt(lower, i) - tolerance && value <= boundAt(upper, i) + tolerance),
    scratchSize: () => 0,
    project: (x) => clip(x, lower, upper),
  }),
})

type Bound = number | Float64Array

function clip(x: Vector, lower: Bound, upper: Bound): void {
  for (let i = 0; i < x.length; i++) {
    const value = x[i] as number
    const low = boundAt(lower, i)
    const high = boundAt(upper, i)
    if (value < low) x[i] = low
    else if (value > high) x[i] = high
  }
}

function boundAt(bound: Bound, i: number): number {
  return typeof bound === 'number' ? bound : (bound[i] as number)
}

function spread(bound: Bound, dim: number): Float64Array {
  return Float64Array.from({ length: dim }, (_, i) => boundAt(bound, i))
}

function checkBounds(lower: Bound, upper: Bound, dim: number): void {
  for (const [name, bound] of Object.entries({ lower, upper })) {
    if (typeof bound !== 'number' && bound.length !== dim) {
      throw new ZerothError('invalid-set', `box.${name} has ${bound.length} entries for ${dim} coordinates`)
    }
  }
  for (let i = 0; i < dim; i++) {
    if (!(boundAt(lower, i) <= boundAt(upper, i))) {
      const bounds = `lower ${boundAt(lower, i)} is above upper ${boundAt(upper, i)}`
      throw new ZerothError('invalid-set', `box is empty: at coordinate ${i}, ${bounds}`)
    }
  }
}
