import { z } from 'zod'
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
  options: z.object({}),
  examples: () => [{}],
  make: (): AttackForm => ({ begin: posed }),
})

function posed(originals: readonly Float32Array[]): PosedAttack {
  const dim = originals[0]?.length ?? 0
  const stretched = originals.map((pixels) =>
    Float64Array.from(pixels, (pixel) => Math.atanh(2 * guard * (pixel - 0.5))),
  )
  const paint: PosedAttack['paint'] = (w, original, into, offset) =>
    squash(stretched[original] as Float64Array, w, originals[original] as Float32Array, into, offset)
  const picture = new Float64Array(dim)
  return {
    dim,
    set: wholeSpace(),
    paint,
    distortion(w, original) {
      paint(w, original, picture, 0)
      return distortionBetween(picture, originals[original] as Float32Array)
    },
  }
}

function squash(stretched: Float64Array, w: Vector, pixels: Float32Array, into: Vector, offset: number): number {
  let squares = 0
  for (let i = 0; i < pixels.length; i++) {
    const pixel = pixels[i] as number
    const move = w[i] as number
    const squashed = (0.5 / guard) * Math.tanh((stretched[i] as number) + move) + 0.5
    // There and back is not exact: nothing moved must mean nothing changed.
    const shown = move === 0 ? pixel : Math.min(1, Math.max(0, squashed))
    squares += (shown - pixel) * (shown - pixel)
    into[offset + i] = shown
  }
  return squares
}
