import type { Vector } from '../../core/types.ts'
import { ballAverage } from './ball-average.ts'
import type { TestProblem } from './test-problem.ts'

/** A function of one number. */
export interface ScalarFunction {
  value(t: number): number
  slope(t: number): number
}

/** f(x) = sum_i phi(x_i), with its gradient and its smoothed version. */
export function separable(
  dim: number,
  phi: ScalarFunction,
): Required<Pick<TestProblem, 'value' | 'gradient' | 'smoothed'>> {
  const average = ballAverage(dim)
  const sum = (x: Vector, of: (t: number) => number): number => {
    let total = 0
    for (let i = 0; i < dim; i++) total += of(x[i] as number)
    return total
  }
  return {
    value: (x) => sum(x, phi.value),
    gradient: (x) => Float64Array.from(x, phi.slope),
    smoothed: (x, radius) => ({
      value: sum(x, (t) => average(phi.value, t, radius)),
      gradient: Float64Array.from(x, (t) => average(phi.slope, t, radius)),
    }),
  }
}
