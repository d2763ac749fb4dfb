import { summarize } from '../core/statistics.ts'
import type { Canaries } from './canaries.ts'
import { summarizeLimits } from './limit-summary.ts'
import type {
  AttackLimits,
  AttackSummary,
  AttackTrack,
  Distortion,
  ImageRecord,
  MeanMedian,
  NoiseRecord,
  UniversalRecord,
} from './records.ts'
import type { FailureTally } from './saved-picture.ts'
import { wilson } from './wilson.ts'

/** What a summary needs to know beside the images. */
export interface SummaryOptions {
  readonly lambda: number
  readonly kappa: number
  readonly universal?: Pick<UniversalRecord, 'queries' | 'modelCalls' | 'failedQueries' | 'retries'> | undefined
  readonly canaries?: Canaries | null
  readonly noise?: NoiseRecord | null | undefined
  /** What the scores were taken for. */
  readonly scores?: AttackSummary['scores']
  /** The limits, where there are several. */
  readonly limits?: readonly AttackLimits[] | undefined
}

/** What all images together say about the model. */
export function summarizeAttack(
  images: readonly ImageRecord[],
  { lambda, kappa, scores, universal, canaries, noise, limits = [] }: SummaryOptions,
): AttackSummary {
  const attacked = images.filter(({ status }) => status === 'fooled' || status === 'robust')
  const fooled = attacked.filter(({ status }) => status === 'fooled')
  const sum = (of: (image: ImageRecord) => number) => images.reduce((total, image) => total + of(image), 0)
  const outside = { modelCalls: (canaries?.record.asked ?? 0) + (noise?.asked ?? 0), ...failuresOf(canaries, noise) }
  const ends = attacked.flatMap(({ final }) => final ?? [])
  return {
    ...accountOf(images, attacked, fooled, universal !== undefined),
    ...(scores === undefined ? {} : { scores }),
    ...methodsOf(images),
    queries: universal?.queries ?? sum(({ queries }) => queries),
    modelCalls: sum(({ modelCalls }) => modelCalls) + (universal?.modelCalls ?? 0) + outside.modelCalls,
    failedQueries: sum((each) => each.failedQueries) + (universal?.failedQueries ?? 0) + outside.failedQueries,
    retries: sum((each) => each.retries) + (universal?.retries ?? 0) + outside.retries,
    ...successesOf(fooled),
    kept: fooled.filter(({ final }) => final?.fooled === true).length / fooled.length,
    finalObjective: meanMedian(ends.map(({ margin, l2sq }) => lambda * Math.max(margin, -kappa) + l2sq)),
    ...(limits.length > 1 ? { limits: summarizeLimits(images, limits) } : {}),
  }
}

/** Failures before and after all attacks. */
function failuresOf(...outside: readonly (FailureTally | null | undefined)[]): FailureTally {
  const sum = (key: keyof FailureTally): number => outside.reduce((total, each) => total + (each?.[key] ?? 0), 0)
  return { failedQueries: sum('failedQueries'), retries: sum('retries') }
}

/** The methods that were tried, where images say so. */
function methodsOf(images: readonly ImageRecord[]): Pick<AttackSummary, 'methods'> {
  const methods = new Set(images.flatMap(({ methods: tried = [] }) => tried.map(({ method }) => method)))
  return methods.size === 0 ? {} : { methods: [...methods] }
}

/** How many images there are of each kind, and what shares of them. */
function accountOf(
  images: readonly ImageRecord[],
  attacked: readonly ImageRecord[],
  fooled: readonly ImageRecord[],
  isUniversal: boolean,
) {
  const count = (is: (image: ImageRecord) => boolean): number => images.filter(is).length
  const looked = count(({ label, predicted }) => label !== null && predicted !== null)
  const isCorrect = ({ label, predicted }: ImageRecord): boolean => label !== null && predicted === label
  return {
    looked,
    attacked: attacked.length,
    skipped: count(({ status }) => status === 'skipped'),
    failed: count(({ status }) => status === 'failed'),
    unfinished: count(({ status }) => status === 'unfinished'),
    // A perturbation for all images is judged by its end, which is not known yet.
    unfinishedFooled: isUniversal ? 0 : count(isFooledSoFar),
    fooled: fooled.length,
    cleanAccuracy: count(isCorrect) / looked,
    // One whose attack broke down has not shown that it is robust.
    robustAccuracy: count(isRobust) / looked,
    robustAccuracyBounds: robustAccuracyBounds(images, isUniversal),
    attackSuccessRate: fooled.length / attacked.length,
    attackSuccessInterval: wilson(fooled.length, attacked.length),
    success8bit: attacked.filter(({ success8bit }) => success8bit === true).length / attacked.length,
  }
}

/**
 * The robust accuracy if all images that failed or are unfinished had been fooled, and if none were but those that have been
 * already; NaN without any image.
 */
export function robustAccuracyBounds(images: readonly ImageRecord[], isUniversal: boolean): [number, number] {
  const isOpen = ({ status }: ImageRecord): boolean => status === 'failed' || status === 'unfinished'
  const isCounted = ({ label, predicted }: ImageRecord): boolean => label !== null && predicted !== null
  const all = images.filter((image) => isCounted(image) || isOpen(image)).length
  const robust = images.filter(isRobust).length
  const open = images.filter((image) => isOpen(image) && !(isFooledSoFar(image) && !isUniversal)).length
  return [robust / all, (robust + open) / all]
}

/** Whether an image withstood its attack, or is classified correctly and needed none. */
function isRobust({ status, label, predicted }: ImageRecord): boolean {
  return status === 'robust' || (status === 'skipped' && predicted === label)
}

/** Whether an attack that has not ended has found something. */
function isFooledSoFar({ status, first }: ImageRecord): boolean {
  return status === 'unfinished' && first !== null
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
