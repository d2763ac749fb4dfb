import type { BaselineComparison, ImageRecord, LimitComparison } from '../../attacks/records.ts'
import { type Judgement, judgementsOf, type StoredAttack } from '../../work/evaluation/status.ts'
import { limitName } from '../attack/attack-settings.ts'
import { comparisonSentence } from '../attack/baseline-text.ts'
import { classAfter, classText } from '../attack/shown-image.ts'
import { countText, distanceText, percentText } from '../number-text.ts'

/** An evaluation, and how it compares with its baseline where one was given. */
export interface CheckedAttack extends StoredAttack {
  readonly comparison?: BaselineComparison | undefined
}

/** Something that passes or does not: a demand on the robust accuracy, or an image. */
export interface Check {
  readonly name: string
  readonly result: 'passed' | 'failed' | 'error' | 'skipped'
  /** What was found, in a sentence. */
  readonly text: string
}

/** The check of an image. */
export interface ImageCheck extends Check {
  readonly image: ImageRecord
}

/** What was demanded of the robust accuracy, by --fail-under and by a baseline. */
export function demandChecks({ record, report, comparison }: CheckedAttack): Check[] {
  const judged = judgementsOf(record.spec, report).map(judgementCheck)
  return [...judged, ...(comparison?.limits ?? []).map((limit) => comparisonCheck(limit, comparison))]
}

const results = { met: 'passed', below: 'failed', worse: 'failed', unjudged: 'error' } as const

function judgementCheck({ verdict, robustAccuracy, limit }: Judgement): Check {
  const within = limit === undefined ? '' : ` within ${limitName(limit)}`
  const required = percentText(verdict.failUnder)
  const why = verdict.kind === 'unjudged' ? `: ${verdict.why}` : ''
  const found = { met: 'is not below', below: 'is below', unjudged: 'cannot be held against' }[verdict.kind]
  return {
    name: `robust accuracy${within} of at least ${required}`,
    result: results[verdict.kind],
    text: `robust accuracy ${percentText(robustAccuracy)}${within} ${found} the required ${required}${why}`,
  }
}

function comparisonCheck(limit: LimitComparison, comparison: BaselineComparison | undefined): Check {
  const within = limitName(limit) === '' ? '' : ` within ${limitName(limit)}`
  const { regressions } = limit
  const names = regressions.slice(0, mostNamed).map(({ title }) => title)
  const more = regressions.length - names.length
  const list = names.length === 0 ? '' : `; no longer robust: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  return {
    name: `robust accuracy${within} no worse than the baseline`,
    result: results[limit.kind],
    text: `${comparisonSentence(limit, comparison?.images)}${list}`,
  }
}

const mostNamed = 10

/**
 * The images. Where something is demanded that decides, and an image may be fooled; where nothing is, an image that is
 * fooled has failed.
 */
export function imageChecks(attack: CheckedAttack): ImageCheck[] {
  const isDemanded = demandChecks(attack).length > 0
  const names = attack.record.images.classNames
  return attack.report.images.map((image) => {
    const { status, reason } = image
    const text =
      status === 'fooled' ? fooledText(image, names) : (reason ?? `withstood ${countText(image.queries)} queries`)
    const result =
      status === 'robust'
        ? 'passed'
        : status === 'skipped'
          ? 'skipped'
          : status !== 'fooled'
            ? 'error'
            : isDemanded
              ? 'passed'
              : 'failed'
    return { name: image.title, result, text: status === 'robust' ? text : `${status}: ${text}`, image }
  })
}

/** What an image that was fooled is taken for, after how many queries, and how far it was changed. */
export function fooledText(image: ImageRecord, names: readonly string[] | undefined): string {
  const change = image.saved ?? image.best
  const distances = change === null ? '' : `, l2 ${distanceText(change.l2)}, linf ${distanceText(change.linf)}`
  const effort = image.first === null ? '' : ` after ${countText(image.first.queries)} queries`
  return `${classText(image.label, names)} taken for ${classText(classAfter(image), names)}${effort}${distances}`
}
