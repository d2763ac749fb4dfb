import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ZerothError } from '../../../index.ts'
import { messageOf } from '../../../optimizer/core/errors.ts'
import {
  type AttackLimits,
  type AttackProgress,
  type AttackReport,
  type ImageRecord,
  type LimitSummary,
  robustAccuracyBounds,
  screenedRecord,
  summarizeAttack,
  withinLimit,
} from '../../../robustness/index.ts'
import { limitsOf } from '../../spec/attack/index.ts'
import type { JsonObject } from '../../spec/index.ts'
import { folderHolder, runProgress } from '../../store/index.ts'
import type { JobView } from '../job.ts'
import {
  attackedIndices,
  imageFolder,
  layout,
  readImage,
  readImages,
  readJson,
  readReport,
  readScreening,
  readSeconds,
} from './attack-files.ts'
import { type AttackRecord, readAttack } from './attack-record.ts'

/** An evaluation as its files tell it. */
export interface StoredAttack {
  /** What it is called beside others; that of its folder unless given. */
  readonly name?: string
  readonly folder: string
  readonly record: AttackRecord
  readonly report: AttackReport
  /** Seconds of work, of all processes together. */
  readonly seconds?: number | undefined
}

/** How far an attack is. */
export interface AttackState {
  readonly state: 'running' | 'interrupted' | 'finished'
  /** In words. */
  readonly status: string
  /** Of one that has finished. */
  readonly queries?: number | undefined
  /** Of one that has not: images that are done, of those to be attacked as far as they are known. */
  readonly done?: { readonly images: number; readonly of: number } | undefined
}

/** How far an attack is, by its files. */
export function attackState(folder: string): AttackState {
  const { summary } = readJson(join(folder, layout.summary)) ?? {}
  if (summary !== undefined) {
    const { queries, unfinished = 0, unconfirmed = 0 } = summary as Partial<AttackReport['summary']>
    const open = unfinished + unconfirmed
    const status = open === 0 ? 'finished' : `finished; ${open} images incomplete (zeroth resume retries them)`
    return { state: 'finished', status, queries }
  }
  const state = folderHolder(folder) === undefined ? 'interrupted' : 'running'
  const { screened, isComplete } = readScreening(folder) ?? { screened: [], isComplete: false }
  const attacked = attackedIndices(screened)
  const images = attacked.filter((index) => existsSync(join(folder, imageFolder(index), layout.image))).length
  const done = { images, of: attacked.length }
  if (!isComplete) return { state, status: `${state}, ${screened.length} images screened`, done }
  return { state, status: `${state}, ${images} of ${attacked.length} images`, done }
}

/** How far the evaluation in a folder is. One that cannot be read says why. */
export function evaluationStatus(folder: string): JobView {
  try {
    const { created } = readAttack(folder)
    const { state, queries, done } = attackState(folder)
    const items = done === undefined ? undefined : { done: done.images, total: done.of }
    return { kind: 'evaluation', folder, state, created, queries, seconds: readSeconds(folder), items }
  } catch (error) {
    return { kind: 'evaluation', folder, state: 'damaged', problem: messageOf(error) }
  }
}

/** What the files of an evaluation tell while another process performs it. */
interface EvaluationNow {
  readonly screened: number
  readonly attacked: number
  /** The images that are done and were not told before. One that is tried again is told again. */
  readonly untold: readonly { readonly record: ImageRecord; readonly isAttacked: boolean }[]
  readonly underWay: readonly AttackProgress[]
}

/** How far the images of an evaluation are: those that are done, and by their traces those under way. */
export function evaluationNow(folder: string, told: Set<number>): EvaluationNow {
  const { screened, isComplete } = readScreening(folder) ?? { screened: [], isComplete: false }
  const untold: EvaluationNow['untold'][number][] = []
  const underWay: AttackProgress[] = []
  const run = (index: number, title: string, place: string) => {
    const { iterations, queries } = runProgress(join(folder, place))
    if (queries > 0) underWay.push({ index, title, iteration: iterations, queries, fooled: 0 })
  }
  for (const image of isComplete ? screened : []) {
    const { index, title } = image
    const isAttacked = image.status === 'attacked'
    if (isAttacked && !existsSync(join(folder, imageFolder(index), layout.image))) {
      told.delete(index)
      run(index, title, imageFolder(index))
    } else if (!told.has(index)) {
      const record = isAttacked ? readImage(folder, index) : screenedRecord(image)
      if (record === undefined) continue
      told.add(index)
      untold.push({ record, isAttacked })
    }
  }
  if (isComplete) run(-1, '', layout.universal)
  return { screened: screened.length, attacked: attackedIndices(screened).length, untold, underWay }
}

/** Reads the evaluation in a folder without touching it; of one that has not finished, what is known of it so far. */
export function readEvaluation(folder: string): StoredAttack {
  const record = readAttack(folder)
  const report = readReport(folder)
  const seconds = readSeconds(folder)
  if (report !== undefined) return { folder, record, report, seconds }
  const { status } = attackState(folder)
  if (record.spec.universal === true) {
    throw new ZerothError('invalid-option', `${folder} has not finished (${status}): zeroth resume continues it`)
  }
  const known = readImages(folder)
  const images = (readScreening(folder)?.screened ?? []).flatMap((image) => {
    const done = known.get(image.index)
    if (done !== undefined) return [done]
    return image.status === 'attacked' ? [] : [screenedRecord(image)]
  })
  const { lambda, kappa } = record.spec
  const limits = limitsIn(record.spec)
  const summary = summarizeAttack(images, { lambda: Number(lambda), kappa: Number(kappa), limits })
  const warnings = [`the attack has not finished: ${status}`]
  return { folder, record, report: { summary, images, universal: null, warnings }, seconds }
}

/** The limits of an attack spec with several; none where it has one at most. */
function limitsIn(spec: JsonObject): AttackLimits[] {
  const { linf, l2 } = spec.problem as AttackLimits
  const { norm = 'linf', sizes = [] } = limitsOf(spec) ?? {}
  return sizes.map((size) => ({ linf, l2, [norm]: size }))
}

/** Whether the robust accuracy is what is demanded. */
export type Verdict =
  | { readonly kind: 'met' | 'below'; readonly failUnder: number }
  | { readonly kind: 'unjudged'; readonly failUnder: number; readonly why: string }

/** What is demanded of the robust accuracy, within which limit where there are several, and whether it is there. */
export interface Judgement {
  readonly verdict: Verdict
  readonly robustAccuracy: number
  readonly limit?: LimitSummary | undefined
}

/** Every demand of `failUnder`: that of the largest limit, or one for each of several. */
export function judgementsOf(spec: JsonObject, report: AttackReport): Judgement[] {
  const { failUnder } = spec
  const { limits = [] } = report.summary
  const demanded = Array.isArray(failUnder) ? failUnder.map(Number) : []
  const each = demanded.flatMap((least, i): Judgement[] => {
    const limit = limits[i]
    if (limit === undefined) return []
    const verdict = judged(least, reportWithin(report, limit))
    return [{ verdict, robustAccuracy: limit.robustAccuracy, limit }]
  })
  if (typeof failUnder !== 'number') return each
  return [{ verdict: judged(failUnder, report), robustAccuracy: report.summary.robustAccuracy, limit: limits.at(-1) }]
}

/**
 * Compares an attack with `failUnder`, the worst of several demands; undefined where nothing is demanded. Too little
 * measured is never enough.
 */
export function verdictOf(spec: JsonObject, report: AttackReport): Verdict | undefined {
  const verdicts = judgementsOf(spec, report).map(({ verdict }) => verdict)
  const worst = (['below', 'unjudged', 'met'] as const).find((kind) => verdicts.some((each) => each.kind === kind))
  return verdicts.find(({ kind }) => kind === worst)
}

/** The report as it would be with one of several limits alone. */
function reportWithin(report: AttackReport, limit: LimitSummary): AttackReport {
  const images = report.images.map((image): ImageRecord => {
    const { status = image.status } = withinLimit(image, limit) ?? {}
    return { ...image, status }
  })
  return { ...report, images, summary: summarizeAttack(images, { lambda: 0, kappa: 0 }) }
}

function judged(failUnder: number, report: AttackReport): Verdict {
  const [least, most] = robustAccuracyBounds(report.images, report.universal !== null)
  if (most < failUnder) return { kind: 'below', failUnder }
  const why = untested(report) ?? (least >= failUnder ? undefined : unmeasured(report))
  return why === undefined ? { kind: 'met', failUnder } : { kind: 'unjudged', failUnder, why }
}

/** Why nothing was put to the test, where nothing was. */
function untested({ summary, images }: AttackReport): string | undefined {
  const { attacked, failed, unfinished, unconfirmed } = summary
  if (attacked === 0) return unmeasured({ summary, images }) ?? 'no image was attacked'
  return images.some(wasTried) || failed + unfinished + unconfirmed > 0
    ? undefined
    : 'no attack made a single iteration'
}

/** How much could not be measured. */
function unmeasured({
  summary,
  images,
}: {
  summary: Pick<AttackReport['summary'], 'failed' | 'unfinished' | 'unconfirmed'>
  images: readonly unknown[]
}): string | undefined {
  const open = summary.failed + summary.unfinished + summary.unconfirmed
  return open > 0 ? `${open} of ${images.length} images could not be measured` : undefined
}

function wasTried({ first, final }: ImageRecord): boolean {
  return first !== null || (final?.iteration ?? 0) > 0
}

/** Why a result must not be used, whatever it says; undefined where it may. */
export function voidReason({ canaries, summary }: Pick<AttackReport, 'canaries' | 'summary'>): string | undefined {
  const { clean, changed } = summary.confirmations
  if ((canaries?.changed ?? 0) === 0 && changed > 0) {
    const times = `${changed} of ${clean} times that a clean image was asked about on the way`
    return `the model answered differently than at the beginning ${times}: it was changed meanwhile, or its answers vary`
  }
  if (canaries == null || canaries.changed === 0) return undefined
  const images = `${canaries.changed} of ${canaries.asked} clean images`
  return `the model answers ${images} differently now than at the beginning (${canaries.reason}): it was changed meanwhile, or its answers vary`
}

/** Why an evaluation is not complete; undefined where it is, or where that many images may be missing. */
export function incompleteReason(
  { allowUnfinished }: JsonObject,
  { summary: { unfinished, unconfirmed, failed }, canaries }: AttackReport,
): string | undefined {
  const allowed = typeof allowUnfinished === 'number' ? allowUnfinished : 0
  const unchecked = canaries?.unanswered ?? 0
  const total = unfinished + unconfirmed + failed
  if (total > allowed) {
    const counts = Object.entries({ unfinished, unconfirmed, failed }).filter(([, count]) => count > 0)
    const which = counts.map(([what, count]) => `${count} ${what}`).join(' and ')
    return `${which} ${total === 1 ? 'image' : 'images'}; --allow-unfinished permits ${allowed}`
  }
  if (unchecked === 0) return undefined
  return `${unchecked} clean images got no answer at the end: whether the model has changed is not known`
}

/** Whether nothing was measured, because no image could be used. */
export function measuredNothing(images: readonly ImageRecord[]): boolean {
  return images.length === 0 || images.every(({ status }) => status === 'failed')
}
