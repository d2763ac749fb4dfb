import { table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { Solver } from '../core/types.ts'
import { coordinate } from '../directions/coordinate.ts'
import { central } from '../estimators/central.ts'
import { plain } from '../steps/plain.ts'
import { descent } from './descent.ts'
import { presetOptions } from './preset-options.ts'

/** ZO-SCD (Lian et al., 2016): ZO-SGD with central differences along random coordinates, 2q queries. */
export const zoSCD = definePart({
  kind: 'solver',
  name: 'zo-scd',
  summary: 'Plain steps along random coordinates.',
  options: table(presetOptions({ learningRate: 0.03, along: coordinate })),
  examples: () => [{}],
  make: ({ learningRate, ...options }): Solver => descent({ estimator: central(options), step: plain(), learningRate }),
})
