import type { ImageShape, Memory, RunContext, Vector } from '../../optimizer/core/types.ts'
import { type RandomRow, randomInteger } from '../../optimizer/kernels/random.ts'

/** A part of an image: in pixels, or in cells. */
export interface Window {
  readonly top: number
  readonly left: number
  readonly height: number
  readonly width: number
}

/** Cells of a channel at most. */
const mostCells = 1024

/**
 * The squares of pixels that slopes are learned for: single pixels of a small image. A change of an image is as many sums
 * as it touches cells, whatever the size of the image; those of a window are packed one after the other.
 */
export class Cells {
  readonly side: number
  readonly down: number
  readonly across: number
  readonly channels: number
  readonly count: number
  readonly #shape: ImageShape

  constructor(shape: ImageShape) {
    this.#shape = shape
    this.channels = shape.channels
    this.side = Math.max(1, Math.ceil(Math.sqrt((shape.height * shape.width) / mostCells)))
    this.down = Math.ceil(shape.height / this.side)
    this.across = Math.ceil(shape.width / this.side)
    this.count = this.channels * this.down * this.across
  }

  /** The cells that a window of pixels touches. */
  around({ top, left, height, width }: Window): Window {
    const [first, start] = [Math.floor(top / this.side), Math.floor(left / this.side)]
    const last = Math.floor((top + height - 1) / this.side)
    const end = Math.floor((left + width - 1) / this.side)
    return { top: first, left: start, height: last - first + 1, width: end - start + 1 }
  }

  /** The share of a row of cells that a window of pixels covers. */
  coveredDown({ top, height }: Window, row: number): number {
    return overlap(row * this.side, this.side, this.#shape.height, top, height)
  }

  /** The share of a column of cells. */
  coveredAcross({ left, width }: Window, column: number): number {
    return overlap(column * this.side, this.side, this.#shape.width, left, width)
  }

  /** into = the sums of (a - b) / unit over each cell that a window of pixels touches. */
  sums(a: Vector, b: Vector, unit: number, window: Window, into: Float32Array): Window {
    const around = this.around(window)
    const { height, width } = this.#shape
    into.fill(0, 0, this.channels * around.height * around.width)
    for (let channel = 0; channel < this.channels; channel++) {
      for (let row = window.top; row < window.top + window.height; row++) {
        const from = (channel * height + row) * width
        const line = channel * around.height + Math.floor(row / this.side) - around.top
        let cell = line * around.width
        let end = (around.left + 1) * this.side
        let sum = 0
        for (let column = window.left; column < window.left + window.width; column++) {
          if (column === end) {
            into[cell] = (into[cell] as number) + sum / unit
            cell++
            end += this.side
            sum = 0
          }
          sum += (a[from + column] as number) - (b[from + column] as number)
        }
        into[cell] = (into[cell] as number) + sum / unit
      }
    }
    return around
  }

  /** Calls back for each cell of a window: its place in the packed window, and in all cells. */
  each({ top, left, height, width }: Window, visit: (packed: number, cell: number) => void): void {
    for (let channel = 0, packed = 0; channel < this.channels; channel++) {
      for (let row = top; row < top + height; row++) {
        const first = (channel * this.down + row) * this.across
        for (let column = left; column < left + width; column++) visit(packed++, first + column)
      }
    }
  }
}

/** The share of a piece of a line, from `start` on and cut off at `end`, that lies in another piece. */
function overlap(start: number, length: number, end: number, from: number, width: number): number {
  const last = Math.min(start + length, end)
  return (Math.min(last, from + width) - Math.max(start, from)) / (last - start)
}

/** Answers that are kept to be learned from again. */
const kept = 100

/** How much of what an answer says beyond what was known is learned at once. */
const rate = 0.7

/** Kept answers that are learned from again, at half the rate, after each new one; fewer where slopes are those of cells. */
const replays = { pixels: 10, cells: 6 }

/**
 * How much of a slope is that of the pixels around it, and then of the other colours. Of cells, how much is that of all the
 * window that was changed.
 */
const alike = { neighbours: 0.3, colours: 0.3, window: 0.5 }

/** Numbers that say where a kept change is. */
const places = 4

/**
 * A linear model of how one value, or several, change with the cells of an image. Each answer corrects it along the change
 * that was asked, as far as the answer was not expected (Kaczmarz, relaxed); neighbours are corrected alike. It is never
 * reset: slopes change slowly where the image moves.
 */
export class CellSlopes {
  readonly memory: Memory
  readonly #cells: Cells
  readonly #outputs: number
  readonly #slopes: Vector
  readonly #changes: Vector
  readonly #rises: Vector
  readonly #windows: Vector
  readonly #wide: Float32Array
  readonly #sums: Float32Array
  readonly #state = { learned: 0 }

  constructor({ kernels, precision }: RunContext, cells: Cells, outputs: number) {
    this.#cells = cells
    this.#outputs = outputs
    this.#slopes = kernels.allocate(outputs * cells.count, precision)
    this.#changes = kernels.allocate(kept * cells.count, precision)
    this.#rises = kernels.allocate(kept * outputs, precision)
    this.#windows = kernels.allocate(kept * places, precision)
    this.#wide = new Float32Array(cells.count)
    this.#sums = new Float32Array(cells.count)
    const vectors = { slopes: this.#slopes, changes: this.#changes, rises: this.#rises, windows: this.#windows }
    this.memory = { vectors, state: this.#state }
  }

  /** Answers so far. */
  get learned(): number {
    return this.#state.learned
  }

  /** The slope of an output along a cell. */
  slope(output: number, cell: number): number {
    return this.#slopes[output * this.#cells.count + cell] as number
  }

  /** By how much a change of the cells in a window raises an output, as far as is known. */
  rise(output: number, change: Vector, window: Window, from = 0): number {
    const { count, channels, down, across } = this.#cells
    const slopes = this.#slopes
    let sum = 0
    for (let channel = 0, i = from; channel < channels; channel++) {
      for (let row = window.top; row < window.top + window.height; row++) {
        const first = output * count + (channel * down + row) * across + window.left
        for (let to = first; to < first + window.width; to++, i++) sum += (slopes[to] as number) * (change[i] as number)
      }
    }
    return sum
  }

  /** Learns by how much a change raised each output, and some of the kept answers again. */
  learn(change: Vector, window: Window, rises: Float64Array, random: RandomRow): void {
    const { count, side } = this.#cells
    this.#correct(change, 0, window, rises, 0, rate)
    const slot = this.learned < kept ? this.learned : randomInteger(random, 'coordinates', 0, kept)
    const size = this.#cells.channels * window.height * window.width
    for (let i = 0; i < size; i++) this.#changes[slot * count + i] = change[i] as number
    this.#rises.set(rises, slot * this.#outputs)
    this.#windows.set([window.top, window.left, window.height, window.width], slot * places)
    this.#state.learned++
    const known = Math.min(this.learned, kept)
    const again = side === 1 ? replays.pixels : replays.cells
    for (let i = 1; i <= again; i++) {
      const one = randomInteger(random, 'coordinates', i, known)
      const [top, left, height, width] = Array.from(this.#windows.subarray(one * places, (one + 1) * places))
      const there = { top, left, height, width } as Window
      this.#correct(this.#changes, one * count, there, this.#rises, one * this.#outputs, rate / 2)
    }
  }

  /** Moves the slopes towards those that explain the rises of a change. */
  #correct(change: Vector, from: number, window: Window, rises: Vector, first: number, share: number): void {
    const wide = this.#spread(change, from, window)
    const { count, channels, down, across } = this.#cells
    const slopes = this.#slopes
    const size = channels * window.height * window.width
    let weight = 0
    for (let i = 0; i < size; i++) weight += (change[from + i] as number) * (wide[i] as number)
    if (!(weight > 0)) return
    for (let output = 0; output < this.#outputs; output++) {
      const missing = (rises[first + output] as number) - this.rise(output, change, window, from)
      if (!Number.isFinite(missing)) continue
      const scale = (share * missing) / weight
      for (let channel = 0, i = 0; channel < channels; channel++) {
        for (let row = window.top; row < window.top + window.height; row++) {
          const start = output * count + (channel * down + row) * across + window.left
          for (let to = start; to < start + window.width; to++, i++) {
            slopes[to] = (slopes[to] as number) + scale * (wide[i] as number)
          }
        }
      }
    }
  }

  /** A change with what is likely of the pixels around it and of the other colours. */
  #spread(change: Vector, from: number, { height, width }: Window): Float32Array {
    const { channels, side } = this.#cells
    const wide = this.#wide
    for (let i = 0; i < channels * height * width; i++) wide[i] = change[from + i] as number
    if (side > 1) {
      for (let channel = 0; channel < channels; channel++) mixWindow(wide, channel * height * width, height * width)
      return wide
    }
    const sums = this.#sums
    for (let line = 0; line < channels * height; line++) addBeside(wide, sums, line * width, width)
    for (let channel = 0; channel < channels; channel++) {
      for (let row = 0; row < height; row++) {
        const start = (channel * height + row) * width
        for (let i = start; i < start + width; i++) {
          const above = row > 0 ? (sums[i - width] as number) : 0
          const below = row < height - 1 ? (sums[i + width] as number) : 0
          const mean = ((sums[i] as number) + above + below) / 9
          wide[i] = (1 - alike.neighbours) * (wide[i] as number) + alike.neighbours * mean
        }
      }
    }
    if (channels > 1) mixColours(wide, channels, height * width)
    return wide
  }
}

/** sums = each number of a line and those beside it. */
function addBeside(line: Float32Array, sums: Float32Array, start: number, length: number): void {
  for (let i = start; i < start + length; i++) {
    const before = i > start ? (line[i - 1] as number) : 0
    const behind = i < start + length - 1 ? (line[i + 1] as number) : 0
    sums[i] = before + (line[i] as number) + behind
  }
}

function mixColours(wide: Float32Array, channels: number, pixels: number): void {
  for (let pixel = 0; pixel < pixels; pixel++) {
    let sum = 0
    for (let channel = 0; channel < channels; channel++) sum += wide[channel * pixels + pixel] as number
    for (let i = pixel; i < channels * pixels; i += pixels) {
      wide[i] = (1 - alike.colours) * (wide[i] as number) + (alike.colours / channels) * sum
    }
  }
}

function mixWindow(wide: Float32Array, from: number, cells: number): void {
  let sum = 0
  for (let i = from; i < from + cells; i++) sum += wide[i] as number
  const mean = sum / cells
  for (let i = from; i < from + cells; i++) wide[i] = (1 - alike.window) * (wide[i] as number) + alike.window * mean
}
