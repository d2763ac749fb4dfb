import { chiSquareUpper, kolmogorovUpper, normalUpper, normalUpperQuantile, poissonLower } from './distributions.ts'

/**
 * Named results, each of them standard normal if the hypothesis holds. What is not normal by itself (chi-square,
 * Kolmogorov, rare counts) is carried over by its exact tail probability, so that one limit does for all.
 * A large negative score of a chi-square or of a distance means: too even to be random.
 */
export type Scores = Record<string, number>

/** A deviation as large comes once in 150,000 scores (p = 6.8e-6, both sides). */
const limit = 4.5

/** The scores that no sound generator would show. */
export function suspicious(scores: Scores): Scores {
  return Object.fromEntries(Object.entries(scores).filter(([, score]) => !(Math.abs(score) <= limit)))
}

/** The same scores under longer names. */
export function named(prefix: string, scores: Scores): Scores {
  return Object.fromEntries(Object.entries(scores).map(([name, score]) => [`${prefix}: ${name}`, score]))
}

/** Observed counts against shares that add up to 1 (equal ones if left out): Pearson's statistic. */
export function chiSquareScore(counts: ArrayLike<number>, shares?: ArrayLike<number>): number {
  const list = Array.from(counts)
  const total = list.reduce((sum, count) => sum + count, 0)
  const statistic = list.reduce((sum, count, i) => {
    const expected = total * (shares === undefined ? 1 / list.length : (shares[i] as number))
    return sum + (count - expected) ** 2 / expected
  }, 0)
  return chiSquareValueScore(statistic, list.length - 1)
}

/** A value that has the chi-square distribution. */
export function chiSquareValueScore(value: number, dof: number): number {
  const upper = chiSquareUpper(value, dof)
  return tailScore(1 - upper, upper)
}

/** The largest distance between the distribution of a sample and the one it should have. */
export function distanceScore(sample: Float32Array | Float64Array, lower: (x: number) => number): number {
  const sorted = sample.slice().sort()
  const n = sorted.length
  let distance = 0
  for (let i = 0; i < n; i++) {
    const p = lower(sorted[i] as number)
    distance = Math.max(distance, p - i / n, (i + 1) / n - p)
  }
  const upper = kolmogorovUpper(distance, n)
  return tailScore(1 - upper, upper)
}

/** How often something happened that has probability p in each of n trials: Poisson where rare, otherwise normal. */
export function countScore(count: number, n: number, p: number): number {
  const mean = n * p
  if (mean > 10_000) return (count - mean) / Math.sqrt(mean * (1 - p))
  // Half of the probability of the count itself goes to either side.
  const [below, upTo] = [poissonLower(count - 1, mean), poissonLower(count, mean)]
  return tailScore((below + upTo) / 2, 1 - (below + upTo) / 2)
}

/** The largest of independent scores, as one score: a large one among many is no wonder. */
export function largestScore(scores: readonly number[]): number {
  const largest = Math.max(...scores.map(Math.abs))
  const each = 2 * normalUpper(largest)
  const upper = -Math.expm1(scores.length * Math.log1p(-each))
  return tailScore(1 - upper, upper)
}

function tailScore(lower: number, upper: number): number {
  return upper < 0.5 ? normalUpperQuantile(upper) : -normalUpperQuantile(lower)
}
