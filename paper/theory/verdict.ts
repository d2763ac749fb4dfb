import type { SampleMean } from './sample-mean.ts'

/** How much work a check does: `quick` for tests, `full` for the printed page. */
export type Scale = 'quick' | 'full'

/** What one claim predicts, what was measured, and whether the two agree. */
export interface Verdict {
  readonly claim: string
  readonly predicted: string
  readonly measured: string
  readonly passed: boolean
  /** Said where the paper's statement is wrong as printed, and where a number needs an explanation. */
  readonly remark?: string
}

/** A statement of the paper that can be tried out. */
export interface Check {
  readonly id: string
  readonly statement: string
  run(scale: Scale): readonly Verdict[]
}

/** The amount of work for a scale. */
export function amount(scale: Scale, amounts: { readonly quick: number; readonly full: number }): number {
  return amounts[scale]
}

/** A claim about facts that are no single number. */
export function observed(
  claim: string,
  predicted: string,
  { measured, passed }: { measured: string; passed: boolean },
): Verdict {
  return { claim, predicted, measured, passed }
}

/** measured <= bound, give or take what rounding may add where the bound can be attained. */
export function atMost(claim: string, bound: number, measured: number, rounding = 0): Verdict {
  const predicted = `<= ${show(bound)}${rounding === 0 ? '' : ` + ${show(rounding)}`}`
  // The largest of no values is -Infinity, which must not pass for a small one.
  const passed = measured <= bound + rounding && measured > -Infinity
  return { claim, predicted, measured: show(measured), passed }
}

/** low <= measured <= high. */
export function between(claim: string, [low, high]: readonly [number, number], measured: number): Verdict {
  const passed = measured >= low && measured <= high
  return { claim, predicted: `${show(low)} to ${show(high)}`, measured: show(measured), passed }
}

/** |measured - predicted| <= tolerance; a tolerance of 0 means the same bits. */
export function equals(claim: string, predicted: number, measured: number, tolerance: number): Verdict {
  const range = tolerance === 0 ? '' : ` +- ${show(tolerance)}`
  const passed = Math.abs(measured - predicted) <= tolerance
  return { claim, predicted: show(predicted) + range, measured: show(measured), passed }
}

/** Standard errors by which a mean may miss its prediction: 1 in 16,000 sound checks is that far off by chance. */
export const allowedScore = 4

/** A mean of random numbers against its expectation, judged by its standard error. */
export function expected(claim: string, prediction: number, sample: SampleMean): Verdict {
  const score = sample.score(prediction)
  return {
    claim,
    predicted: show(prediction),
    measured: `${show(sample.mean)} +- ${show(sample.standardError)}, z = ${score.toFixed(1)}`,
    passed: Math.abs(score) <= allowedScore,
  }
}

/** Many such means at once, told by the one that misses by most. */
export function allExpected(claim: string, predicted: string, scores: readonly number[]): Verdict {
  const worst = scores.reduce((most, score) => Math.max(most, Math.abs(score)), 0)
  return {
    claim,
    predicted,
    measured: `${scores.length} means, largest |z| = ${worst.toFixed(1)}`,
    passed: worst <= allowedScore && scores.length > 0,
  }
}

/** The verdict with a remark. */
export function remarked(verdict: Verdict, remark: string): Verdict {
  return { ...verdict, remark }
}

/** A number as people read it: four digits, whole numbers in full. */
export function show(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return String(value)
  const text = Math.abs(value) < 1e-3 ? value.toExponential(3) : value.toPrecision(4)
  return text.includes('e') ? text.replace(/\.?0*e/, 'e') : text.replace(/\.?0+$/, '')
}

/** A point as people read it. */
export function showPoint(x: ArrayLike<number>): string {
  return `(${Array.from(x, (each) => String(Number(each.toFixed(6)))).join(', ')})`
}
