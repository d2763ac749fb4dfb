import { limitText } from '../optimizer/core/errors.ts'
import { summarize } from '../optimizer/core/statistics.ts'
import type { Canaries } from './checks.ts'
import type { Tally } from './models/model.ts'
import {
  type AttackLimits,
  type AttackSummary,
  type AttackTrack,
  addConfirmations,
  type Distortion,
  type ImageRecord,
  isCorrect,
  isMeasured,
  isRobust,
  isScreened,
  isUnmeasured,
  type LimitRecord,
  type LimitSummary,
  type MeanMedian,
  type NoiseRecord,
  noConfirmations,
  type UniversalRecord,
} from './records.ts'

/** What a summary needs to know beside the images. */
interface SummaryOptions {
  readonly lambda: number
  readonly kappa: number
  readonly universal?: Omit<UniversalRecord, 'curve' | 'images'> | undefined
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
  const attacked = images.filter(isMeasured)
  const fooled = attacked.filter(({ status }) => status === 'fooled')
  const sum = (of: (image: ImageRecord) => number) => images.reduce((total, image) => total + of(image), 0)
  const outside = { modelCalls: (canaries?.record.asked ?? 0) + (noise?.asked ?? 0), ...failuresOf(canaries, noise) }
  const ends = attacked.flatMap(({ final }) => final ?? [])
  return {
    ...accountOf(images, attacked, fooled, universal !== undefined),
    ...(scores === undefined ? {} : { scores }),
    ...methodsOf(images),
    queries: universal?.queries ?? sum(({ queries }) => queries),
    confirmations: [universal, ...images].reduce(
      (all, each) => addConfirmations(all, each?.confirmations ?? noConfirmations),
      noConfirmations,
    ),
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
function failuresOf(...outside: readonly (Tally | null | undefined)[]): Tally {
  const sum = (key: keyof Tally): number => outside.reduce((total, each) => total + (each?.[key] ?? 0), 0)
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
  const looked = count(isScreened)
  return {
    looked,
    attacked: attacked.length,
    skipped: count(({ status }) => status === 'skipped'),
    failed: count(({ status }) => status === 'failed'),
    unfinished: count(({ status }) => status === 'unfinished'),
    // A perturbation for all images is judged by its end, which is not known yet.
    unfinishedFooled: isUniversal ? 0 : count(isFooledSoFar),
    unconfirmed: count(({ status }) => status === 'unconfirmed'),
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
 * The robust accuracy if all images that failed, are unfinished or unconfirmed had been fooled, and if none were but those that have been
 * already; NaN without any image.
 */
export function robustAccuracyBounds(images: readonly ImageRecord[], isUniversal: boolean): [number, number] {
  const all = images.filter((image) => isScreened(image) || isUnmeasured(image)).length
  const robust = images.filter(isRobust).length
  const open = images.filter((image) => isUnmeasured(image) && !(isFooledSoFar(image) && !isUniversal)).length
  return [robust / all, (robust + open) / all]
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

/** What all images together say about each of several limits, the smallest first. */
function summarizeLimits(images: readonly ImageRecord[], limits: readonly AttackLimits[]): LimitSummary[] {
  return limits.map((limit) => summarizeLimit(images, limit)).sort((one, other) => sizeOf(one) - sizeOf(other))
}

function summarizeLimit(images: readonly ImageRecord[], { linf, l2 }: AttackLimits): LimitSummary {
  const found = images.map((image) => ({ image, within: withinLimit(image, { linf, l2 }) }))
  const count = (is: (each: (typeof found)[number]) => boolean): number => found.filter(is).length
  const screened = count(({ image }) => isScreened(image))
  const robust = count(({ within }) => within?.status === 'robust')
  // Correct, and nothing to try: a targeted attack leaves out the images of its target.
  const skippedCorrect = count(({ image }) => image.status === 'skipped' && isCorrect(image))
  const fooled = count(({ within }) => within?.status === 'fooled')
  const skipped = count(({ image }) => image.status === 'skipped')
  return {
    ...(linf === undefined ? {} : { linf }),
    ...(l2 === undefined ? {} : { l2 }),
    robustAccuracy: (robust + skippedCorrect) / screened,
    robustAccuracyInterval: wilson(robust + skippedCorrect, screened),
    fooled,
    robust,
    unmeasured: images.length - skipped - robust - fooled,
    queries: found.reduce((sum, { within }) => sum + (within?.queries ?? 0), 0),
  }
}

/** How an image fared within a limit; undefined where it is not known. */
export function withinLimit({ limits }: ImageRecord, { linf, l2 }: AttackLimits): LimitRecord | undefined {
  return limits?.find((each) => each.linf === linf && each.l2 === l2)
}

/** For an order: limits of several differ in one norm only. */
function sizeOf({ linf = 0, l2 = 0 }: AttackLimits): number {
  return linf + l2
}

/** What a robust accuracy means: which changes by which methods the images withstood, with how many queries. Empty where none was tried. */
export function robustnessStatement(
  { robustAccuracy, attacked, methods = [] }: Pick<AttackSummary, 'robustAccuracy' | 'attacked' | 'methods'>,
  {
    maxQueries,
    universal,
    within,
  }: { readonly maxQueries: number; readonly universal: boolean; readonly within: AttackLimits },
): { meaning?: string } {
  if (attacked === 0 || methods.length === 0) return {}
  const share = `${Math.round(1000 * robustAccuracy) / 10} % of the images withstood`
  const count = String(maxQueries).replace(/\B(?=(\d{3})+$)/g, ',')
  const queries = `${count} ${maxQueries === 1 ? 'query' : 'queries'} ${universal ? 'in all' : 'each'}`
  // The way back from a success is no method that an image withstands.
  const tried = methods.filter((method) => method !== 'back')
  return {
    meaning: `${share} ${changesText(within)} by ${namesText(tried)} with ${queries}; a stronger attack may fool more`,
  }
}

function changesText({ linf, l2 }: AttackLimits): string {
  const sizes = Object.entries({ linf, l2 }).flatMap(([norm, size]) =>
    size === undefined ? [] : [`${limitText(size)} (${norm})`],
  )
  return sizes.length === 0 ? 'changes of any size' : `changes of at most ${sizes.join(' and ')}`
}

function namesText(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

/** The 95 % confidence interval of a share (Wilson, 1927): it stays sensible for few images and for shares of 0 and 1. */
export function wilson(successes: number, count: number): [number, number] {
  if (count === 0) return [0, 1]
  const z = 1.959963984540054
  const share = successes / count
  const scale = 1 / (1 + (z * z) / count)
  const middle = scale * (share + (z * z) / (2 * count))
  const half = scale * z * Math.sqrt((share * (1 - share)) / count + (z * z) / (4 * count * count))
  return [Math.max(0, middle - half), Math.min(1, middle + half)]
}
