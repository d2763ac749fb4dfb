import { table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { Solver } from '../core/types.ts'
import { forward } from '../estimators/forward.ts'
import { sign } from '../steps/sign.ts'
import { descent } from './descent.ts'
import { presetOptions } from './preset-options.ts'

/** ZO-signSGD (Liu et al., 2019): x <- x - alpha_t sign(g). */
export const zoSignSGD = definePart({
  kind: 'solver',
  name: 'zo-sign-sgd',
  summary: 'Steps of equal length in every coordinate.',
  options: table(presetOptions({ learningRate: 0.1 })),
  examples: () => [{}],
  make: ({ learningRate, ...options }): Solver => descent({ estimator: forward(options), step: sign(), learningRate }),
})
