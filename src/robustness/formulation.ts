import type { Bounds, ConvexSet, ImageShape, Vector } from '../optimizer/core/types.ts'
import { type RandomRow, randomInteger, randomWord } from '../optimizer/kernels/random.ts'
import type { RowPair, RowSizes } from '../optimizer/kernels/row-pair.ts'
import type { AttackLimits, Distortion } from './records.ts'

/** A way to state an attack as a minimisation: what the variables are, where they may lie, which images they mean. */
export interface Formulation {
  /** The attack on these images, which have the same size, pixels from 0 to 1. Variables of 0 mean the images themselves. */
  start(originals: readonly Float32Array[]): FormulationState
}

/** A form applied to its images. */
export interface FormulationState {
  readonly dim: number
  readonly set: ConvexSet
  /** Writes the picture x' that `variables` make of an original x; returns ||x' - x||^2, added up in float64. */
  paint(variables: Vector, original: number, into: Vector, offset: number): number
  /**
   * Room for two rows of float32 variables whose pictures are painted at once; there where that costs less. It is shared by all
   * attacks: write the rows and paint them before anything else has its turn.
   */
  pair?(): PaintedPair
  /** The variables that make another picture of an original, where there are any. */
  variablesOf?(picture: Float32Array, original: number): Float64Array
  /** All norms of x' - x. */
  distortion(variables: Vector, original: number): Distortion
  /** How much a pixel changes with its variable, at the most; 1 if left out. */
  readonly gain?: number | undefined
  /** Where the variables make pictures, whatever the limits; anywhere if left out. */
  readonly pictures?: Bounds | undefined
  /** The limits of the attack, where it has any. */
  readonly limits?: AttackLimits | undefined
  /** True where `paint` returns the squared length of the variables themselves. */
  readonly addsSquares?: true | undefined
  /** Whether a change of that size is within the limits of the attack, where it has any. */
  allows?(distortion: Distortion): boolean
}

/** How pictures are made of two rows of variables. */
export interface PaintedPair {
  /** Where rows may be written that have no place of their own. */
  readonly rows: PairOfRows
  /** Paints both, the second right behind the first; `sizes` gets what is known of their changes, at `at` and behind it. */
  paint(original: number, rows: PairOfRows, into: Float32Array, offset: number, sizes: RowSizes, at: number): void
  /** Paints one. */
  paintOne(original: number, row: Float32Array, into: Float32Array, offset: number, sizes: RowSizes, at: number): void
}

type PairOfRows = readonly [Float32Array, Float32Array]

/** How pictures of these originals are made by kernels. */
export function paintedPair({ rows, paint, paintOne }: RowPair, originals: readonly Float32Array[]): PaintedPair {
  const pixels = (original: number): Float32Array => originals[original] as Float32Array
  return {
    rows,
    paint: (original, ...given) => paint(pixels(original), ...given),
    paintOne: (original, ...given) => paintOne(pixels(original), ...given),
  }
}

/** The norms of the difference between a picture and its original. */
export function distortionBetween(picture: Vector, original: Vector): Distortion {
  let l2sq = 0
  let linf = 0
  for (let i = 0; i < original.length; i++) {
    const difference = (picture[i] as number) - (original[i] as number)
    l2sq += difference * difference
    linf = Math.max(linf, Math.abs(difference))
  }
  return { l2sq, l2: Math.sqrt(l2sq), linf }
}

/** What a byte may be off by before it counts as another one: float32 pixels are not quite multiples of 1/255. */
const roundoff = 1e-4

/** What pictures of an image in 8 bits must keep to. */
interface ByteLimits {
  readonly linf?: number | undefined
  /** Whether an image may be changed that much. */
  allows(distortion: Distortion): boolean
}

/** A picture in 8 bits, and how much larger than wanted its change is before it is rounded. */
interface BytePicture {
  /** Pixels from 0 to 1, multiples of 1/255. */
  readonly pixels: Float32Array
  readonly stretch: number
}

/**
 * The picture in 8 bits for a change of an image that is made larger: every pixel is the nearest byte within its limit. A
 * change that is too long for the limits all the same is made as large as they allow: the nearest bytes of a slightly
 * smaller change are much nearer to it than bytes that are all rounded towards the original.
 */
export function bytePicture(original: Float32Array, change: Vector, stretch: number, limits: ByteLimits): BytePicture {
  const at = (factor: number): BytePicture => ({
    pixels: rounded(original, change, factor, limits.linf),
    stretch: factor,
  })
  const isAllowed = ({ pixels }: BytePicture): boolean => limits.allows(distortionBetween(pixels, original))
  const wanted = at(stretch)
  if (isAllowed(wanted)) return wanted
  let [inside, outside] = [at(0), stretch]
  for (let halving = 0; halving < 20; halving++) {
    const middle = at((inside.stretch + outside) / 2)
    if (isAllowed(middle)) inside = middle
    else outside = middle.stretch
  }
  return inside
}

function rounded(original: Float32Array, change: Vector, factor: number, linf = 1): Float32Array {
  return original.map((pixel, i) => {
    const byte = Math.round(255 * (pixel + factor * (change[i] as number)))
    const least = Math.max(0, Math.ceil(255 * (pixel - linf) - roundoff))
    const most = Math.min(255, Math.floor(255 * (pixel + linf) + roundoff))
    return Math.min(most, Math.max(least, byte)) / 255
  })
}

/** By how much each pixel of a picture differs from the original. */
export function changeOf(pixels: Vector, original: Vector): Float64Array {
  return Float64Array.from(original, (pixel, i) => (pixels[i] as number) - pixel)
}

/** How far a square is moved, and a picture down a slope, compared with the change at hand. */
const shares = { square: 0.06, slope: 0.05 }

/** The change with a random square of it moved a little, up or down: each channel to a random side, or to the other. */
export function withSquare(change: Float64Array, shape: ImageShape, at: RandomRow, side: number): Float64Array {
  const { channels, height, width } = shape
  const size = 1 + randomInteger(at, 'data', 0, Math.max(1, Math.floor(Math.min(height, width) / 2)))
  const top = randomInteger(at, 'data', 1, height - size + 1)
  const left = randomInteger(at, 'data', 2, width - size + 1)
  const moved = change.slice()
  const by = side * shares.square * Math.max(1 / 255, lengthOf(change) / Math.sqrt(change.length))
  for (let channel = 0; channel < channels; channel++) {
    const move = randomWord(at, 'data', 3 + channel) % 2 === 0 ? by : -by
    for (let row = top; row < top + size; row++) {
      const first = (channel * height + row) * width + left
      for (let i = first; i < first + size; i++) moved[i] = (moved[i] as number) + move
    }
  }
  return moved
}

/** A picture and how far its model is from being fooled. */
interface Judged {
  readonly pixels: Float32Array
  readonly margin: number
}

/** The change of a picture, a little further down the slope that others show around it. */
export function downSlope(from: Judged & { readonly change: Float64Array }, others: readonly Judged[]): Float64Array {
  const slope = new Float64Array(from.change.length)
  for (const { pixels, margin } of others) {
    const apart = changeOf(pixels, from.pixels)
    const length = lengthOf(apart)
    if (length === 0) continue
    const weight = (margin - from.margin) / (length * length)
    for (let i = 0; i < slope.length; i++) slope[i] = (slope[i] as number) + weight * (apart[i] as number)
  }
  const step = (shares.slope * lengthOf(from.change)) / (lengthOf(slope) || Infinity)
  return from.change.map((each, i) => each - step * (slope[i] as number))
}

function lengthOf(values: Float64Array): number {
  return Math.sqrt(values.reduce((sum, each) => sum + each * each, 0))
}

/** Steps of this size are bytes. */
const byte = 1 / 255

/** Whether a model that sees multiples of a step only sees bytes. */
export function isByte(grid: number | undefined): boolean {
  return grid !== undefined && Math.abs(grid - byte) < 1e-9
}

/**
 * The same attack on a model that takes bytes: every picture is rounded before the model is asked about it, within the
 * limits, and distortions are those of the rounded picture. What is reported is what the model saw, and what a file of it holds.
 */
export function onBytes(posed: FormulationState, originals: readonly Float32Array[]): FormulationState {
  const change = new Float64Array(posed.dim)
  const limits: ByteLimits = { linf: posed.limits?.linf, allows: (distortion) => posed.allows?.(distortion) ?? true }
  const rounded = (variables: Parameters<FormulationState['paint']>[0], image: number): Float32Array => {
    const original = originals[image] as Float32Array
    posed.paint(variables, image, change, 0)
    for (let i = 0; i < change.length; i++) change[i] = (change[i] as number) - (original[i] as number)
    return bytePicture(original, change, 1, limits).pixels
  }
  const { pair: _, ...others } = posed
  return {
    ...others,
    paint(variables, image, into, offset) {
      const pixels = rounded(variables, image)
      into.set(pixels, offset)
      return distortionBetween(pixels, originals[image] as Float32Array).l2sq
    },
    distortion: (variables, image) => distortionBetween(rounded(variables, image), originals[image] as Float32Array),
  }
}
