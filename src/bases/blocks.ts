import { ZerothError } from '../core/errors.ts'
import { choice, count, table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { Basis, Key, Span } from '../core/types.ts'
import { randomInteger } from '../kernels/random.ts'

/**
 * A block of neighbouring coordinates per iteration, about one in `count` of all: the next ones in turn, or a block that
 * begins anywhere. The last coordinate is followed by the first, so that every coordinate is taken equally often.
 */
export const blocks = definePart({
  kind: 'basis',
  name: 'blocks',
  summary: 'A block of coordinates, another one in each iteration.',
  options: table({
    count: count('how many blocks it takes to cover all coordinates', 10),
    order: choice(['cyclic', 'random'], 'the blocks in turn, or one at random', 'cyclic'),
  }),
  examples: (dim) => [{ count: 1 }, { count: Math.ceil(dim / 3) }, { count: Math.ceil(dim / 2), order: 'random' }],
  make: ({ count, order }): Basis => ({
    begin({ dim, seed }): Span {
      if (count > dim) {
        throw new ZerothError(
          'invalid-option',
          `blocks.count must be at most the number of variables, ${dim}, got ${count}`,
        )
      }
      const size = Math.ceil(dim / count)
      const first = { seed, iteration: 1 }
      const beginOf = (key: Key): number =>
        order === 'cyclic' ? ((key.iteration - 1) * size) % dim : randomInteger({ ...key, row: 0 }, 'subspaces', 0, dim)
      return {
        dim: size,
        changing: true,
        expand(coefficients, into, key = first) {
          const begin = beginOf(key)
          into.fill(0)
          for (let j = 0; j < size; j++) into[(begin + j) % dim] = coefficients[j] as number
        },
      }
    },
  }),
})
