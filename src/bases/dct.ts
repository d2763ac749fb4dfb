import { count, optional, table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { Basis, Span } from '../core/types.ts'
import { cosineAnalysis } from './cosine-analysis.ts'
import { CosineTransform } from './cosine-transform.ts'
import { imageGrid, shapeOption } from './image-options.ts'

/**
 * The low frequencies of an image: the first `size` x `size` vectors of the orthonormal two-dimensional cosine transform
 * (DCT-II) of each channel. Growing multiplies `size` by the square root of 2 and so doubles the subspace.
 */
export const dct = definePart({
  kind: 'basis',
  name: 'dct',
  summary: 'The low frequencies of an image, channel by channel.',
  options: table({
    size: optional(
      count('frequencies kept per side; about half a side of small images, a quarter of large ones, if left out'),
    ),
    shape: shapeOption,
  }),
  examples: (dim) => [{ shape: { channels: 1, height: 1, width: dim } }],
  make: (options): Basis => ({
    begin(at): Span {
      const grid = imageGrid('dct', options, at)
      const { shape, kept } = grid
      const { height, width } = shape
      // The tables follow the size of the grid when they are used next.
      let transform = new CosineTransform(shape, kept(height), kept(width))
      let analysis = cosineAnalysis(shape, kept(height), kept(width))
      const current = (): typeof transform => {
        if (transform.rows !== kept(height) || transform.columns !== kept(width)) {
          transform = new CosineTransform(shape, kept(height), kept(width))
          analysis = cosineAnalysis(shape, kept(height), kept(width))
        }
        return transform
      }
      return {
        get dim() {
          return grid.dim()
        },
        expand: (coefficients, into) => current().apply(coefficients, into),
        project(image, into) {
          current()
          analysis(image, into)
        },
        add: (index, weight, into, offset) => current().add(index, weight, into, offset),
        // Images, and what networks look at in them, have most of their power in low frequencies: it falls with the square.
        prospect(index) {
          const { rows, columns } = current()
          const frequency = (index % columns) + (Math.floor(index / columns) % rows)
          return 1 / ((1 + frequency) * (1 + frequency))
        },
        grow: () => grid.grow(Math.SQRT2),
        memory: grid.memory,
      }
    },
  }),
})
