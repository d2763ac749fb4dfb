import { openKernels } from '../core/open-kernels.ts'
import { schedule, table } from '../core/options.ts'
import { definePart, part } from '../core/part.ts'
import { scheduleOf } from '../core/schedule.ts'
import type {
  Answers,
  Begin,
  Estimation,
  Estimator,
  Mirror,
  Move,
  Moving,
  Search,
  Solver,
  Step,
  Stepping,
} from '../core/types.ts'
import { euclidean } from '../mirrors/euclidean.ts'
import { decayingRate } from './preset-options.ts'

/** Any estimator with any step and any mirror, on any set: x_{t+1} = project(x_t - alpha_t step(estimate(x_t))). */
export const descent = definePart({
  kind: 'solver',
  name: 'descent',
  summary: 'Estimate a gradient, make a step of it, stay in the set.',
  options: table({
    estimator: part<Estimator>('estimator', 'begin', 'how answers become a gradient'),
    step: part<Step>('step', 'begin', 'how a gradient becomes a move'),
    mirror: part<Mirror>('mirror', 'begin', 'how a move leaves the point', () => euclidean()),
    learningRate: schedule(decayingRate, 0.1),
  }),
  examples: () => [{}],
  make: (options): Solver => ({
    openKernels,
    begin(at): Search {
      const point = at.start
      const estimation = options.estimator.begin(at)
      const stepping = options.step.begin(at)
      const mirror = options.mirror.begin(at)
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
function composedAdvance(at: Begin, estimation: Estimation, stepping: Stepping, mirror: Moving): Advance {
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
function fusedAdvance(at: Begin, estimation: Estimation, stepping: Stepping, mirror: Moving): Advance | undefined {
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
