import { count, flag, optional, table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { Basis, Span } from '../core/types.ts'
import { channelMix } from './channel-mix.ts'
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
    mixed: flag('brightness and color differences instead of single channels', false),
    shape: shapeOption,
  }),
  examples: (dim) => [
    { shape: { channels: 1, height: 1, width: dim } },
    { shape: { channels: dim, height: 1, width: 1 }, mixed: true },
  ],
  make: ({ mixed, ...options }): Basis => ({
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
      const project = (image: Float64Array, into: Float64Array): void => {
        current()
        analysis(image, into)
      }
      return {
        get dim() {
          return grid.dim()
        },
        ...(mixed ? mixedVectors(current, shape.channels) : { ...vectors(current), project }),
        prospect: (index) => prospectOf(index, current()),
        group: (index) => groupOf(index, current()),
        grow: () => grid.grow(Math.SQRT2),
        memory: grid.memory,
      }
    },
  }),
})

type Vectors = Required<Pick<Span, 'expand' | 'add'>>

function vectors(transform: () => CosineTransform): Vectors {
  return {
    expand: (coefficients, into) => transform().apply(coefficients, into),
    add: (index, weight, into, offset) => transform().add(index, weight, into, offset),
  }
}

/** The same frequencies of combinations of the channels. */
function mixedVectors(transform: () => CosineTransform, channels: number): Vectors {
  const mix = channelMix(channels)
  let separated = new Float64Array(0)
  return {
    expand(coefficients, into) {
      if (separated.length !== coefficients.length) separated = new Float64Array(coefficients.length)
      mix.separate(coefficients, separated)
      transform().apply(separated, into)
    },
    add(index, weight, into, offset) {
      const { rows, columns } = transform()
      const frequency = index % (rows * columns)
      const combination = Math.floor(index / (rows * columns))
      for (let channel = 0; channel < channels; channel++) {
        transform().add(channel * rows * columns + frequency, weight * mix.share(combination, channel), into, offset)
      }
    },
  }
}

/** Images, and what networks look at in them, have most of their power in low frequencies: it falls with the square. */
function prospectOf(index: number, { rows, columns }: CosineTransform): number {
  const frequency = (index % columns) + (Math.floor(index / columns) % rows)
  return 1 / ((1 + frequency) * (1 + frequency))
}

/** A third of an octave. */
const interval = 1.2599210498948732

/** Rings of frequencies, a third of an octave wide, of each channel or combination of channels. */
function groupOf(index: number, { rows, columns }: CosineTransform): number {
  const channel = Math.floor(index / (rows * columns))
  const [row, column] = [Math.floor(index / columns) % rows, index % columns]
  // Numbers of different channels are so far apart that their groups are not taken for much alike.
  return channel * (ringOf(rows - 1, columns - 1) + 3) + ringOf(row, column)
}

function ringOf(row: number, column: number): number {
  const frequency = 1 + Math.sqrt(row * row + column * column)
  let ring = 0
  for (let edge = interval; edge <= frequency; edge *= interval) ring++
  return ring
}
