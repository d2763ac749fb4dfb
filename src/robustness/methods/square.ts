import { numberWithin, oneOf, optional, positive, table } from '../../optimizer/core/options.ts'
import { definePart } from '../../optimizer/core/part.ts'
import type { Budget, ImageShape, RunContext, Solver, Vector } from '../../optimizer/core/types.ts'
import { type RandomRow, randomInteger, randomWord } from '../../optimizer/kernels/random.ts'
import { imageShape, shapeOption } from '../../optimizer/parts/bases/tiles.ts'
import type { Spans } from './project-into.ts'
import { limitOf, type Norm, type Trials, trialSearch } from './trial-search.ts'

/**
 * Square Attack (Andriushchenko et al., 2020). Its l-infinity version moves every pixel by the radius, up or down; at first
 * in vertical stripes, then in squares at random places whose channels get random sides, kept where the value falls. Its
 * l2 version moves the length of the change from one square to another.
 */
export const square = definePart({
  kind: 'solver',
  forAttacks: true,
  name: 'square',
  summary: 'Random squares of an image, moved up or down and kept where that helps.',
  options: table({
    /**
     * By how much every pixel is moved from the start (l2: the length of the change); the attack's limit if left out,
     * or else 0.1 (l2: 1). Above 0.
     */
    radius: optional(positive),
    /** What the radius limits: every pixel, or the length of the change; that of the attack. */
    norm: optional(oneOf('linf', 'l2')),
    /**
     * Share of the image that the first squares cover (the paper: p); if left out, by its size and the budget. Above 0
     * and at most 1.
     */
    share: optional(numberWithin({ above: 0, most: 1 })),
    /** Size of the image whose pixels the variables are, channel by channel; the run's own if left out. */
    shape: shapeOption,
  }),
  examples: (dim) => [
    { radius: 1, shape: { channels: 1, height: 1, width: dim } },
    { radius: 0.8, share: 1, shape: { channels: dim, height: 1, width: 1 } },
  ],
  make: ({ radius: given, norm: said, share, shape }): Solver => ({
    start(at) {
      const image = imageShape('square', shape, at)
      const { norm, radius } = limitOf(at, { norm: said, radius: given })
      const queries = queriesOf(at.budget)
      const first = share ?? (given === undefined ? shareFor(image, queries, norm) : usualShare(image))
      const sideAt = (iteration: number): number => sideOf(image, first * shrinkage(iteration / queries))
      if (norm === 'l2') return trialSearch(at, windows(at, image, { radius, sideAt }))
      return trialSearch(at, squares(at, image, radius, sideAt))
    },
  }),
})

/** After these shares of the budget, in ten-thousandths, the squares cover half of what they did. */
const halvings = [10, 50, 200, 500, 1000, 2000, 4000, 6000, 8000]

/** The length of the schedule where the budget does not give one. */
const usualQueries = 10_000

export function squares(
  at: RunContext,
  shape: ImageShape,
  radius: number,
  sideAt: (iteration: number) => number,
): Trials {
  const { seed, dim } = at
  const { channels, height, width } = shape
  const origin = at.start.slice()
  const pixels = height * width
  const move = (i: number, word: number, into: Vector): void => {
    into[i] = (origin[i] as number) + (word % 2 === 0 ? radius : -radius)
  }
  return {
    memory: {},
    open(iteration, into) {
      const address = { seed, iteration, row: openingRow }
      for (let i = 0; i < dim; i++) {
        const stripe = Math.floor(i / pixels) * width + (i % width)
        move(i, randomWord(address, 'coordinates', stripe), into)
      }
    },
    next(_, iteration, attempt, into) {
      const address = { seed, iteration, row: openingRow + 1 + attempt }
      const side = sideAt(iteration)
      const top = randomInteger(address, 'coordinates', 0, height - side + 1)
      const left = randomInteger(address, 'coordinates', 1, width - side + 1)
      const changed: [number, number][] = []
      for (let channel = 0; channel < channels; channel++) {
        const word = randomWord(address, 'coordinates', 2 + channel)
        for (let row = top; row < top + side; row++) {
          const first = channel * pixels + row * width + left
          for (let i = first; i < first + side; i++) move(i, word, into)
          changed.push([first, first + side])
        }
      }
      return changed
    },
    settle: () => undefined,
  }
}

/** Rows below belong to others who draw coordinates. */
const openingRow = 2

/** The side of a square that covers a share of the image. */
export function sideOf({ height, width }: ImageShape, share: number): number {
  const side = Math.round(Math.sqrt(share * height * width))
  return Math.min(Math.max(side, 1), height, width)
}

/** What is left of the first share once this part of the budget is spent. */
export function shrinkage(spent: number): number {
  return halvings.reduce((left, after) => (10_000 * spent > after ? left / 2 : left), 1)
}

export function queriesOf({ maxQueries = Infinity, maxIterations = Infinity }: Budget): number {
  const least = Math.min(maxQueries, maxIterations)
  return least === Infinity ? usualQueries : least
}

/**
 * What the first squares cover where the radius is the limit of an attack: as published for 10,000 queries, and more where
 * there are fewer, since squares become smaller as the budget is spent.
 */
function shareFor({ height, width }: ImageShape, queries: number, norm: Norm): number {
  if (height * width < smallImage) return 0.8
  const { published, most } = norm === 'l2' ? { published: 0.1, most: 0.5 } : { published: 0.05, most: 0.3 }
  return Math.min(most, published * Math.max(1, usualQueries / queries))
}

/** Found on tuning images: the smaller the image, the more of it the first squares should cover. */
function usualShare({ height, width }: ImageShape): number {
  const pixels = height * width
  if (pixels < smallImage) return 0.8
  return pixels <= 4096 ? 0.3 : 0.05
}

/** Pixels below which an image shows a digit or the like. */
const smallImage = 1000

/** What the trials are told. */
interface Settings {
  /** The Euclidean length of the change. */
  readonly radius: number
  /** The side of the windows in an iteration. */
  sideAt(iteration: number): number
}

/** The side of the windows that the first change is made of, as a share of the image's. */
const firstTiles = 1 / 5

/**
 * Square Attack, the l2 version (Andriushchenko et al., 2020, Algorithm 3): a change of a given length, made of bumps at
 * first. Each trial empties one window of the image, puts a bump into another, and gives that all the length that is free.
 */
function windows(at: RunContext, shape: ImageShape, { radius, sideAt }: Settings): Trials {
  const { seed, dim } = at
  const origin = at.start.slice()
  const change = new Float64Array(dim)
  const bumpFor = lastBumps()
  /** Where the change may differ from that of the point kept; undefined where that may be anywhere. */
  let stale: Spans | undefined
  let squares = 0
  const read = (x: Vector): void => {
    for (const [from, to] of stale ?? [[0, dim]]) {
      for (let i = from; i < to; i++) change[i] = (x[i] as number) - (origin[i] as number)
    }
    if (stale === undefined) squares = squaresIn(change)
  }
  return {
    memory: {},
    open(iteration, into) {
      tileWithBumps(shape, { seed, iteration, row: openingRow }, change)
      const scale = radius / (Math.sqrt(squaresIn(change)) || Infinity)
      for (let i = 0; i < dim; i++) change[i] = scale * (change[i] as number)
      for (let i = 0; i < dim; i++) into[i] = (origin[i] as number) + (change[i] as number)
      stale = undefined
    },
    next(kept, iteration, attempt, into) {
      read(kept)
      const side = sideAt(iteration)
      const address = { seed, iteration, row: openingRow + 1 + attempt }
      const bump = bumpFor(side, randomWord(address, 'coordinates', 4) % 2 === 0)
      stale = moveLength(shape, address, side, bump, radius * radius - squares, change)
      for (const [from, to] of stale) {
        for (let i = from; i < to; i++) into[i] = (origin[i] as number) + (change[i] as number)
      }
      return stale
    },
    settle(isKept) {
      // What was kept may have been brought into the set since, and differ anywhere.
      if (isKept) stale = undefined
    },
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

/** Empties one window and puts its length, and what squares the change has left, into a bump in another; returns where. */
function moveLength(
  shape: ImageShape,
  address: RandomRow,
  side: number,
  bump: Float64Array,
  left: number,
  change: Float64Array,
): Spans {
  const { channels, height, width } = shape
  const place = (index: number) => ({
    top: randomInteger(address, 'coordinates', index, height - side + 1),
    left: randomInteger(address, 'coordinates', index + 1, width - side + 1),
    side,
  })
  const [first, second] = [place(0), place(2)]
  const free = Math.max(0, left) / channels
  const changed: [number, number][] = []
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
    for (const window of [target, source]) {
      for (let row = 0; row < side; row++) {
        const from = firstIn(shape, window, row)
        changed.push([from, from + side])
      }
    }
  }
  return changed
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
