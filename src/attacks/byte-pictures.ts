import type { ImageShape, Vector } from '../core/types.ts'
import { type RandomRow, randomInteger, randomWord } from '../kernels/random.ts'
import { distortionBetween } from './form.ts'
import type { Distortion } from './records.ts'

/** What a byte may be off by before it counts as another one: float32 pixels are not quite multiples of 1/255. */
const roundoff = 1e-4

/** What pictures of an image in 8 bits must keep to. */
export interface ByteLimits {
  readonly linf?: number | undefined
  /** Whether an image may be changed that much. */
  allows(distortion: Distortion): boolean
}

/** A picture in 8 bits, and how much larger than wanted its change is before it is rounded. */
export interface BytePicture {
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
