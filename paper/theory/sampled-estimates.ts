import { type Answers, type Estimator, functionObjective, type PointFunction } from '../../src/index.ts'
import { beginOf } from './begin-of.ts'
import { type SampleMean, sampleMean } from './sample-mean.ts'
import { squaredNorm } from './vectors.ts'

/** What to estimate a gradient of, where, and how often. */
export interface Sampling {
  readonly estimator: Estimator
  readonly value: PointFunction
  readonly point: Float64Array
  readonly count: number
  readonly seed: number
  /** Number of terms, where `value` is that of one sampled term. */
  readonly population?: number
}

/** Shows independent estimates at one point, one per iteration of a run that never moves. The array is reused. */
export function sampleEstimates(sampling: Sampling, use: (estimate: Float64Array, iteration: number) => void): void {
  const { estimator, value, point, count, seed, population } = sampling
  const dim = point.length
  const estimation = estimator.start(beginOf(dim, { seed, ...(population === undefined ? {} : { population }) }))
  const objective = functionObjective(value, { dim })
  const answers: Answers = {
    values: new Float64Array(estimation.rows),
    failed: new Uint8Array(estimation.rows),
    reasons: [],
  }
  const estimate = new Float64Array(dim)
  for (let iteration = 1; iteration <= count; iteration++) {
    objective.evaluate(estimation.queries(point, iteration), answers)
    estimation.estimate(point, iteration, answers, estimate)
    use(estimate, iteration)
  }
}

/** E||estimate||^2. */
export function secondMoment(sampling: Sampling): SampleMean {
  const mean = sampleMean()
  sampleEstimates(sampling, (estimate) => mean.add(squaredNorm(estimate)))
  return mean
}

/** E||estimate - center||^2. */
export function varianceAround(center: Float64Array, sampling: Sampling): SampleMean {
  const mean = sampleMean()
  sampleEstimates(sampling, (estimate) => {
    let sum = 0
    for (let i = 0; i < center.length; i++) {
      const off = (estimate[i] as number) - (center[i] as number)
      sum += off * off
    }
    mean.add(sum)
  })
  return mean
}

/** The mean of each entry. */
export function entryMeans(sampling: Sampling): SampleMean[] {
  const means = Array.from(sampling.point, sampleMean)
  sampleEstimates(sampling, (estimate) => {
    for (const [i, mean] of means.entries()) mean.add(estimate[i] as number)
  })
  return means
}
