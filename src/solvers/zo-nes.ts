import { flag, table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { Solver } from '../core/types.ts'
import { nes } from '../estimators/nes.ts'
import { sign } from '../steps/sign.ts'
import { descent } from './descent.ts'
import { presetOptions } from './preset-options.ts'

/** ZO-NES (Ilyas et al., 2018): x <- project(x - alpha_t sign(g)), g antithetic, the projection Euclidean. */
export const zoNES = definePart({
  kind: 'solver',
  name: 'zo-nes',
  summary: 'Sign steps along the antithetic estimate, projected.',
  options: table({
    ...presetOptions({ learningRate: 0.1 }),
    referenceFactor: flag('divide by q as the reference code does', false),
  }),
  examples: () => [{}, { referenceFactor: true }],
  make: ({ learningRate, ...options }): Solver => descent({ estimator: nes(options), step: sign(), learningRate }),
})
