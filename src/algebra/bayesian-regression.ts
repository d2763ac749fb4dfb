import { cholesky, solveLower, solveUpper } from './cholesky.ts'

/** All that regression needs to know about weighted answers to rows of a linear model with P unknown numbers. */
export interface NormalEquations {
  /** The precision, P x P, of which the lower triangle counts. */
  readonly precision: Float64Array
  /** The precision times the mean. */
  readonly sums: Float64Array
}

/** A Gaussian about the unknown numbers of a linear model. */
export interface Posterior {
  readonly mean: Float64Array
  /** The Cholesky factor L of the precision, P x P: mean + L'^-1 z has the posterior distribution for a standard normal z. */
  readonly factor: Float64Array
}

/** Room for P unknown numbers. */
export function normalEquations(size: number): NormalEquations {
  return { precision: new Float64Array(size * size), sums: new Float64Array(size) }
}

/** Begins with what was believed before, independently about each number. */
export function believe({ precision, sums }: NormalEquations, mean: Float64Array, sureness: Float64Array): void {
  const size = sums.length
  precision.fill(0)
  for (let i = 0; i < size; i++) {
    precision[i * size + i] = sureness[i] as number
    sums[i] = (sureness[i] as number) * (mean[i] as number)
  }
}

/** Takes in answers to rows, which stand one after the other; a weight is 1 / variance. */
export function takeIn(
  { precision, sums }: NormalEquations,
  rows: Float64Array,
  answers: Float64Array,
  weights: Float64Array,
): void {
  const size = sums.length
  const count = answers.length
  for (let row = 0; row < count; row += 4) addFour(rows, weights, size, row, count, precision)
  for (let row = 0; row < count; row++) {
    const weighted = (weights[row] as number) * (answers[row] as number)
    const from = row * size
    for (let i = 0; i < size; i++) sums[i] = (sums[i] as number) + weighted * (rows[from + i] as number)
  }
}

/** What follows from it all; null where numbers overflow. `factor` is room for P x P numbers. */
export function posterior({ precision, sums }: NormalEquations, factor: Float64Array): Posterior | null {
  const mean = sums.slice()
  if (!cholesky(precision, mean.length, factor)) return null
  solveLower(factor, mean.length, mean)
  solveUpper(factor, mean.length, mean)
  return mean.every(Number.isFinite) ? { mean, factor } : null
}

/** Adds four weighted rows to the lower triangle at a time: it is read and written once for all of them. */
function addFour(
  rows: Float64Array,
  weights: Float64Array,
  size: number,
  first: number,
  count: number,
  into: Float64Array,
): void {
  const weight = (k: number): number => (first + k < count ? (weights[first + k] as number) : 0)
  const [wa, wb, wc, wd] = [weight(0), weight(1), weight(2), weight(3)]
  // A row that is not there has weight 0: any other stands in for it.
  const start = (k: number): number => (first + k < count ? first + k : first) * size
  const [a, b, c, d] = [start(0), start(1), start(2), start(3)]
  for (let i = 0; i < size; i += 2) {
    // Two rows of the triangle at a time; what the first has beyond its diagonal is never read.
    const hasNext = i + 1 < size
    const next = hasNext ? i + 1 : i
    const ai = wa * (rows[a + i] as number)
    const ai1 = hasNext ? wa * (rows[a + next] as number) : 0
    const bi = wb * (rows[b + i] as number)
    const bi1 = hasNext ? wb * (rows[b + next] as number) : 0
    const ci = wc * (rows[c + i] as number)
    const ci1 = hasNext ? wc * (rows[c + next] as number) : 0
    const di = wd * (rows[d + i] as number)
    const di1 = hasNext ? wd * (rows[d + next] as number) : 0
    const from = i * size
    const from1 = next * size
    for (let j = 0; j <= next; j++) {
      const aj = rows[a + j] as number
      const bj = rows[b + j] as number
      const cj = rows[c + j] as number
      const dj = rows[d + j] as number
      into[from + j] = (into[from + j] as number) + (ai * aj + bi * bj) + (ci * cj + di * dj)
      into[from1 + j] = (into[from1 + j] as number) + (ai1 * aj + bi1 * bj) + (ci1 * cj + di1 * dj)
    }
  }
}
