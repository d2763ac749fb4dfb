import { scheduleOf } from '../../core/iteration.ts'
import {
  flag,
  fractionSchedule,
  join,
  numberFrom,
  oneOf,
  optional,
  pick,
  type ShapeOf,
  type Table,
  table,
  union,
  withDefault,
} from '../../core/options.ts'
import { definePart } from '../../core/part.ts'
import { largestNumber, rounding } from '../../core/space.ts'
import type { Step, Vector } from '../../core/types.ts'

/** m_t = beta m_{t-1} + (1 - beta) g_t: Algorithm 1, line 4, on its own. */
export const momentum = definePart({
  kind: 'step',
  name: 'momentum',
  summary: 'A running average of the estimates.',
  options: table({
    /** Share of the past that is kept. Default 0.9. */
    beta: withDefault(fractionSchedule, 0.9),
  }),
  examples: () => [{}, { beta: { value: 0.5, decay: 'linear' } }],
  make: ({ beta }): Step => ({
    start({ kernels, dim, precision }) {
      const average = kernels.allocate(dim, precision)
      const betaAt = scheduleOf(beta)
      return {
        memory: { vectors: { average } },
        apply(move, iteration) {
          kernels.average(average, move.direction, betaAt(iteration))
          // Later steps may overwrite the direction, and the average must outlive them.
          move.direction.set(average)
        },
      }
    },
  }),
})

const adaptiveTable = table({
  /** Share of the past in the first moment; may decay. Default 0.9. */
  beta1: withDefault(fractionSchedule, 0.9),
  /** Share of the past in the second moment. */
  beta2: withDefault(fractionSchedule, 0.3),
  /** v_0: keeps early steps finite. At least 0; default 0.00001. */
  initialSecondMoment: withDefault(numberFrom(0), 1e-5),
  /** The running maximum at the start; v_0 if left out. At least 0. */
  initialMaximum: optional(numberFrom(0)),
  /** Divide by the running maximum of v (AMSGrad); "metric-only" keeps it for the projection alone. Default true. */
  maxSecondMoment: withDefault(union(flag, oneOf('metric-only')), true),
  /**
   * The metric in which the step is projected; Euclidean can stick where there is still descent (Prop. 1). Default
   * 'mahalanobis'.
   */
  projection: withDefault(oneOf('mahalanobis', 'euclidean'), 'mahalanobis'),
})

export type MomentShape = ShapeOf<typeof adaptiveTable>

/** Options of the moments of ZO-AdaMM. */
export const momentOptions: Table<MomentShape> = adaptiveTable

/**
 * Algorithm 1 without its projection: m_t, v_t, the running maximum of v_t, and the step m_t / sqrt(vhat_t).
 * No bias correction and no epsilon: positivity comes from v_0, and 0/0 counts as 0.
 */
export const adaptiveMoments = definePart({
  kind: 'step',
  name: 'adaptive-moments',
  summary: 'Momentum divided by the root of a running second moment (AMSGrad).',
  options: momentOptions,
  examples: () => [
    {},
    { maxSecondMoment: false },
    { maxSecondMoment: 'metric-only' },
    { beta1: { value: 0.9, decay: 'linear' }, projection: 'euclidean' },
  ],
  make: (options): Step => ({
    start({ kernels, dim, precision }) {
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

const reducedTable = table({
  /** Share of the past in the first moment; may decay. Default 0.9. */
  beta1: momentOptions.shape.beta1,
  /** Share of the past in the second moment. */
  beta2: withDefault(fractionSchedule, 0.99),
  /** v_0: keeps early steps finite. At least 0; default 0.00001. */
  initialSecondMoment: momentOptions.shape.initialSecondMoment,
  /** Added to v inside the root. At least 0; default 1e-8. */
  epsilon: withDefault(numberFrom(0), 1e-8),
  /**
   * The metric in which the step is projected; Euclidean can stick where there is still descent (Prop. 1). Default
   * 'mahalanobis'.
   */
  projection: momentOptions.shape.projection,
})

export type RadazoShape = ShapeOf<typeof reducedTable>

/** Options of the moments of R-AdaZO. */
export const radazoOptions: Table<RadazoShape> = reducedTable

/**
 * R-AdaZO (Shu et al., 2025): v_t = beta2 v_{t-1} + (1 - beta2) m_t^2 takes the second moment of the momentum, which
 * varies less than the estimates, and the step is m_t / sqrt(v_t + epsilon). No bias correction, no running maximum.
 */
export const radazo = definePart({
  kind: 'step',
  name: 'radazo',
  summary: "Momentum divided by the root of the momentum's own second moment (R-AdaZO).",
  options: radazoOptions,
  examples: () => [{}, { beta2: 0.3 }, { beta1: { value: 0.9, decay: 'linear' }, projection: 'euclidean' }],
  make: (options): Step => ({
    start({ kernels, dim, precision }) {
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

const scalarTable = join(
  pick(momentOptions, 'beta1', 'beta2', 'initialSecondMoment'),
  table({
    /** Divide by the running maximum of v; without it steps do not shrink when the gradient does. Default true. */
    maxSecondMoment: withDefault(flag, true),
  }),
)

export type ScalarMomentShape = ShapeOf<typeof scalarTable>

/** Options of one second moment for all coordinates. */
export const scalarMomentOptions: Table<ScalarMomentShape> = scalarTable

/**
 * m_t as in Algorithm 1, but one v_t for all coordinates: v_t = beta2 v_{t-1} + (1 - beta2) mean(g_i^2), and the step
 * m_t / sqrt(max v_s). Random directions tell coordinates apart by a share of 1 / d only, so that little is lost; the
 * direction of the momentum is kept, and the projection stays Euclidean. A second moment of 0 gives no step.
 */
export const scalarMoment = definePart({
  kind: 'step',
  name: 'scalar-moment',
  summary: 'Momentum divided by the root of one running second moment for all coordinates.',
  options: scalarMomentOptions,
  examples: () => [{}, { maxSecondMoment: false }, { beta1: { value: 0.9, decay: 'linear' }, initialSecondMoment: 0 }],
  make: (options): Step => ({
    start({ kernels, dim, precision }) {
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
