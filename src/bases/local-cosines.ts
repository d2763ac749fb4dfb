import type { ImageShape, Vector } from '../core/types.ts'
import { type ChannelMix, channelMix } from './channel-mix.ts'

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
