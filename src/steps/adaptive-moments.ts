import { choice, fractionSchedule, option, optional, table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import { scheduleOf } from '../core/schedule.ts'
import { numberFrom, oneOf, union, yesOrNo } from '../core/schema.ts'
import type { Step } from '../core/types.ts'

/** The options of ZO-AdaMM's step, shared with the presets built on it. */
export const momentOptions = {
  beta1: fractionSchedule('share of the past in the first moment; may decay', 0.9),
  beta2: fractionSchedule('share of the past in the second moment', 0.3),
  initialSecondMoment: option(numberFrom(0), 'v_0: keeps early steps finite', 1e-5),
  initialMaximum: optional(numberFrom(0), 'the running maximum at the start; v_0 if left out'),
  maxSecondMoment: option(
    union(yesOrNo, oneOf('metric-only')),
    'divide by the running maximum of v (AMSGrad); "metric-only" keeps it for the projection alone',
    true,
  ),
  projection: choice(
    ['mahalanobis', 'euclidean'],
    'the metric in which the step is projected; Euclidean can stick where there is still descent (Prop. 1)',
    'mahalanobis',
  ),
}

/**
 * Algorithm 1 without its projection: m_t, v_t, the running maximum of v_t, and the step m_t / sqrt(vhat_t).
 * No bias correction and no epsilon: positivity comes from v_0, and 0/0 counts as 0.
 */
export const adaptiveMoments = definePart({
  kind: 'step',
  name: 'adaptive-moments',
  summary: 'Momentum divided by the root of a running second moment (AMSGrad).',
  options: table(momentOptions),
  examples: () => [
    {},
    { maxSecondMoment: false },
    { maxSecondMoment: 'metric-only' },
    { beta1: { value: 0.9, decay: 'linear' }, projection: 'euclidean' },
  ],
  make: (options): Step => ({
    begin({ kernels, dim, precision }) {
      const first = kernels.allocate(dim, precision)
      const second = kernels.allocate(dim, precision).fill(options.initialSecondMoment)
      const maximum =
        options.maxSecondMoment === false
          ? null
          : kernels.allocate(dim, precision).fill(options.initialMaximum ?? options.initialSecondMoment)
      const beta1 = scheduleOf(options.beta1)
      const beta2 = scheduleOf(options.beta2)
      const metricSquares = options.projection === 'euclidean' ? null : (maximum ?? second)
      const moments = { first, second, maximum }
      return {
        memory: { vectors: maximum === null ? { first, second } : { first, second, maximum } },
        apply(move, iteration) {
          kernels.moments(moments, move.direction, beta1(iteration), beta2(iteration))
          move.direction.set(first)
          move.squares = options.maxSecondMoment === true ? maximum : second
          move.metricSquares = metricSquares
        },
        fused: { kind: options.maxSecondMoment === true ? 'maximum' : 'second', moments, beta1, beta2 },
      }
    },
  }),
})
