import { table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import { sharedSquash, squash } from '../kernels/squash.ts'
import { wholeSpace } from '../sets/whole-space.ts'
import { type AttackForm, distortionBetween, type PosedAttack, paintedPair } from './form.ts'

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
    pair: () => paintedPair(sharedSquash(dim), originals),
    distortion(w, original) {
      paint(w, original, picture, 0)
      return distortionBetween(picture, originals[original] as Float32Array)
    },
  }
}
