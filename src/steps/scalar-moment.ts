import { flag, fractionSchedule, option, table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import { largestNumber, rounding } from '../core/rounding.ts'
import { scheduleOf } from '../core/schedule.ts'
import { numberFrom } from '../core/schema.ts'
import type { Step, Vector } from '../core/types.ts'

/** The options of the step with one second moment for all coordinates, shared with the presets built on it. */
export const scalarMomentOptions = {
  beta1: fractionSchedule('share of the past in the first moment; may decay', 0.9),
  beta2: fractionSchedule('share of the past in the second moment', 0.3),
  initialSecondMoment: option(numberFrom(0), 'v_0: keeps early steps finite', 1e-5),
  maxSecondMoment: flag(
    'divide by the running maximum of v; without it steps do not shrink when the gradient does',
    true,
  ),
}

/**
 * m_t as in Algorithm 1, but one v_t for all coordinates: v_t = beta2 v_{t-1} + (1 - beta2) mean(g_i^2), and the step
 * m_t / sqrt(max v_s). Random directions tell coordinates apart by a share of 1 / d only, so that little is lost; the
 * direction of the momentum is kept, and the projection stays Euclidean. A second moment of 0 gives no step.
 */
export const scalarMoment = definePart({
  kind: 'step',
  name: 'scalar-moment',
  summary: 'Momentum divided by the root of one running second moment for all coordinates.',
  options: table(scalarMomentOptions),
  examples: () => [{}, { maxSecondMoment: false }, { beta1: { value: 0.9, decay: 'linear' }, initialSecondMoment: 0 }],
  make: (options): Step => ({
    begin({ kernels, dim, precision }) {
      const first = kernels.allocate(dim, precision)
      const round = rounding(precision)
      const initial = round(options.initialSecondMoment)
      const state: Moment = options.maxSecondMoment ? { second: initial, maximum: initial } : { second: initial }
      const beta1 = scheduleOf(options.beta1)
      const beta2 = scheduleOf(options.beta2)
      return {
        memory: { vectors: { first }, state },
        apply(move, iteration) {
          const mean = kernels.dot(move.direction, move.direction) / dim
          kernels.average(first, move.direction, beta1(iteration))
          const beta = beta2(iteration)
          // An overflow must not end all steps.
          state.second = round(Math.min(beta * state.second + (1 - beta) * mean, largestNumber[precision]))
          if (state.maximum !== undefined) state.maximum = Math.max(state.maximum, state.second)
          divide(first, Math.sqrt(state.maximum ?? state.second), move.direction)
          move.squares = null
          move.metricSquares = null
        },
      }
    },
  }),
})

/** The second moment, and its running maximum where that is wanted. */
type Moment = { second: number; maximum?: number }

/** into = vector / divisor, and 0 where the divisor is 0. */
function divide(vector: Vector, divisor: number, into: Vector): void {
  for (let i = 0; i < into.length; i++) into[i] = divisor === 0 ? 0 : (vector[i] as number) / divisor
}
