import { table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { Vector } from '../core/types.ts'
import { wholeSpace } from '../sets/whole-space.ts'
import { type AttackForm, distortionBetween, type PosedAttack } from './form.ts'

/** Keeps atanh finite at black and white; the way back divides by it, so that w = 0 gives the image itself. */
const guard = 0.999999

/** The paper's unconstrained form: x' = 0.5 tanh(atanh(2x) + w) for pixels x from -0.5 to 0.5, w anywhere. */
export const unconstrained = definePart({
  kind: 'attack',
  name: 'unconstrained',
  summary: 'The variables may lie anywhere; a hyperbolic tangent turns them into pixels.',
  options: table({}),
  examples: () => [{}],
  make: (): AttackForm => ({ begin: posed }),
})

function posed(originals: readonly Float32Array[]): PosedAttack {
  const dim = originals[0]?.length ?? 0
  const paint: PosedAttack['paint'] = (w, original, into, offset) =>
    squash(w, originals[original] as Float32Array, into, offset)
  const picture = new Float64Array(dim)
  return {
    dim,
    set: wholeSpace(),
    gain: 0.5,
    paint,
    distortion(w, original) {
      paint(w, original, picture, 0)
      return distortionBetween(picture, originals[original] as Float32Array)
    },
  }
}

function squash(w: Vector, pixels: Float32Array, into: Vector, offset: number): number {
  let squares = 0
  for (let i = 0; i < pixels.length; i++) {
    const pixel = pixels[i] as number
    const shown = Math.min(1, Math.max(0, pixel + change(2 * guard * (pixel - 0.5), w[i] as number)))
    squares += (shown - pixel) * (shown - pixel)
    into[offset + i] = shown
  }
  return squares
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
