import { flag, table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { DirectionRows, Directions, Key } from '../core/types.ts'
import { randomInteger } from '../kernels/random.ts'

/** Coordinate vectors: drawn uniformly with replacement (ZO-SCD), or all d of them in order (the row of Table 1). */
export const coordinate = definePart({
  kind: 'directions',
  name: 'coordinate',
  summary: 'Coordinate vectors, drawn at random with replacement or all of them in order.',
  options: table({
    all: flag('take every coordinate once per iteration instead of random ones', false),
  }),
  examples: () => [{}, { all: true }],
  make: ({ all }): Directions => ({
    begin({ dim, precision }, count): DirectionRows {
      const pick = (key: Key, row: number): number =>
        all ? row % dim : randomInteger({ ...key, row: 0 }, 'coordinates', row, dim)
      const round = precision === 'float32' ? Math.fround : Number
      return {
        count: all ? dim : count,
        factor: dim,
        write(x, scale, key, row, into, offset) {
          const chosen = pick(key, row)
          into.set(x, offset)
          into[offset + chosen] = round((x[chosen] as number) + scale)
        },
        accumulate(x, scale, key, row, weight, antithetic, gradient) {
          const chosen = pick(key, row)
          const base = x[chosen] as number
          const seen = round(round(base + scale) - (antithetic ? round(base - scale) : base))
          gradient[chosen] = (gradient[chosen] as number) + round(round(weight) * seen)
        },
      }
    },
  }),
})
