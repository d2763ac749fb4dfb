import { show, ZerothError } from '../core/errors.ts'
import type { ImageShape, Vector } from '../core/types.ts'
import type { Picture } from './dataset.ts'
import { checkShape } from './pixels.ts'

/** A change of an image made visible, and what its black and white stand for. */
export interface PerturbationPicture extends Picture {
  /** The largest change of a pixel: white is an increase by this much, black a decrease. */
  readonly largest: number
}

/** The picture with each of its pixels as a square of `factor` times `factor`: small images become visible, unblurred. */
export function magnified(picture: Picture, factor: number): Picture {
  const { channels, height, width } = checkShape(picture.shape, picture.pixels)
  if (!Number.isSafeInteger(factor) || factor < 1) {
    throw new ZerothError('invalid-option', `magnified: factor must be a whole number above 0, got ${show(factor)}`)
  }
  const [wide, high] = [width * factor, height * factor]
  const pixels = new Float64Array(channels * high * wide)
  for (let row = 0, to = 0; row < channels * high; row++) {
    const from = Math.floor(row / factor) * width
    for (let x = 0; x < wide; x++) pixels[to++] = picture.pixels[from + Math.floor(x / factor)] as number
  }
  return { shape: { channels, height: high, width: wide }, pixels }
}

/**
 * A change of an image, scaled for the eye: grey where nothing changes, brighter where a value grows and darker where it
 * shrinks, by its share of the largest change.
 */
export function perturbationPicture(delta: Vector, shape: ImageShape): PerturbationPicture {
  checkShape(shape, delta)
  const largest = largestChange(delta)
  const scale = largest === 0 ? 1 : largest
  return { shape, pixels: Float64Array.from(delta, (change) => 0.5 + change / scale / 2), largest }
}

function largestChange(delta: Vector): number {
  let largest = 0
  for (let i = 0; i < delta.length; i++) {
    const change = Math.abs(delta[i] as number)
    if (!Number.isFinite(change)) {
      throw new ZerothError('invalid-data', `a change of an image must be finite, got ${delta[i]} at value ${i}`)
    }
    if (change > largest) largest = change
  }
  return largest
}
