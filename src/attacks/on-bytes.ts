import { type ByteLimits, bytePicture } from './byte-pictures.ts'
import { distortionBetween, type PosedAttack } from './form.ts'

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
export function onBytes(posed: PosedAttack, originals: readonly Float32Array[]): PosedAttack {
  const change = new Float64Array(posed.dim)
  const limits: ByteLimits = { linf: posed.limits?.linf, allows: (distortion) => posed.allows?.(distortion) ?? true }
  const rounded = (variables: Parameters<PosedAttack['paint']>[0], image: number): Float32Array => {
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
