import { scheduleOf } from '../core/iteration.ts'
import { openKernels } from '../core/open-kernels.ts'
import { schedule, table, withDefault } from '../core/options.ts'
import { definePart, part } from '../core/part.ts'
import type {
  Answers,
  Estimator,
  EstimatorState,
  Mirror,
  MirrorState,
  Move,
  RunContext,
  Search,
  Solver,
  Step,
  StepState,
} from '../core/types.ts'
import { euclidean } from '../parts/mirrors/mirrors.ts'

/** Any estimator with any step and any mirror, on any set: x_{t+1} = project(x_t - alpha_t step(estimate(x_t))). */
export const descent = definePart({
  kind: 'solver',
  name: 'descent',
  summary: 'Estimate a gradient, make a step of it, stay in the set.',
  options: table({
    /** How answers become a gradient. */
    estimator: part<Estimator>('estimator', 'start'),
    /** How a gradient becomes a move. */
    step: part<Step>('step', 'start'),
    /** How a move leaves the point. Default euclidean(). */
    mirror: withDefault(part<Mirror>('mirror', 'start'), () => euclidean()),
    /** alpha: a bare number decays as alpha / sqrt(t); { value, decay: "none" } stays constant. Default 0.1. */
    learningRate: withDefault(schedule, 0.1),
  }),
  examples: () => [{}],
  make: (options): Solver => ({
    openKernels,
    start(at): Search {
      const point = at.start
      const estimation = options.estimator.start(at)
      const stepping = options.step.start(at)
      const mirror = options.mirror.start(at)
      const rateAt = scheduleOf(options.learningRate, 'sqrt')
      const advance =
        fusedAdvance(at, estimation, stepping, mirror) ?? composedAdvance(at, estimation, stepping, mirror)
      return {
        point,
        memory: { vectors: { point }, parts: { step: stepping.memory, estimator: estimation.memory } },
        iteration: 0,
        rows: estimation.rows,
        centers: estimation.centers,
        ...(estimation.samples === undefined ? {} : { samples: estimation.samples }),
        ask() {
          return estimation.queries(point, this.iteration + 1)
        },
        tell(answers) {
          this.iteration++
          return advance(answers, this.iteration, rateAt(this.iteration, at.dim))
        },
        skip() {
          this.iteration++
        },
      }
    },
  }),
})

/** Moves the point by one iteration's answers; false where they held nothing to move by. */
type Advance = (answers: Answers, iteration: number, rate: number) => boolean

/** Estimate, step and projection one after the other: works for every combination of parts. */
function composedAdvance(
  at: RunContext,
  estimation: EstimatorState,
  stepping: StepState,
  mirror: MirrorState,
): Advance {
  const gradient = at.kernels.allocate(at.dim, at.precision)
  const move: Move = { direction: gradient, squares: null, metricSquares: null }
  return (answers, iteration, rate) => {
    if (estimation.estimate(at.start, iteration, answers, gradient) === 0) return false
    move.squares = null
    move.metricSquares = null
    stepping.apply(move, iteration, at.start)
    mirror.advance(at.start, rate, move)
    return true
  }
}

/** All of it in one pass of one kernel, without a gradient vector, where the parts allow it. The same bits. */
function fusedAdvance(
  at: RunContext,
  estimation: EstimatorState,
  stepping: StepState,
  mirror: MirrorState,
): Advance | undefined {
  const { sum } = estimation
  const step = stepping.fused
  const straight = mirror.fused
  if (sum === undefined || step === undefined || straight === undefined) return undefined
  const { lower, upper } = straight.bounds ?? { lower: null, upper: null }
  const update = { kind: step.kind, moments: step.moments, beta1: 0, beta2: 0, rate: 0, lower, upper }
  return (answers, iteration, rate) => {
    const gradient = sum(iteration, answers)
    if (gradient === null) return false
    update.beta1 = step.beta1(iteration)
    update.beta2 = step.beta2(iteration)
    update.rate = rate * straight.rateFactor
    at.kernels.update(at.start, gradient, update)
    return true
  }
}
