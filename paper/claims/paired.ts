import { type Confidence, studentQuantile } from './student-quantile.ts'

/** What paired values say: whether the first of each pair is less or more, on average, beyond chance. */
export interface Paired {
  readonly pairs: number
  /** Mean of the first values, of the second ones, and of their differences. */
  readonly mean: number
  readonly otherMean: number
  readonly difference: number
  /** Interval of the mean difference (Student's t), 99 % unless said otherwise; NaN for fewer than two pairs. */
  readonly low: number
  readonly high: number
  readonly direction: 'less' | 'more' | 'unclear'
}

/** Fewer pairs decide nothing, however they come out. */
export const fewestPairs = 5

/** Compares values that belong together, as those of two methods on the same images. */
export function paired(pairs: readonly (readonly [number, number])[], confidence: Confidence = '99 %'): Paired {
  const known = pairs.filter(([one, other]) => Number.isFinite(one) && Number.isFinite(other))
  const n = known.length
  const differences = known.map(([one, other]) => one - other)
  const difference = mean(differences)
  const squares = differences.reduce((sum, each) => sum + (each - difference) * (each - difference), 0)
  const error = n < 2 ? Number.NaN : Math.sqrt(squares / (n - 1) / n)
  const reach = studentQuantile(n - 1, confidence) * error
  const [low, high] = [difference - reach, difference + reach]
  const direction = n < fewestPairs ? 'unclear' : high < 0 ? 'less' : low > 0 ? 'more' : 'unclear'
  return {
    pairs: n,
    mean: mean(known.map(([one]) => one)),
    otherMean: mean(known.map(([, other]) => other)),
    difference,
    low,
    high,
    direction,
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, each) => sum + each, 0) / values.length
}
