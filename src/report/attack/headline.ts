import { html, type Markup } from '../markup.ts'
import { countText } from '../number-text.ts'
import { tiles } from '../page/tiles.ts'
import type { AttackRun } from './attack-run.ts'
import { dashed, percentText } from './dashed.ts'

/** The least robust accuracy that was demanded, and whether it is there. */
export interface Threshold {
  readonly failUnder: number
  readonly met: boolean
  /** Why too little was measured to say; then it is not met either. */
  readonly unjudged?: string | undefined
}

/** What an evaluation says in a sentence and five numbers, and whether that is enough. */
export function headline(run: AttackRun, threshold: Threshold | undefined): Markup {
  return html`<section aria-labelledby="result"><h2 id="result">Result</h2>
${numbers(run)}
<p>${sentence(run)}</p>
${threshold === undefined ? undefined : verdict(run, threshold)}</section>\n`
}

function numbers({ report: { summary } }: AttackRun): Markup {
  const { looked, attacked, fooled, cleanAccuracy, robustAccuracy } = summary
  const correct = Number.isFinite(cleanAccuracy) ? Math.round(cleanAccuracy * looked) : 0
  const withstood = Number.isFinite(robustAccuracy) ? Math.round(robustAccuracy * looked) : 0
  const none = fooled === 0 ? 'no image was fooled' : undefined
  return tiles([
    { name: 'Robust accuracy', value: dashed.percent(robustAccuracy), note: share(withstood, looked) },
    { name: 'Clean accuracy', value: dashed.percent(cleanAccuracy), note: share(correct, looked) },
    {
      name: 'Attack success rate',
      value: dashed.percent(summary.attackSuccessRate),
      note: attacked === 0 ? 'no image was attacked' : intervalText(summary.attackSuccessInterval),
    },
    {
      name: 'Queries to first success',
      value: dashed.effort(summary.firstSuccessQueries.median),
      note: none ?? 'median over the images fooled',
    },
    {
      name: 'l₂ distortion',
      value: dashed.distance(summary.bestL2.median),
      note: none ?? 'median over the images fooled, each at its best',
    },
  ])
}

function share(count: number, of: number): string {
  return of === 0 ? 'no image could be compared with its label' : `${countText(count)} of ${images(of)}`
}

/** The interval of a rate, in words. */
function intervalText([low, high]: readonly [number, number]): string | undefined {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return undefined
  return `95\u00a0% interval ${percentText(low)} to ${percentText(high)}`
}

function sentence({ report: { summary, universal } }: AttackRun): string {
  const { attacked, fooled, skipped, failed } = summary
  const left = [
    skipped > 0 ? `${countText(skipped)} ${skipped === 1 ? 'was' : 'were'} skipped` : '',
    failed > 0 ? `${countText(failed)} failed` : '',
  ].filter((text) => text !== '')
  const rest = left.length === 0 ? '' : ` Of the other images ${left.join(' and ')}.`
  if (attacked === 0) return `No image was attacked.${rest.replace('other images', 'images')}`
  const what = universal === null ? 'The attack' : 'One perturbation for all of them'
  return `${what} fooled the model on ${countText(fooled)} of ${images(attacked)}, and failed to on ${countText(attacked - fooled)}.${rest}`
}

function images(count: number): string {
  return count === 1 ? '1 image' : `${countText(count)} images`
}

function verdict({ report }: AttackRun, { failUnder, met, unjudged }: Threshold): Markup {
  const { robustAccuracy } = report.summary
  if (unjudged !== undefined) {
    return html`<p class="verdict"><span class="badge bad">not judged</span> Whether the robust accuracy is below the ${percentText(failUnder)} demanded cannot be said: ${unjudged}.</p>`
  }
  const badge = html`<span class="badge ${met ? 'good' : 'bad'}">${met ? 'passed' : 'not passed'}</span>`
  if (!Number.isFinite(robustAccuracy)) {
    return html`<p class="verdict">${badge} There is no robust accuracy to hold against the ${percentText(failUnder)} demanded.</p>`
  }
  const [found, demanded] = apart(robustAccuracy, failUnder)
  const relation = met ? 'is not below' : 'is below'
  return html`<p class="verdict">${badge} Robust accuracy ${found} ${relation} the ${demanded} demanded.</p>`
}

/** Two fractions in percent, with all their digits where they would otherwise read the same. */
function apart(a: number, b: number): [string, string] {
  const texts = [percentText(a), percentText(b)] as [string, string]
  const exact = (fraction: number): string => `${Number((100 * fraction).toPrecision(12))}\u00a0%`
  return a === b || texts[0] !== texts[1] ? texts : [exact(a), exact(b)]
}
