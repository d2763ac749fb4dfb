import type { Begin, ImageShape, Vector } from '../core/types.ts'
import { type RandomRow, randomInteger, randomWord } from '../kernels/random.ts'
import type { Trials } from './trial-search.ts'

/** What the trials are told. */
interface Settings {
  /** The Euclidean length of the change. */
  readonly radius: number
  /** The side of the windows in an iteration. */
  sideAt(iteration: number): number
}

/** Rows below belong to others who draw coordinates. */
const openingRow = 2

/** The side of the windows that the first change is made of, as a share of the image's. */
const firstTiles = 1 / 5

/**
 * Square Attack, the l2 version (Andriushchenko et al., 2020, Algorithm 3): a change of a given length, made of bumps at
 * first. Each trial empties one window of the image, puts a bump into another, and gives that all the length that is free.
 */
export function windows(at: Begin, shape: ImageShape, { radius, sideAt }: Settings): Trials {
  const { seed, dim } = at
  const origin = at.start.slice()
  const change = new Float64Array(dim)
  const bumpFor = lastBumps()
  const write = (into: Vector): void => {
    for (let i = 0; i < dim; i++) into[i] = (origin[i] as number) + (change[i] as number)
  }
  const read = (x: Vector): void => {
    for (let i = 0; i < dim; i++) change[i] = (x[i] as number) - (origin[i] as number)
  }
  return {
    memory: {},
    open(iteration, into) {
      tileWithBumps(shape, { seed, iteration, row: openingRow }, change)
      const scale = radius / (Math.sqrt(squaresIn(change)) || Infinity)
      for (let i = 0; i < dim; i++) change[i] = scale * (change[i] as number)
      write(into)
    },
    next(kept, iteration, attempt, into) {
      read(kept)
      const address = { seed, iteration, row: openingRow + 1 + attempt }
      const bump = bumpFor(sideAt(iteration), randomWord(address, 'coordinates', 4) % 2 === 0)
      moveLength(shape, address, sideAt(iteration), bump, radius, change)
      write(into)
      return true
    },
    settle: () => undefined,
  }
}

/** Covers the image with bumps, side by side, each channel with a random sign. */
function tileWithBumps(shape: ImageShape, address: RandomRow, change: Float64Array): void {
  const side = Math.max(1, Math.floor(firstTiles * Math.min(shape.height, shape.width)))
  const bump = bumpOf(side, false)
  change.fill(0)
  let drawn = 0
  for (let top = 0; top + side <= shape.height; top += side) {
    for (let left = 0; left + side <= shape.width; left += side) {
      for (let channel = 0; channel < shape.channels; channel++) {
        const sign = randomWord(address, 'coordinates', drawn++) % 2 === 0 ? 1 : -1
        putScaled(shape, { channel, top, left, side }, change, sign, bump)
      }
    }
  }
}

/** Empties one window and puts its length, and what the change has left, into a bump in another. */
function moveLength(
  shape: ImageShape,
  address: RandomRow,
  side: number,
  bump: Float64Array,
  radius: number,
  change: Float64Array,
): void {
  const { channels, height, width } = shape
  const place = (index: number) => ({
    top: randomInteger(address, 'coordinates', index, height - side + 1),
    left: randomInteger(address, 'coordinates', index + 1, width - side + 1),
    side,
  })
  const [first, second] = [place(0), place(2)]
  const free = Math.max(0, radius * radius - squaresIn(change)) / channels
  for (let channel = 0; channel < channels; channel++) {
    const sign = randomWord(address, 'coordinates', 5 + channel) % 2 === 0 ? 1 : -1
    const target = { ...first, channel }
    const source = { ...second, channel }
    const own = squaresOf(shape, target, change)
    const made = withBump(shape, target, change, own > 0 ? 1 / Math.sqrt(own) : 0, sign, bump)
    // What both windows share is counted once: it is gone when the second one is emptied.
    const taken = emptied(shape, target, change) + emptied(shape, source, change)
    // A window of a single pixel may cancel what is there.
    if (squaresIn(made) === 0) made.set(bump)
    const length = Math.sqrt((taken + free) / squaresIn(made))
    putScaled(shape, target, change, length, made)
  }
}

/** Takes all change out of a window; returns the sum of its squares. */
function emptied(shape: ImageShape, window: Window, change: Float64Array): number {
  const squares = squaresOf(shape, window, change)
  for (let row = 0; row < window.side; row++) {
    const first = firstIn(shape, window, row)
    change.fill(0, first, first + window.side)
  }
  return squares
}

interface Window {
  readonly channel: number
  readonly top: number
  readonly left: number
  readonly side: number
}

// A loop for each of them: one that calls back takes several times as long.

/** Where a row of a window begins. */
function firstIn({ height, width }: ImageShape, { channel, top, left }: Window, row: number): number {
  return (channel * height + top + row) * width + left
}

/** Puts numbers into a window, times a factor. */
function putScaled(shape: ImageShape, window: Window, change: Float64Array, factor: number, from: Float64Array): void {
  const { side } = window
  for (let row = 0, at = 0; row < side; row++) {
    const first = firstIn(shape, window, row)
    for (let column = 0; column < side; column++, at++) change[first + column] = factor * (from[at] as number)
  }
}

/** The bump with a sign, and what is in a window times a scale. */
function withBump(
  shape: ImageShape,
  window: Window,
  change: Float64Array,
  scale: number,
  sign: number,
  bump: Float64Array,
): Float64Array {
  const { side } = window
  const made = new Float64Array(bump.length)
  for (let row = 0, at = 0; row < side; row++) {
    const first = firstIn(shape, window, row)
    for (let column = 0; column < side; column++, at++) {
      made[at] = sign * (bump[at] as number) + scale * (change[first + column] as number)
    }
  }
  return made
}

function squaresOf(shape: ImageShape, window: Window, change: Float64Array): number {
  const { side } = window
  let squares = 0
  for (let row = 0; row < side; row++) {
    const first = firstIn(shape, window, row)
    for (let i = first; i < first + side; i++) squares += (change[i] as number) * (change[i] as number)
  }
  return squares
}

function squaresIn(x: Float64Array): number {
  let squares = 0
  for (let i = 0; i < x.length; i++) squares += (x[i] as number) * (x[i] as number)
  return squares
}

/** Bumps, made once as long as their side stays the same, which it does for long. */
function lastBumps(): (side: number, isTurned: boolean) => Float64Array {
  let last: { readonly side: number; readonly bumps: readonly [Float64Array, Float64Array] } | undefined
  return (side, isTurned) => {
    if (last?.side !== side) last = { side, bumps: [bumpOf(side, false), bumpOf(side, true)] }
    return last.bumps[isTurned ? 1 : 0]
  }
}

/** The paper's eta, of length 1: a hill above a hollow or, turned, beside it. */
function bumpOf(side: number, isTurned: boolean): Float64Array {
  const upper = Math.floor(side / 2)
  const [hill, hollow] = [hillOf(upper, side), hillOf(side - upper, side)]
  const both = Float64Array.from([...hill, ...hollow.map((each) => -each)])
  const length = Math.sqrt(squaresIn(both))
  return both.map((_, at) => (both[isTurned ? (at % side) * side + Math.floor(at / side) : at] as number) / length)
}

/** Rings around the middle of a rectangle, of length 1: each is 1 / k^2 higher than the next one out. */
function hillOf(height: number, width: number): Float64Array {
  const [middle, center] = [Math.floor(height / 2), Math.floor(width / 2)]
  const rings = Math.max(middle, center) + 1
  const hill = Float64Array.from({ length: height * width }, (_, at) => {
    const ring = Math.max(Math.abs(Math.floor(at / width) - middle), Math.abs((at % width) - center))
    let value = 0
    for (let k = ring; k < rings; k++) value += 1 / ((k + 1) * (k + 1))
    return value
  })
  const length = Math.sqrt(squaresIn(hill)) || 1
  return hill.map((each) => each / length)
}
