import { ZerothError } from '../core/errors.ts'
import type { ImageShape, Vector } from '../core/types.ts'
import type { Picture } from './dataset.ts'
import { checkShape } from './pixels.ts'

/** A change of an image made visible, and what its black and white stand for. */
export interface PerturbationPicture extends Picture {
  /** The largest change of a pixel: white is an increase by this much, black a decrease. */
  readonly largest: number
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
