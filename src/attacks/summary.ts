import { summarize } from '../core/statistics.ts'
import { summarizeLimits } from './limit-summary.ts'
import type { AttackLimits, AttackSummary, AttackTrack, Distortion, ImageRecord, MeanMedian } from './records.ts'
import { wilson } from './wilson.ts'

/** What a summary needs to know beside the images. */
export interface SummaryOptions {
  readonly lambda: number
  readonly kappa: number
  readonly universal?: { readonly queries: number; readonly modelCalls: number } | undefined
  /** The limits, where there are several. */
  readonly limits?: readonly AttackLimits[] | undefined
}

/** What all images together say about the model. */
export function summarizeAttack(
  images: readonly ImageRecord[],
  { lambda, kappa, universal, limits = [] }: SummaryOptions,
): AttackSummary {
  const attacked = images.filter(({ status }) => status === 'fooled' || status === 'robust')
  const fooled = attacked.filter(({ status }) => status === 'fooled')
  const sum = (of: (image: ImageRecord) => number) => images.reduce((total, image) => total + of(image), 0)
  const ends = attacked.flatMap(({ final }) => final ?? [])
  return {
    ...accountOf(images, attacked, fooled),
    queries: universal?.queries ?? sum(({ queries }) => queries),
    modelCalls: sum(({ modelCalls }) => modelCalls) + (universal?.modelCalls ?? 0),
    ...successesOf(fooled),
    kept: fooled.filter(({ final }) => final?.fooled === true).length / fooled.length,
    finalObjective: meanMedian(ends.map(({ margin, l2sq }) => lambda * Math.max(margin, -kappa) + l2sq)),
    ...(limits.length > 1 ? { limits: summarizeLimits(images, limits) } : {}),
  }
}

/** How many images there are of each kind, and what shares of them. */
function accountOf(images: readonly ImageRecord[], attacked: readonly ImageRecord[], fooled: readonly ImageRecord[]) {
  const count = (is: (image: ImageRecord) => boolean): number => images.filter(is).length
  const looked = count(({ label, predicted }) => label !== null && predicted !== null)
  const isCorrect = ({ label, predicted }: ImageRecord): boolean => label !== null && predicted === label
  // One whose attack broke down has not shown that it is robust.
  const robust = count(
    ({ status, label, predicted }) => status === 'robust' || (status === 'skipped' && predicted === label),
  )
  return {
    looked,
    attacked: attacked.length,
    skipped: count(({ status }) => status === 'skipped'),
    failed: count(({ status }) => status === 'failed'),
    fooled: fooled.length,
    cleanAccuracy: count(isCorrect) / looked,
    robustAccuracy: robust / looked,
    attackSuccessRate: fooled.length / attacked.length,
    attackSuccessInterval: wilson(fooled.length, attacked.length),
    success8bit: attacked.filter(({ success8bit }) => success8bit === true).length / attacked.length,
  }
}

/** Effort and distortion at the first and the best success and at the end of the images that were fooled. */
function successesOf(fooled: readonly ImageRecord[]) {
  const over = (moment: keyof AttackTrack, field: 'iteration' | 'queries' | keyof Distortion): MeanMedian =>
    meanMedian(fooled.flatMap((image) => image[moment]?.[field] ?? []))
  return {
    firstSuccessIterations: over('first', 'iteration'),
    firstSuccessQueries: over('first', 'queries'),
    firstSuccessL2sq: over('first', 'l2sq'),
    firstSuccessL2: over('first', 'l2'),
    firstSuccessLinf: over('first', 'linf'),
    bestL2sq: over('best', 'l2sq'),
    bestL2: over('best', 'l2'),
    bestLinf: over('best', 'linf'),
    finalL2sq: over('final', 'l2sq'),
    finalL2: over('final', 'l2'),
    finalLinf: over('final', 'linf'),
  }
}

function meanMedian(values: readonly number[]): MeanMedian {
  if (values.length === 0) return { mean: Number.NaN, median: Number.NaN }
  const { mean, median } = summarize(values)
  return { mean, median }
}
