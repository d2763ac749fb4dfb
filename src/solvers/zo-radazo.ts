import { optional, schedule, table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { Schedule, Solver } from '../core/types.ts'
import { forward } from '../estimators/forward.ts'
import { radazo, radazoOptions } from '../steps/radazo.ts'
import { descent } from './descent.ts'
import { presetOptions } from './preset-options.ts'

/** R-AdaZO (Shu et al., 2025): ZO-AdaMM with the second moment of the momentum instead of that of the estimates. */
export const zoRAdaZO = definePart({
  kind: 'solver',
  name: 'zo-radazo',
  summary: "R-AdaZO: momentum divided by the root of the momentum's own second moment.",
  options: table({
    ...presetOptions({ learningRate: 0.1 }),
    learningRate: optional(
      schedule('alpha: a bare number decays as alpha / sqrt(t); if left out, min(0.1, 1 / sqrt(d)), which decays, too'),
    ),
    ...radazoOptions,
  }),
  examples: () => [{}, { beta2: 0.3, projection: 'euclidean' }],
  make: ({ learningRate, along, directions, samples, smoothing, feasible, ...moments }): Solver =>
    descent({
      estimator: forward({ along, directions, samples, smoothing, feasible }),
      step: radazo(moments),
      learningRate: learningRate ?? defaultRate,
    }),
})

/** Every coordinate moves by about the rate, whatever the gradient: shorter steps where there are many, and later on. */
const defaultRate: Schedule = (iteration, dim = 1) => Math.min(0.1, 1 / Math.sqrt(dim)) / Math.sqrt(iteration)
