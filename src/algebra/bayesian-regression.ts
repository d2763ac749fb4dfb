import { cholesky, solveLower, solveUpper } from './cholesky.ts'

/** A Gaussian about the unknown numbers of a linear model. */
export interface Posterior {
  readonly mean: Float64Array
  /** The Cholesky factor L of the precision, P x P: mean + L'^-1 z has the posterior distribution for a standard normal z. */
  readonly factor: Float64Array
}

/** Rows of a linear model, their answers and weights (1 / variance); what was believed before, independently of each other. */
export interface Regression {
  readonly rows: Float64Array
  readonly answers: Float64Array
  readonly weights: Float64Array
  readonly prior: { readonly mean: Float64Array; readonly precision: Float64Array }
}

/** Linear regression with a Gaussian prior. Null where numbers overflow. `factor` is room for P x P numbers. */
export function bayesianRegression(
  { rows, answers, weights, prior }: Regression,
  factor: Float64Array,
): Posterior | null {
  const size = prior.mean.length
  factor.fill(0)
  const mean = new Float64Array(size)
  for (let i = 0; i < size; i++) {
    factor[i * size + i] = prior.precision[i] as number
    mean[i] = (prior.precision[i] as number) * (prior.mean[i] as number)
  }
  const count = answers.length
  for (let row = 0; row < count; row += 4) addFour(rows, weights, size, row, count, factor)
  for (let row = 0; row < count; row++) {
    const weighted = (weights[row] as number) * (answers[row] as number)
    const from = row * size
    for (let i = 0; i < size; i++) mean[i] = (mean[i] as number) + weighted * (rows[from + i] as number)
  }
  if (!cholesky(factor, size, factor)) return null
  solveLower(factor, size, mean)
  solveUpper(factor, size, mean)
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
  for (let i = 0; i < size; i++) {
    const ai = wa * (rows[a + i] as number)
    const bi = wb * (rows[b + i] as number)
    const ci = wc * (rows[c + i] as number)
    const di = wd * (rows[d + i] as number)
    const from = i * size
    for (let j = 0; j <= i; j++) {
      into[from + j] =
        (into[from + j] as number) +
        (ai * (rows[a + j] as number) + bi * (rows[b + j] as number)) +
        (ci * (rows[c + j] as number) + di * (rows[d + j] as number))
    }
  }
}
