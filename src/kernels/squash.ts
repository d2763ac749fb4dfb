import type { Vector } from './kernels.ts'
import type { PairMemory } from './pair-memory.ts'
import { lastOf, oneByOne, type PieceKernel, type RowPair, simdPair } from './row-pair.ts'

/** Keeps atanh finite at black and white; the way back divides by it, so that w = 0 gives the image itself. */
const guard = 0.999999

/** Numbers of the formula in the order in which the kernels read them; the first is where another formula begins. */
const numbers = [4, 0.25, 34459425, 4729725, 135135, 990, 16216200, 945945, 13860, 45, 0.5, 2 * guard, 0.5 / guard, 1]

/**
 * Rows of `dim` variables w that make pictures 0.5 tanh(atanh(2x) + w) of an image, in WebAssembly SIMD where there is any; the bits
 * are the same. What is known of rows is that of the changes they make; where a variable is no number, nothing is.
 */
export function squashPair(dim: number): RowPair {
  return simdPair(dim, squashing) ?? scalarSquash(dim)
}

/** The same pair for all who ask for rows of this length: what is in it holds until somebody else writes. */
export const sharedSquash = lastOf(squashPair)

/** The same in plain loops. */
export function scalarSquash(dim: number): RowPair {
  return oneByOne(dim, (base, row, into, offset, { squares, largest }, at) => {
    const sizes = [0, 0]
    for (let i = 0; i < dim; i++) into[offset + i] = measured(base[i] as number, row[i] as number, sizes, 0, 1)
    squares[at] = sizes[0] as number
    largest[at] = sizes[1] as number
  })
}

/** into[offset...] = the picture that w makes of pixels; returns the squares of the changes, added up from the first to the last. */
export function squash(w: Vector, pixels: Float32Array, into: Vector, offset: number): number {
  let squares = 0
  for (let i = 0; i < pixels.length; i++) {
    const pixel = pixels[i] as number
    const shown = squashed(pixel, w[i] as number)
    squares += (shown - pixel) * (shown - pixel)
    into[offset + i] = shown
  }
  return squares
}

/** Pixels that plain loops take over where the kernel stops: what it stops at often has neighbors. */
const takenOver = 8

const squashing: PieceKernel = {
  two(memory, base, one, other, into, behind, count) {
    const { linked, found } = memory
    const places = [base, one, other, into, behind] as const
    const table = tableIn(memory)
    for (let done = 0; done < count; ) {
      done = linked.squashPair(...places, done, count, found.byteOffset, table)
      const end = Math.min(done + takenOver, count)
      finish(memory, base, one, into, done, end, 0, 2)
      finish(memory, base, other, behind, done, end, 1, 3)
      done = end
    }
  },
  one(memory, base, row, into, count) {
    const { linked, found } = memory
    const table = tableIn(memory)
    for (let done = 0; done < count; ) {
      done = linked.squashRow(base, row, into, done, count, found.byteOffset, table)
      const end = Math.min(done + takenOver, count)
      finish(memory, base, row, into, done, end, 0, 1)
      done = end
    }
  },
}

/** The address of the numbers of the formula. */
function tableIn({ table }: PairMemory): number {
  if (table[0] !== numbers[0]) table.set(numbers)
  return table.byteOffset
}

/** Some pixels of a piece by a plain loop. */
function finish(
  { floats, found }: PairMemory,
  base: number,
  row: number,
  into: number,
  start: number,
  end: number,
  squares: number,
  largest: number,
): void {
  const [from, by, to] = [base / 4, row / 4, into / 4]
  for (let i = start; i < end; i++) {
    floats[to + i] = measured(floats[from + i] as number, floats[by + i] as number, found, squares, largest)
  }
}

/** The pixel that w makes of another; its change is added to what is known of the row. */
function measured(
  pixel: number,
  w: number,
  sizes: { [place: number]: number },
  squares: number,
  largest: number,
): number {
  const shown = squashed(pixel, w)
  const change = shown - pixel
  sizes[squares] = (sizes[squares] as number) + change * change
  sizes[largest] = Math.max(sizes[largest] as number, Math.abs(change))
  return shown
}

function squashed(pixel: number, w: number): number {
  return Math.min(1, Math.max(0, pixel + change(2 * guard * (pixel - 0.5), w)))
}

/**
 * (tanh(atanh(t) + w) - t) / (2 guard), without the two: with e^2w = rise / fall it is (1 - t^2)(rise - fall) / (2 guard
 * ((1 + t) rise + (1 - t) fall)), where nothing cancels. Small moves keep all their digits, and w = 0 gives 0.
 */
function change(t: number, w: number): number {
  if (!(w >= -4 && w <= 4)) {
    const rise = Math.exp(2 * Math.max(-300, Math.min(300, w)))
    return ((0.5 / guard) * (1 - t) * (1 + t) * (rise - 1)) / ((1 + t) * rise + (1 - t))
  }
  // tanh(w / 4) = odd / even up to 2e-17 (Lambert's continued fraction, nine steps), so e^(w/2) = (even + odd) / (even - odd).
  const x = 0.25 * w
  const y = x * x
  const odd = x * (34459425 + y * (4729725 + y * (135135 + y * (990 + y))))
  const even = 34459425 + y * (16216200 + y * (945945 + y * (13860 + 45 * y)))
  const up = (even + odd) * (even + odd)
  const down = (even - odd) * (even - odd)
  const gap = 4 * odd * even * (up + down)
  return ((0.5 / guard) * (1 - t) * (1 + t) * gap) / ((1 + t) * up * up + (1 - t) * down * down)
}
