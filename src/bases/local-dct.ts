import { option, table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import { wholeFrom } from '../core/schema.ts'
import type { Basis, Span } from '../core/types.ts'
import { imageShape, shapeOption } from './image-options.ts'
import { LocalCosines } from './local-cosines.ts'

/**
 * All of an image, cut into blocks: the cosine transform (DCT-II) of each block, in brightness and differences of colors.
 * What a network looks at has its place in the image, and its colors go together: few of these vectors hold most of it.
 */
export const localDct = definePart({
  kind: 'basis',
  name: 'local-dct',
  summary: 'The frequencies of small blocks of an image, in brightness and differences of colors.',
  options: table({
    size: option(wholeFrom(1), 'pixels per side of a block, about', 8),
    shape: shapeOption,
  }),
  examples: (dim) => [{ shape: { channels: 1, height: 1, width: dim } }],
  make: ({ size, shape }): Basis => ({
    begin(at): Span {
      const cosines = new LocalCosines(imageShape('local-dct', shape, at), size)
      return {
        dim: cosines.dim,
        expand: (coefficients, into) => cosines.expand(coefficients, into),
        add: (index, weight, into, offset) => cosines.add(index, weight, into, offset),
      }
    },
  }),
})
