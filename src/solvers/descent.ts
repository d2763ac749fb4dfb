import { z } from 'zod'
import { scheduleOption } from '../core/options.ts'
import { definePart, partOption } from '../core/part.ts'
import { scheduleOf } from '../core/schedule.ts'
import type { Estimator, Memory, Mirror, Move, Search, Solver, Step } from '../core/types.ts'
import { euclidean } from '../mirrors/euclidean.ts'

/** Any estimator with any step and any mirror, on any set: x_{t+1} = project(x_t - alpha_t step(estimate(x_t))). */
export const descent = definePart({
  kind: 'solver',
  name: 'descent',
  summary: 'Estimate a gradient, make a step of it, stay in the set.',
  options: z.object({
    estimator: partOption<Estimator>('estimator', 'begin').describe('how answers become a gradient'),
    step: partOption<Step>('step', 'begin').describe('how a gradient becomes a move'),
    mirror: partOption<Mirror>('mirror', 'begin')
      .default(() => euclidean())
      .describe('how a move leaves the point'),
    learningRate: scheduleOption
      .default(0.1)
      .describe('alpha: a bare number decays as alpha / sqrt(t); { value, decay: "none" } stays constant'),
  }),
  examples: () => [{}],
  make: (options): Solver => ({
    begin(at): Search {
      const { kernels, dim, precision } = at
      const point = kernels.allocate(dim, precision)
      point.set(at.start)
      const gradient = kernels.allocate(dim, precision)
      const estimation = options.estimator.begin(at)
      const stepping = options.step.begin(at)
      const mirror = options.mirror.begin(at)
      const rateAt = scheduleOf(options.learningRate, 'sqrt')
      const move: Move = { direction: gradient, squares: null, metricSquares: null }
      const memory: Memory = { point }
      for (const [name, vector] of Object.entries(stepping.memory)) memory[`step.${name}`] = vector

      return {
        point,
        memory,
        iteration: 0,
        rows: estimation.rows,
        centers: estimation.centers,
        ask() {
          return estimation.queries(point, this.iteration + 1)
        },
        tell(answers) {
          const iteration = this.iteration + 1
          this.iteration = iteration
          if (estimation.estimate(point, iteration, answers, gradient) === 0) return false
          move.squares = null
          move.metricSquares = null
          stepping.apply(move, iteration)
          mirror.advance(point, rateAt(iteration), move)
          return true
        },
        skip() {
          this.iteration++
        },
      }
    },
  }),
})
