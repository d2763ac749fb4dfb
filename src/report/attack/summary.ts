import type { AttackSummary } from '../../attacks/records.ts'
import { html, type Markup } from '../markup.ts'
import { counted, countText } from '../number-text.ts'
import type { AttackRun } from './attack-run.ts'
import { haveSameImages, robustImages } from './result.ts'

/** A page about evaluations in a few plain sentences: how robust the model is, and what to be careful with. */
export function summaryOf(runs: readonly AttackRun[], differences: readonly string[] = []): Markup {
  const [first, ...others] = runs
  if (first === undefined) return html``
  if (others.length === 0) return ofOne(first)
  return differences.length === 0 && haveSameImages(runs) ? ofSeveral(runs, first) : ofUnlike(runs)
}

function ofOne({ report }: AttackRun): Markup {
  const { summary, warnings } = report
  const meaning = summary.meaning === undefined ? '' : ` Robust accuracy: ${summary.meaning}.`
  const warned = warnings.length === 0 ? '' : ' There are warnings below.'
  return html`${cleanText(summary)}${fooledText(report)}${meaning}${failedQueriesText(summary)}${warned}`
}

function ofSeveral(runs: readonly AttackRun[], { report: { summary } }: AttackRun): Markup {
  const robust = robustImages(runs)
  const { name, report: strongest } = [...runs].sort(strongestFirst)[0] as AttackRun
  const { fooled, attacked } = strongest.summary
  const images = counted(summary.looked, 'image')
  return html`${cleanText(summary)}${countText(runs.length)} attacks were tried. The strongest is <strong>${name}</strong>, which fooled the model on ${countText(fooled)} of ${counted(attacked, 'image')}${effort(strongest.summary)}; ${countText(robust)} of ${images} withstood all of them.`
}

/** A larger limit, more queries or other images are no strength of a method. */
function ofUnlike(runs: readonly AttackRun[]): Markup {
  const each = runs.map(({ name, report: { summary } }) => {
    return `${name} fooled the model on ${countText(summary.fooled)} of ${counted(summary.attacked, 'image')}`
  })
  return html`${countText(runs.length)} attacks that differ in more than their methods, so that they cannot be ranked: ${each.join('; ')}.`
}

/** By success, and where that is the same, by how soon. */
function strongestFirst({ report: { summary: a } }: AttackRun, { report: { summary: b } }: AttackRun): number {
  return b.attackSuccessRate - a.attackSuccessRate || a.firstSuccessQueries.median - b.firstSuccessQueries.median
}

function cleanText({ looked, cleanAccuracy }: AttackSummary): string {
  if (looked === 0) return 'No labeled image could be screened. '
  return `Untouched, the model classifies ${countText(Math.round(looked * cleanAccuracy))} of ${counted(looked, 'image')} correctly. `
}

function fooledText({ summary, universal }: AttackRun['report']): Markup {
  const { attacked, fooled, skipped, failed, unfinished, unfinishedFooled } = summary
  const soFar = unfinishedFooled > 0 ? `, ${countText(unfinishedFooled)} of them fooled so far` : ''
  const left = [
    skipped > 0 ? `${countText(skipped)} ${skipped === 1 ? 'was' : 'were'} skipped` : '',
    failed > 0 ? `${countText(failed)} failed` : '',
    unfinished > 0 ? `${countText(unfinished)} ${unfinished === 1 ? 'is' : 'are'} unfinished${soFar}` : '',
  ].filter((text) => text !== '')
  const rest = (which: string): string => (left.length === 0 ? '' : ` Of the ${which}, ${left.join(' and ')}.`)
  if (attacked === 0) return html`No image was attacked.${rest('images')}`
  const what = universal === null ? 'The attack' : 'One perturbation shared by all images'
  return html`${what} fooled it on <strong>${countText(fooled)} of ${counted(attacked, 'image')}</strong>${effort(summary)}.${savedText(summary)}${rest('other images')}`
}

function effort({ fooled, firstSuccessQueries: { median } }: AttackSummary): string {
  return fooled > 0 && Number.isFinite(median) ? `, half of them within ${countText(Math.ceil(median))} queries` : ''
}

/** Pictures as they can be handed on; said where some of them no longer fool. */
function savedText({ attacked, fooled, success8bit }: AttackSummary): string {
  const saved = Math.round(attacked * success8bit)
  if (!(saved < fooled)) return ''
  return ` As saved 8-bit files, ${countText(saved)} of these ${countText(fooled)} still fool it.`
}

function failedQueriesText({ failedQueries, retries }: AttackSummary): string {
  if (failedQueries === 0) return ''
  if (failedQueries === 1) return ` 1 query brought no answer${retries === 0 ? '' : ' and was asked again at once'}.`
  const again = retries === 0 ? 'none of them was' : `${countText(retries)} of them ${retries === 1 ? 'was' : 'were'}`
  return ` ${countText(failedQueries)} queries brought no answer; ${again} asked again at once.`
}
