import { table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { Solver } from '../core/types.ts'
import { forward } from '../estimators/forward.ts'
import { plain } from '../steps/plain.ts'
import { descent } from './descent.ts'
import { presetOptions } from './preset-options.ts'

/** ZO-SGD (Ghadimi and Lan, 2013): x <- x - alpha_t g, with g the averaged one-sided estimate. */
export const zoSGD = definePart({
  kind: 'solver',
  name: 'zo-sgd',
  summary: 'Plain steps along the averaged estimate.',
  options: table(presetOptions({ learningRate: 0.03 })),
  examples: () => [{}],
  make: ({ learningRate, ...options }): Solver => descent({ estimator: forward(options), step: plain(), learningRate }),
})
