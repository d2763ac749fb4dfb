import type { ImageShape, Vector } from '../core/types.ts'

/** How the vectors of local cosines are told apart: by their place in the image and by their channel and frequency. */
export interface LocalLayout {
  /** Blocks from top to bottom and from left to right. */
  readonly rows: number
  readonly columns: number
  /** Kinds of vectors: mixtures of the channels times bands of frequencies. */
  readonly kinds: number
  /** The vectors of one kind in one block, by their numbers. */
  members(block: number, kind: number): Int32Array
}

/** Bands of frequencies, from low to high. */
const bands = 8

/** Brightness and two differences of colors: what a network sees in color channels, it mostly sees in such mixtures. */
const mixtures = [
  [Math.sqrt(1 / 3), Math.sqrt(1 / 3), Math.sqrt(1 / 3)],
  [Math.sqrt(1 / 2), 0, -Math.sqrt(1 / 2)],
  [Math.sqrt(1 / 6), -2 * Math.sqrt(1 / 6), Math.sqrt(1 / 6)],
] as const

/**
 * Orthonormal vectors that are local in place and in frequency: an image is cut into blocks, each has the cosines of its
 * own size (DCT-II) in every mixture of channels. The vector of a frequency has the number of the pixel as far from the
 * corner of its block as the frequency is from 0.
 */
export class LocalCosines {
  readonly dim: number
  readonly layout: LocalLayout
  readonly #shape: ImageShape
  readonly #down: Cuts
  readonly #across: Cuts

  constructor(shape: ImageShape, side: number, shuffle: (count: number) => Int32Array) {
    const { channels, height, width } = shape
    this.dim = channels * height * width
    this.#shape = shape
    this.#down = cuts(height, side)
    this.#across = cuts(width, side)
    const [rows, columns] = [this.#down.starts.length - 1, this.#across.starts.length - 1]
    this.layout = { rows, columns, kinds: channels * bands, members: this.#members(shuffle) }
  }

  /** into[offset...] += weight times one vector. */
  add(index: number, weight: number, into: Vector, offset: number): void {
    const { channels, height, width } = this.#shape
    const pixels = height * width
    const mixture = Math.floor(index / pixels)
    const down = waveAt(this.#down, Math.floor((index % pixels) / width))
    const across = waveAt(this.#across, index % width)
    for (let channel = 0; channel < channels; channel++) {
      const share = channels === 3 ? (mixtures[mixture]?.[channel] as number) : channel === mixture ? 1 : 0
      if (share === 0) continue
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

  /** Blocks of the same size have their vectors in the same order, which is found out once. */
  #members(shuffle: (count: number) => Int32Array): LocalLayout['members'] {
    const { height, width } = this.#shape
    const [down, across] = [this.#down.starts, this.#across.starts]
    const columns = across.length - 1
    const known = new Map<string, Int32Array[]>()
    return (block, kind) => {
      const [top = 0, bottom = 0] = down.subarray(Math.floor(block / columns))
      const [left = 0, right = 0] = across.subarray(block % columns)
      const size = `${bottom - top} ${right - left}`
      const offsets = known.get(size) ?? banded(bottom - top, right - left, width, shuffle)
      known.set(size, offsets)
      const first = Math.floor(kind / bands) * height * width + top * width + left
      return (offsets[kind % bands] as Int32Array).map((each) => first + each)
    }
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

/** The piece that a number along a side lies in, and the cosine it stands for. */
function waveAt({ starts, waves }: Cuts, at: number): { readonly start: number; readonly wave: Float64Array } {
  let piece = Math.min(starts.length - 2, Math.floor((at * (starts.length - 1)) / (starts.at(-1) as number)))
  while ((starts[piece] as number) > at) piece--
  while ((starts[piece + 1] as number) <= at) piece++
  const start = starts[piece] as number
  return { start, wave: waves.get((starts[piece + 1] as number) - start)?.[at - start] as Float64Array }
}

/** The vectors of a block in bands of frequencies, as offsets from its first pixel, each band in a random order. */
function banded(height: number, width: number, stride: number, shuffle: (count: number) => Int32Array): Int32Array[] {
  const found = Array.from({ length: bands }, (): number[] => [])
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const frequency = Math.sqrt(((y / height) * (y / height) + (x / width) * (x / width)) / 2)
      found[Math.min(bands - 1, Math.floor(bands * frequency))]?.push(y * stride + x)
    }
  }
  return found.map((each) => shuffle(each.length).map((i) => each[i] as number))
}
