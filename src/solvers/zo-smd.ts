import { table } from '../core/options.ts'
import { definePart, part } from '../core/part.ts'
import type { Mirror, Solver } from '../core/types.ts'
import { forward } from '../estimators/forward.ts'
import { euclidean } from '../mirrors/euclidean.ts'
import { plain } from '../steps/plain.ts'
import { descent } from './descent.ts'
import { presetOptions } from './preset-options.ts'

/**
 * ZO-SMD (Duchi et al., 2015) with any mirror map. The default psi(x) = ||x||^2 is the reference code: ZO-SMD(alpha) is
 * ZO-PSGD(alpha / 2), bit for bit.
 */
export const zoSMD = definePart({
  kind: 'solver',
  name: 'zo-smd',
  summary: 'Mirror descent: Euclidean, or entropy on the simplex.',
  options: table({
    ...presetOptions({ learningRate: 0.06 }),
    mirror: part<Mirror>('mirror', 'begin', 'the geometry: euclidean() or entropy()', () => euclidean({ weight: 1 })),
  }),
  examples: () => [{}],
  make: ({ learningRate, mirror, ...options }): Solver =>
    descent({ estimator: forward(options), step: plain(), mirror, learningRate }),
})
