import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  type AttackLimits,
  type AttackReport,
  type ImageRecord,
  type LimitSummary,
  robustAccuracyBounds,
  screenedRecord,
  summarizeAttack,
  withinLimit,
} from '../../attacks/index.ts'
import { messageOf } from '../../core/errors.ts'
import { ZerothError } from '../../index.ts'
import { limitsOf } from '../../spec/attack/index.ts'
import type { JsonObject } from '../../spec/index.ts'
import { folderHolder } from '../../trace/index.ts'
import type { WorkStatus } from '../work.ts'
import { imageFolder, layout, readImage, readImages, readJson, readReport, readSeconds } from './attack-files.ts'
import { type AttackRecord, readAttack } from './attack-record.ts'
import { readScreening, victimsOf } from './screening.ts'

/** An evaluation as its files tell it. */
export interface StoredAttack {
  /** What it is called beside others; that of its folder unless given. */
  readonly name?: string
  readonly folder: string
  readonly record: AttackRecord
  readonly report: AttackReport
  /** Seconds of work, of all processes together; earlier versions did not measure. */
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
    const { queries, unfinished = 0 } = summary as { queries?: number; unfinished?: number }
    const status = unfinished === 0 ? 'finished' : `finished but for ${unfinished} images: zeroth resume continues`
    return { state: 'finished', status, queries }
  }
  const state = folderHolder(folder) === undefined ? 'interrupted' : 'running'
  const { screened, isComplete } = readScreening(folder) ?? { screened: [], isComplete: false }
  const victims = victimsOf(screened)
  const images = victims.filter((index) => existsSync(join(folder, imageFolder(index), layout.image))).length
  const done = { images, of: victims.length }
  if (!isComplete) return { state, status: `${state}, ${screened.length} images screened`, done }
  return { state, status: `${state}, ${images} of ${victims.length} images`, done }
}

/** How far the evaluation in a folder is. One that cannot be read says why. */
export function evaluationStatus(folder: string): WorkStatus {
  try {
    const { created } = readAttack(folder)
    const { state, queries, done } = attackState(folder)
    const items = done === undefined ? undefined : { done: done.images, total: done.of }
    return { kind: 'evaluation', folder, state, created, queries, seconds: readSeconds(folder), items }
  } catch (error) {
    return { kind: 'evaluation', folder, state: 'damaged', problem: messageOf(error) }
  }
}

/** The images of an evaluation that are done and were not told before. One that is tried again is told again. */
export function untoldImages(folder: string, told: Set<number>): ImageRecord[] {
  const { screened, isComplete } = readScreening(folder) ?? { screened: [], isComplete: false }
  if (!isComplete) return []
  return screened.flatMap((image) => {
    const { index } = image
    const isLeftOut = image.status !== 'attacked'
    if (!isLeftOut && !existsSync(join(folder, imageFolder(index), layout.image))) told.delete(index)
    else if (!told.has(index)) {
      const record = isLeftOut ? screenedRecord(image) : readImage(folder, index)
      if (record === undefined) return []
      told.add(index)
      return [record]
    }
    return []
  })
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
  const { attacked, failed, unfinished } = summary
  if (attacked === 0) return unmeasured({ summary, images }) ?? 'no image was attacked'
  return images.some(wasTried) || failed + unfinished > 0 ? undefined : 'no attack made a single iteration'
}

/** How much could not be measured. */
function unmeasured({
  summary,
  images,
}: {
  summary: Pick<AttackReport['summary'], 'failed' | 'unfinished'>
  images: readonly unknown[]
}): string | undefined {
  const open = summary.failed + summary.unfinished
  return open > 0 ? `${open} of ${images.length} images could not be measured` : undefined
}

function wasTried({ first, final }: ImageRecord): boolean {
  return first !== null || (final?.iteration ?? 0) > 0
}

/** Why a result must not be used, whatever it says; undefined where it may. */
export function voidReason({ canaries }: AttackReport): string | undefined {
  if (canaries == null || canaries.changed === 0) return undefined
  const images = `${canaries.changed} of ${canaries.asked} clean images`
  return `the model answers ${images} differently now than at the beginning (${canaries.reason}): it was changed meanwhile, or its answers vary`
}

/** Why an evaluation is not complete; undefined where it is, or where that many images may be missing. */
export function incompleteReason(
  { allowUnfinished }: JsonObject,
  { summary: { unfinished, failed }, canaries }: AttackReport,
): string | undefined {
  const allowed = typeof allowUnfinished === 'number' ? allowUnfinished : 0
  const unchecked = canaries?.unanswered ?? 0
  if (unfinished + failed > allowed) {
    const counts = [unfinished > 0 ? `${unfinished} unfinished` : '', failed > 0 ? `${failed} failed` : '']
    const which = counts.filter((text) => text !== '').join(' and ')
    return `${which} of the images, above --allow-unfinished ${allowed}`
  }
  if (unchecked === 0) return undefined
  return `${unchecked} clean images got no answer at the end: whether the model has changed is not known`
}

/** Whether nothing was measured, because no image could be used. */
export function measuredNothing(images: readonly ImageRecord[]): boolean {
  return images.length === 0 || images.every(({ status }) => status === 'failed')
}
