import { table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { Solver } from '../core/types.ts'
import { forward } from '../estimators/forward.ts'
import { plain } from '../steps/plain.ts'
import { descent } from './descent.ts'
import { presetOptions } from './preset-options.ts'

/** ZO-PSGD, which is ZO-ProxSGD for an indicator (Ghadimi et al., 2016): x <- project(x - alpha_t g), Euclidean. */
export const zoPSGD = definePart({
  kind: 'solver',
  name: 'zo-psgd',
  summary: 'Plain steps, projected in the Euclidean metric.',
  options: table(presetOptions({ learningRate: 0.03 })),
  examples: () => [{}],
  make: ({ learningRate, ...options }): Solver => descent({ estimator: forward(options), step: plain(), learningRate }),
})
