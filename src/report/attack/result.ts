import type { AttackSummary, ImageRecord } from '../../attacks/records.ts'
import { voidReason } from '../../work/evaluation/status.ts'
import { html, type Markup } from '../markup.ts'
import { shown } from '../number-markup.ts'
import { counted, countText, percentText, someNames } from '../number-text.ts'
import type { Section } from '../page/document.ts'
import { badge, type Tile, tiles } from '../page/elements.ts'
import { type AttackRun, attackedImages, type Threshold } from './attack-run.ts'
import { limitName } from './attack-settings.ts'
import { comparisonSentence } from './baseline-text.ts'
import { imageTitle } from './shown-image.ts'

/** The numbers that matter, what they mean in a sentence, and whether that is enough where something was required. */
export function resultSection(runs: readonly AttackRun[], differences: readonly string[] = []): Section {
  const [first, ...others] = runs
  const content =
    first !== undefined && others.length === 0
      ? tiles([...accuracyTiles(runs), ...attackTiles(first)])
      : comparisonContent(runs, differences)
  return {
    id: 'result',
    title: 'Result',
    content: html`${runs.map((run) => voidNotice(run, runs.length > 1))}${content}\n${runs.map((run) => [...verdicts(run, runs.length > 1), ...baselineVerdicts(run, runs.length > 1)])}`,
  }
}

/** Said before everything else. */
function voidNotice({ name, report }: AttackRun, isNamed: boolean): Markup | undefined {
  const why = voidReason(report)
  if (why === undefined) return undefined
  return html`<p class="notice"><strong>${isNamed ? `${name}: ` : undefined}This result is void:</strong> ${why}.</p>\n`
}

function comparisonContent(runs: readonly AttackRun[], differences: readonly string[]): Markup {
  const areSame = haveSameImages(runs)
  const odd = [...(areSame ? [] : ['not all of them attacked the same images']), ...differences]
  const calls = runs.reduce((sum, { report }) => sum + report.summary.modelCalls, 0)
  const numbers = tiles([
    ...(areSame ? accuracyTiles(runs) : []),
    ...(odd.length === 0 ? [strongest(runs)] : []),
    { name: 'Model calls', value: shown.effort(calls), note: 'of all methods' },
    ...(runs.every(({ seconds }) => seconds !== undefined)
      ? [{ name: 'Time', value: shown.duration(sumOf(runs)), note: 'of all methods' }]
      : []),
  ])
  const notice = html`<p class="notice">These attacks cannot be ranked: ${odd.join('; ')}.</p>\n`
  return html`${numbers}${odd.length === 0 ? undefined : notice}`
}

function sumOf(runs: readonly AttackRun[]): number {
  return runs.reduce((sum, { seconds = 0 }) => sum + seconds, 0)
}

/** Whether rates are shares of the same images. */
export function haveSameImages(runs: readonly AttackRun[]): boolean {
  return new Set(runs.map(imagesKey)).size === 1
}

/** What must be the same for rates to be compared. */
function imagesKey(run: AttackRun): string {
  const { looked, cleanAccuracy } = run.report.summary
  return JSON.stringify([looked, cleanAccuracy, attackedImages(run).map(({ index }) => index)])
}

/** A model is robust on the images that no method fooled it on. */
function accuracyTiles(runs: readonly AttackRun[]): Tile[] {
  const summary = runs[0]?.report.summary
  if (summary === undefined) return []
  const { looked, cleanAccuracy } = summary
  const robust = runs.length === 1 ? summary.robustAccuracy : robustImages(runs) / looked
  const largest = runs.length === 1 ? summary.limits?.at(-1) : undefined
  const within = largest === undefined ? '' : ` within ${limitName(largest)}`
  const withstood = runs.length === 1 ? within : ' withstood all methods'
  const of = (share: number): string => `${countText(Math.round(share * looked) || 0)} of ${counted(looked, 'image')}`
  const none = looked === 0 ? 'no labeled image could be screened' : undefined
  const open = runs.length === 1 ? boundsText(summary) : ''
  return [
    { name: 'Robust accuracy', value: shown.percent(robust), note: none ?? `${of(robust)}${withstood}${open}` },
    { name: 'Clean accuracy', value: shown.percent(cleanAccuracy), note: none ?? of(cleanAccuracy) },
  ]
}

/** What it may still become, where images are unfinished or failed. */
function boundsText({ unfinished, failed, robustAccuracyBounds: bounds }: AttackSummary): string {
  if (unfinished + failed === 0 || bounds === undefined) return ''
  return ` so far; ${percentText(bounds[0])} to ${percentText(bounds[1])} with those missing`
}

/** How many images no method fooled: those that withstood it, or were classified correctly and not attacked. */
export function robustImages(runs: readonly AttackRun[]): number {
  const sets = runs.map(({ report }) => new Set(report.images.filter(isRobust).map(({ index }) => index)))
  return [...(sets[0] ?? [])].filter((index) => sets.every((set) => set.has(index))).length
}

function isRobust({ status, label, predicted }: ImageRecord): boolean {
  return status === 'robust' || (status === 'skipped' && label !== null && predicted === label)
}

function attackTiles({ report: { summary }, seconds }: AttackRun): Tile[] {
  const none = summary.fooled === 0 ? 'no image was fooled' : undefined
  return [
    {
      name: 'Attack success rate',
      value: shown.percent(summary.attackSuccessRate),
      note: summary.attacked === 0 ? 'no image was attacked' : rateNote(summary),
    },
    {
      name: 'Queries to first success',
      value: shown.effort(summary.firstSuccessQueries.median),
      note: none ?? 'median over the images fooled',
    },
    {
      name: 'l₂ distortion',
      value: shown.distance(summary.bestL2.median),
      note: none ?? 'median over the images fooled, each at its best',
    },
    ...(seconds === undefined
      ? []
      : [{ name: 'Time', value: shown.duration(seconds), note: 'of the whole evaluation' }]),
  ]
}

function rateNote(summary: AttackSummary): string {
  const text = intervalText(summary)
  const interval = text === undefined ? [] : [`95\u00a0% interval ${text}`]
  const { attackSuccessRate, success8bit } = summary
  return [
    ...interval,
    ...(success8bit < attackSuccessRate ? [`${percentText(success8bit)} as saved 8-bit files`] : []),
  ].join('; ')
}

/** The 95 % interval of the success rate; undefined where there is none. */
export function intervalText({ attackSuccessInterval: [low, high] }: AttackSummary): string | undefined {
  return Number.isFinite(low) && Number.isFinite(high) ? `${percentText(low)} to ${percentText(high)}` : undefined
}

function strongest(runs: readonly AttackRun[]): Tile {
  const rate = ({ report }: AttackRun): number => report.summary.attackSuccessRate
  const highest = runs.map(rate).reduce((most, each) => (each > most ? each : most), -Infinity)
  const leaders = runs.filter((run) => rate(run) === highest)
  const names = leaders.map(({ name, problem }) => (problem === '' ? name : `${name}, ${problem}`))
  const note = names.length > 2 ? `${countText(names.length)} methods` : names.join('; ')
  return {
    name: 'Highest success rate',
    value: shown.percent(highest),
    note: note === '' ? 'no image was attacked' : note,
  }
}

const looks = { passed: 'good', 'not passed': 'bad', 'not judged': 'bad' }

function verdicts({ name, report, threshold = [] }: AttackRun, isNamed: boolean): Markup[] {
  return [threshold].flat().map((each: Threshold) => {
    const [word, text] = judged(each.robustAccuracy ?? report.summary.robustAccuracy, each)
    return html`<p class="verdict">${badge(word, looks)} ${isNamed ? `${name}: ` : undefined}${text}</p>\n`
  })
}

const comparedWords = { met: 'passed', worse: 'not passed', unjudged: 'not judged' } as const

/** How an evaluation compares with its baseline, and which images were robust in it and are not now. */
function baselineVerdicts({ name, comparison }: AttackRun, isNamed: boolean): Markup[] {
  return (comparison?.limits ?? []).map((limit) => {
    const sentence = comparisonSentence(limit, comparison?.images)
    const text = `${isNamed ? `${name}: ` : ''}Baseline: ${sentence}.`
    const titles = limit.regressions.map((image) => imageTitle(image))
    const list = titles.length === 0 ? undefined : ` No longer robust: ${someNames(titles)}.`
    return html`<p class="verdict">${badge(comparedWords[limit.kind], looks)} ${text}${list}</p>\n`
  })
}

function judged(robustAccuracy: number, { failUnder, met, unjudged, limit }: Threshold): [keyof typeof looks, string] {
  const within = limit === undefined ? '' : ` within ${limit}`
  if (unjudged !== undefined) {
    const required = `The required robust accuracy of ${percentText(failUnder)}${within}`
    return ['not judged', `${required} cannot be checked: ${unjudged}.`]
  }
  const word = met ? 'passed' : 'not passed'
  if (!Number.isFinite(robustAccuracy)) {
    return [word, `There is no robust accuracy${within} to compare with the required ${percentText(failUnder)}.`]
  }
  const [found, required] = apart(robustAccuracy, failUnder)
  return [word, `Robust accuracy ${found}${within} ${met ? 'is not below' : 'is below'} the required ${required}.`]
}

/** Two fractions in percent, with all their digits where they would otherwise read the same. */
function apart(a: number, b: number): [string, string] {
  const texts = [percentText(a), percentText(b)] as [string, string]
  const exact = (fraction: number): string => `${Number((100 * fraction).toPrecision(12))}\u00a0%`
  return a === b || texts[0] !== texts[1] ? texts : [exact(a), exact(b)]
}
