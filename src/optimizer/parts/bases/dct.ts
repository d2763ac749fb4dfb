import { count, flag, integerFrom, optional, table, withDefault } from '../../core/options.ts'
import { definePart } from '../../core/part.ts'
import type { Basis, BasisState, ImageShape, Vector } from '../../core/types.ts'
import { type ChannelMix, CosineTransform, channelMix, cosineAnalysis } from './cosine-transform.ts'
import { imageGrid, imageShape, shapeOption } from './tiles.ts'

/**
 * The low frequencies of an image: the first `size` x `size` vectors of the orthonormal two-dimensional cosine transform
 * (DCT-II) of each channel. Growing multiplies `size` by the square root of 2 and so doubles the subspace.
 */
export const dct = definePart({
  kind: 'basis',
  name: 'dct',
  summary: 'The low frequencies of an image, channel by channel.',
  options: table({
    /**
     * Frequencies kept per side; about half a side of small images, a quarter of large ones, if left out. At least 1.
     */
    size: optional(count),
    /** Brightness and color differences instead of single channels. Default false. */
    mixed: withDefault(flag, false),
    /** Size of the image whose pixels the variables are, channel by channel; the run's own if left out. */
    shape: shapeOption,
  }),
  examples: (dim) => [
    { shape: { channels: 1, height: 1, width: dim } },
    { shape: { channels: dim, height: 1, width: 1 }, mixed: true },
  ],
  make: ({ mixed, ...options }): Basis => ({
    start(at): BasisState {
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

type Vectors = Required<Pick<BasisState, 'expand' | 'add'>>

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

/**
 * All of an image, cut into blocks: the cosine transform (DCT-II) of each block, in brightness and differences of colors.
 * What a network looks at has its place in the image, and its colors go together: few of these vectors hold most of it.
 */
export const localDct = definePart({
  kind: 'basis',
  name: 'local-dct',
  summary: 'The frequencies of small blocks of an image, in brightness and differences of colors.',
  options: table({
    /** Pixels per side of a block, about. At least 1; default 8. */
    size: withDefault(integerFrom(1), 8),
    /** Size of the image whose pixels the variables are, channel by channel; the run's own if left out. */
    shape: shapeOption,
  }),
  examples: (dim) => [{ shape: { channels: 1, height: 1, width: dim } }],
  make: ({ size, shape }): Basis => ({
    start(at): BasisState {
      const cosines = new LocalCosines(imageShape('local-dct', shape, at), size)
      return {
        dim: cosines.dim,
        expand: (coefficients, into) => cosines.expand(coefficients, into),
        add: (index, weight, into, offset) => cosines.add(index, weight, into, offset),
      }
    },
  }),
})

/** How the vectors of local cosines are told apart: by their place in the image and by their channel and frequency. */
export interface LocalLayout {
  /** Blocks from top to bottom and from left to right. */
  readonly rows: number
  readonly columns: number
  /** Kinds of vectors: combinations of the channels times bands of frequencies. */
  readonly kinds: number
  /** For each vector, the number of its block, row by row, times `kinds`, plus its kind. */
  readonly cells: Uint32Array
}

/** Bands of frequencies, from low to high. */
const bands = 8

/**
 * Orthonormal vectors that are local in place and in frequency: an image is cut into blocks, each has the cosines of its
 * own size (DCT-II) in every combination of channels. The vector of a frequency has the number of the pixel as far from the
 * corner of its block as the frequency is from 0.
 */
export class LocalCosines {
  readonly dim: number
  readonly #shape: ImageShape
  readonly #mix: ChannelMix
  readonly #down: Cuts
  readonly #across: Cuts

  constructor(shape: ImageShape, side: number) {
    const { channels, height, width } = shape
    this.dim = channels * height * width
    this.#shape = shape
    this.#down = cuts(height, side)
    this.#across = cuts(width, side)
    this.#mix = channelMix(channels)
  }

  /** into[offset...] += weight times one vector. */
  add(index: number, weight: number, into: Vector, offset: number): void {
    const { channels, height, width } = this.#shape
    const pixels = height * width
    const combination = Math.floor(index / pixels)
    const down = waveAt(this.#down, Math.floor((index % pixels) / width))
    const across = waveAt(this.#across, index % width)
    for (let channel = 0; channel < channels; channel++) {
      const share = this.#mix.share(combination, channel)
      const first = offset + channel * pixels + down.start * width + across.start
      for (let y = 0; y < down.wave.length; y++) {
        const factor = weight * share * (down.wave[y] as number)
        const at = first + y * width
        for (let x = 0; x < across.wave.length; x++) {
          into[at + x] = (into[at + x] as number) + factor * (across.wave[x] as number)
        }
      }
    }
  }

  /** into = the sum of all vectors with these coefficients. */
  expand(coefficients: Float64Array, into: Float64Array): void {
    into.fill(0)
    for (let i = 0; i < this.dim; i++) if (coefficients[i] !== 0) this.add(i, coefficients[i] as number, into, 0)
  }

  /** As large as an image, so that it is made where it is asked for. */
  get layout(): LocalLayout {
    const { channels, height, width } = this.#shape
    const downs = Array.from({ length: height }, (_, y) => pieceOf(this.#down, y))
    const acrosses = Array.from({ length: width }, (_, x) => pieceOf(this.#across, x))
    const columns = this.#across.starts.length - 1
    const kinds = channels * bands
    const cells = new Uint32Array(this.dim)
    let i = 0
    for (let combination = 0; combination < channels; combination++) {
      for (const down of downs) {
        const y = down.offset / down.length
        for (const across of acrosses) {
          const x = across.offset / across.length
          const band = Math.min(bands - 1, Math.floor(bands * Math.sqrt((y * y + x * x) / 2)))
          cells[i++] = (down.number * columns + across.number) * kinds + combination * bands + band
        }
      }
    }
    return { rows: this.#down.starts.length - 1, columns, kinds, cells }
  }
}

/** How a side is cut into pieces, and the cosines of pieces of each length. */
interface Cuts {
  readonly starts: Int32Array
  readonly waves: ReadonlyMap<number, readonly Float64Array[]>
}

function cuts(length: number, side: number): Cuts {
  const count = Math.max(1, Math.round(length / side))
  const starts = Int32Array.from({ length: count + 1 }, (_, i) => Math.round((i * length) / count))
  const waves = new Map<number, Float64Array[]>()
  for (let i = 0; i < count; i++) {
    const size = (starts[i + 1] as number) - (starts[i] as number)
    if (!waves.has(size)) waves.set(size, cosines(size))
  }
  return { starts, waves }
}

/** The orthonormal cosines of a length, from the lowest frequency to the highest. */
function cosines(length: number): Float64Array[] {
  return Array.from({ length }, (_, frequency) => {
    const scale = Math.sqrt((frequency === 0 ? 1 : 2) / length)
    return Float64Array.from({ length }, (_, x) => scale * Math.cos((Math.PI * (x + 0.5) * frequency) / length))
  })
}

/** The piece of a side that a number along it lies in. */
function pieceOf({ starts }: Cuts, at: number) {
  const count = starts.length - 1
  let number = Math.min(count - 1, Math.floor((at * count) / (starts[count] as number)))
  while ((starts[number] as number) > at) number--
  while ((starts[number + 1] as number) <= at) number++
  const start = starts[number] as number
  return { number, start, length: (starts[number + 1] as number) - start, offset: at - start }
}

/** Where the piece begins that a number along a side lies in, and the cosine it stands for. */
function waveAt(cuts: Cuts, at: number): { readonly start: number; readonly wave: Float64Array } {
  const { start, length, offset } = pieceOf(cuts, at)
  return { start, wave: cuts.waves.get(length)?.[offset] as Float64Array }
}

/** Frequencies per side of `coarseCosines` at most. */
const mostCoarse = 64

/**
 * The frequencies of a small image, drawn large: from pixel to pixel of the small one the values go over into each other evenly.
 * Nearly the low frequencies of the large image, nearly orthonormal, and a tenth of the work.
 */
export function coarseCosines({ channels, height, width }: ImageShape): BasisState {
  const [rows, columns] = [height, width].map((side) => Math.min(mostCoarse, Math.ceil(side / 4))) as [number, number]
  const small = { channels, height: rows, width: columns }
  const transform = new CosineTransform(small, rows, columns)
  const [down, across] = [between(rows, height), between(columns, width)]
  const dim = channels * rows * columns
  const [scaled, picture] = [new Float64Array(dim), new Float64Array(dim)]
  const lines = new Float64Array(rows * width)
  const lengths = picture.map(
    (_, i) => (down.lengths[Math.floor(i / columns) % rows] as number) * (across.lengths[i % columns] as number),
  )
  return {
    dim,
    expand(coefficients, into) {
      for (let i = 0; i < dim; i++) scaled[i] = (coefficients[i] as number) / (lengths[i] as number)
      transform.apply(scaled, picture)
      for (let channel = 0; channel < channels; channel++) {
        for (let row = 0; row < rows; row++) {
          const from = (channel * rows + row) * columns
          for (let x = 0; x < width; x++) {
            const share = across.share[x] as number
            const left = (1 - share) * (picture[from + (across.before[x] as number)] as number)
            lines[row * width + x] = left + share * (picture[from + (across.after[x] as number)] as number)
          }
        }
        for (let y = 0, to = channel * height * width; y < height; y++) {
          const upper = (down.before[y] as number) * width
          const lower = (down.after[y] as number) * width
          const share = down.share[y] as number
          const rest = 1 - share
          for (let x = 0; x < width; x++, to++) {
            into[to] = rest * (lines[upper + x] as number) + share * (lines[lower + x] as number)
          }
        }
      }
    },
    prospect: (index) => prospectOf(index, transform),
    group: (index) => groupOf(index, transform),
  }
}

/** Where the pixels of a long line lie between those of a short one, and how long its waves are when they are drawn on it. */
function between(short: number, long: number) {
  const place = (i: number): number => Math.min(short - 1, Math.max(0, ((i + 0.5) * short) / long - 0.5))
  const before = Int32Array.from({ length: long }, (_, i) => Math.floor(place(i)))
  const after = before.map((left) => Math.min(left + 1, short - 1))
  const share = Float64Array.from({ length: long }, (_, i) => place(i) - (before[i] as number))
  const waves = new CosineTransform({ channels: 1, height: 1, width: short }, 1, short)
  const wave = new Float64Array(short)
  const lengths = Float64Array.from({ length: short }, (_, k) => {
    wave.fill(0)
    waves.add(k, 1, wave, 0)
    let squares = 0
    before.forEach((from, i) => {
      const weight = share[i] as number
      const value = (1 - weight) * (wave[from] as number) + weight * (wave[after[i] as number] as number)
      squares += value * value
    })
    return Math.sqrt(squares)
  })
  return { before, after, share, lengths }
}
