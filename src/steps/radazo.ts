import { fractionSchedule, option, table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import { scheduleOf } from '../core/schedule.ts'
import { numberFrom } from '../core/schema.ts'
import type { Step, Vector } from '../core/types.ts'
import { momentOptions } from './adaptive-moments.ts'

/** The options of R-AdaZO's step, shared with the preset built on it. */
export const radazoOptions = {
  beta1: momentOptions.beta1,
  beta2: fractionSchedule('share of the past in the second moment', 0.99),
  initialSecondMoment: momentOptions.initialSecondMoment,
  epsilon: option(numberFrom(0), 'added to v inside the root', 1e-8),
  projection: momentOptions.projection,
}

/**
 * R-AdaZO (Shu et al., 2025): v_t = beta2 v_{t-1} + (1 - beta2) m_t^2 takes the second moment of the momentum, which
 * varies less than the estimates, and the step is m_t / sqrt(v_t + epsilon). No bias correction, no running maximum.
 */
export const radazo = definePart({
  kind: 'step',
  name: 'radazo',
  summary: "Momentum divided by the root of the momentum's own second moment (R-AdaZO).",
  options: table(radazoOptions),
  examples: () => [{}, { beta2: 0.3 }, { beta1: { value: 0.9, decay: 'linear' }, projection: 'euclidean' }],
  make: (options): Step => ({
    begin({ kernels, dim, precision }) {
      const first = kernels.allocate(dim, precision)
      const second = kernels.allocate(dim, precision).fill(options.initialSecondMoment)
      const squares = kernels.allocate(dim, precision)
      const beta1 = scheduleOf(options.beta1)
      const beta2 = scheduleOf(options.beta2)
      return {
        memory: { vectors: { first, second } },
        apply(move, iteration) {
          kernels.average(first, move.direction, beta1(iteration))
          // With none of the past kept, the average of the direction and the momentum is the momentum itself.
          kernels.moments({ first: move.direction, second, maximum: null }, first, 0, beta2(iteration))
          shift(second, options.epsilon, squares)
          move.squares = squares
          move.metricSquares = options.projection === 'euclidean' ? null : squares
        },
      }
    },
  }),
})

/** into = vector + by. */
function shift(vector: Vector, by: number, into: Vector): void {
  for (let i = 0; i < into.length; i++) into[i] = (vector[i] as number) + by
}
