import { ZerothError } from '../../../optimizer/core/errors.ts'
import { type AttackSummary, isRobust } from '../../../robustness/records.ts'
import { voidReason } from '../../jobs/evaluation/status.ts'
import { drawingDocument } from '../drawing-document.ts'
import { html, type Markup } from '../markup.ts'
import { counted, countText, percentText, someNames } from '../number-text.ts'
import { createdTime, type ReportPage, reportPage } from '../page/document.ts'
import {
  badge,
  type Figure,
  factTable,
  figuresMarkup,
  machineSection,
  messageList,
  remark,
  reproduceSection,
  type Section,
  shown,
  type Tile,
  tiles,
} from '../page/elements.ts'
import { imageCosts, imageVerdicts, strengthOf, strongestFirst } from '../verdict.ts'
import {
  type AttackRun,
  attackedImages,
  type ComparedRun,
  imageTitle,
  panelsOf,
  type SettingRows,
  styledRuns,
  successInterval,
  type Threshold,
} from './attack-run.ts'
import {
  courseFigures,
  distortionFigures,
  limitPart,
  robustnessFigures,
  successFigures,
  universalFigures,
} from './figures.ts'
import { comparisonSentence, limitName } from './settings.ts'
import {
  comparisonSection,
  costSection,
  gallerySection,
  imagesSection,
  leftOutSection,
  ownSettings,
  statisticsSection,
} from './tables.ts'

/** What the page of one evaluation, or of several in comparison, is made from. */
export interface AttackPageData {
  readonly title: string
  /** One evaluation, or several methods on the same images. */
  readonly runs: readonly ComparedRun[]
  /** What the classes 0, 1, 2, ... are called. */
  readonly classNames?: readonly string[] | undefined
  /** Names and values that all evaluations share: model, images, budget, seed and so on. */
  readonly settings: SettingRows
  readonly machine: Readonly<Record<string, string>>
  /** When the evaluation was made, as ISO text. */
  readonly created: string
  /** The version of zeroth that made it. */
  readonly zeroth: string
  /** In what else than their methods several evaluations differ, in words: their rates say little about each other then. */
  readonly differences?: readonly string[] | undefined
  /** What reruns it. */
  readonly command: string
}

const boxes =
  'A box reaches from the lower to the upper quartile over the images, with a stroke at the median; whiskers reach to the furthest value within 1.5 lengths of the box.'

/** Robustness evaluations as a single HTML file that needs nothing else, with figures as SVG files; one is a comparison of one. */
export function attackPage(data: AttackPageData): ReportPage {
  const { title, classNames, created, differences = [] } = data
  const runs = styledRuns(data.runs)
  const [first, ...others] = runs
  if (first === undefined) {
    throw new ZerothError('invalid-data', 'attackPage: there are no evaluations to show, give at least one')
  }
  const isSingle = others.length === 0
  const document = drawingDocument()
  const drawn = drawnParts(runs, document)
  const limits = limitPart(runs, document)
  return reportPage({
    title,
    kicker: 'zeroth robustness report',
    about: html`<span>${isSingle ? counted(first.report.images.length, 'image') : counted(runs.length, 'evaluation')}</span>${createdTime(created)}`,
    summary: summaryOf(runs, differences),
    source: isSingle ? 'evaluation' : 'evaluations',
    figures: [...limits.figures, ...drawn.flatMap(({ figures }) => figures)],
    sections: [
      resultSection(runs, differences),
      warningsSection(runs),
      gallerySection(runs, classNames),
      limits.section,
      isSingle ? statisticsSection(first) : comparisonSection(runs),
      ...drawn.map(figureSection),
      isSingle ? undefined : costSection(runs),
      imagesSection(runs, classNames),
      leftOutSection(runs, classNames),
      ...backgroundSections(data, runs),
    ],
  })
}

/** Figures that belong together, and how to read them. */
interface DrawnPart {
  readonly id: string
  readonly title: string
  readonly figures: readonly Figure[]
  readonly reading?: string | undefined
  /** Said if there are none; without it they are left out. */
  readonly none?: string
}

/** Success against queries and distortion, the course of the attacks, and how large the changes were. */
function drawnParts(runs: readonly AttackRun[], document: Document): DrawnPart[] {
  const panels = panelsOf(runs)
  const isUniversal = runs.some(({ report }) => report.universal !== null)
  const hasLimits = runs.some(({ report }) => report.summary.limits !== undefined)
  const within = hasLimits ? ' Of several limits, that is within the largest one.' : ''
  return [
    {
      id: 'success',
      title: 'Success',
      figures: [...successFigures(panels, document), ...robustnessFigures(panels, document)],
      reading: isUniversal
        ? 'A line shows the share of the images that the perturbation fools after that many queries.'
        : `A line shows the share of the attacked images first fooled within that many queries, or by a change of at most that length, as far as the attack found it.${within}`,
      none: 'No image was attacked: there is nothing to draw.',
    },
    {
      id: 'course',
      title: 'Course of the attack',
      figures: [...courseFigures(panels, document), ...universalFigures(panels, document)],
      reading: isUniversal
        ? undefined
        : `${boxes} Dots lie beyond that. An attack that has ended keeps its last value.`,
    },
    {
      id: 'distortion',
      title: 'Distortion of the images fooled',
      figures: distortionFigures(panels, document),
      reading: `${boxes} Each dot is an image.`,
    },
  ]
}

function figureSection({ id, title, figures, reading, none }: DrawnPart): Section | undefined {
  if (figures.length === 0 && none === undefined) return undefined
  const content = html`${figuresMarkup(figures, none ?? '')}${figures.length === 0 ? undefined : remark(reading)}`
  return { id, title, content }
}

function warningsSection(runs: readonly AttackRun[]): Section | undefined {
  const messages = runs.flatMap(({ name, report }) => report.warnings.map((text) => ({ text, name })))
  if (messages.length === 0) return undefined
  return { id: 'warnings', title: 'Warnings', content: messageList(messages, runs.length) }
}

/** Settings, machine, how to get the same numbers again, and what they are for. */
function backgroundSections(data: AttackPageData, runs: readonly AttackRun[]): Section[] {
  const machines = runs.map(({ name, zeroth = data.zeroth, machine = data.machine }) => ({
    name,
    zeroth,
    machine: Object.entries(machine),
  }))
  return [
    {
      id: 'settings',
      title: 'Settings',
      content: html`${ownSettings(runs)}<div class="wide">${factTable('Evaluation', data.settings)}</div>`,
    },
    machineSection(machines, 'evaluation'),
    reproduceSection(html`<p>The same command gives the same numbers if the model gives the same answers.</p>
<pre><code>${data.command}</code></pre>`),
    { id: 'use', title: 'Responsible use', content: responsibleUse },
  ]
}

const responsibleUse: Markup = html`<p>These pictures and numbers are for measuring and improving a model's robustness: attack only models that are yours or that you have been asked to test, and tell their owners what you find.</p>`

/** A page about evaluations in a few plain sentences: how robust the model is, and what to be careful with. */
function summaryOf(runs: readonly AttackRun[], differences: readonly string[] = []): Markup {
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
  const { name, report: strongest } = [...runs].sort(bySuccess)[0] as AttackRun
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

function bySuccess({ report: { summary: a } }: AttackRun, { report: { summary: b } }: AttackRun): number {
  return strongestFirst(strengthOf(a), strengthOf(b))
}

function cleanText({ looked, cleanAccuracy }: AttackSummary): string {
  if (looked === 0) return 'No labeled image could be screened. '
  return `Clean accuracy: ${countText(Math.round(looked * cleanAccuracy))} of ${counted(looked, 'image')}. `
}

function fooledText({ summary, universal }: AttackRun['report']): Markup {
  const { attacked, fooled, skipped, failed, unfinished, unfinishedFooled, unconfirmed } = summary
  const soFar = unfinishedFooled > 0 ? `, ${countText(unfinishedFooled)} of them fooled so far` : ''
  const left = [
    skipped > 0 ? `${countText(skipped)} ${skipped === 1 ? 'was' : 'were'} skipped` : '',
    failed > 0 ? `${countText(failed)} failed` : '',
    unfinished > 0 ? `${countText(unfinished)} ${unfinished === 1 ? 'is' : 'are'} unfinished${soFar}` : '',
    unconfirmed > 0 ? `${countText(unconfirmed)} ${unconfirmed === 1 ? 'is' : 'are'} unconfirmed` : '',
  ].filter((text) => text !== '')
  const rest = (which: string): string => (left.length === 0 ? '' : ` Of the ${which}, ${left.join(' and ')}.`)
  if (attacked === 0) return html`No image was attacked.${rest('images')}`
  const what = universal === null ? 'The attack' : 'One perturbation shared by all images'
  return html`${what} fooled it on <strong>${countText(fooled)} of ${counted(attacked, 'image')}</strong>${effort(summary)}.${savedText(summary)}${rest('other images')}`
}

function effort({ fooled, firstSuccessQueries: { median } }: AttackSummary): string {
  return fooled > 0 && Number.isFinite(median) ? `, half of them within ${countText(Math.ceil(median))} queries` : ''
}

/** Pictures as they can be handed on; said if some of them no longer fool. */
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

/** The numbers that matter, what they mean in a sentence, and whether that is enough if something was required. */
function resultSection(runs: readonly AttackRun[], differences: readonly string[] = []): Section {
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
  if (odd.length > 0) return html`${numbers}${notice}`
  const verdicts = imageVerdicts([...runs].sort(bySuccess).map(imageCosts))
  return html`${numbers}${verdicts.map((text) => html`<p>${text}</p>\n`)}`
}

function sumOf(runs: readonly AttackRun[]): number {
  return runs.reduce((sum, { seconds = 0 }) => sum + seconds, 0)
}

/** Whether rates are shares of the same images. */
function haveSameImages(runs: readonly AttackRun[]): boolean {
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

/** What it may still become, if images could not be measured. */
function boundsText({ unfinished, unconfirmed, failed, robustAccuracyBounds: bounds }: AttackSummary): string {
  if (unfinished + unconfirmed + failed === 0 || bounds === undefined) return ''
  return ` so far; ${percentText(bounds[0])} to ${percentText(bounds[1])} with those missing`
}

/** How many images no method fooled: those that withstood it, or were classified correctly and not attacked. */
function robustImages(runs: readonly AttackRun[]): number {
  const sets = runs.map(({ report }) => new Set(report.images.filter(isRobust).map(({ index }) => index)))
  return [...(sets[0] ?? [])].filter((index) => sets.every((set) => set.has(index))).length
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
  const text = successInterval(summary)
  const interval = text === undefined ? [] : [`95\u00a0% interval ${text}`]
  const { attackSuccessRate, success8bit } = summary
  return [
    ...interval,
    ...(success8bit < attackSuccessRate ? [`${percentText(success8bit)} as saved 8-bit files`] : []),
  ].join('; ')
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

/** Two fractions in percent, with all their digits if they would otherwise read the same. */
function apart(a: number, b: number): [string, string] {
  const texts = [percentText(a), percentText(b)] as [string, string]
  const exact = (fraction: number): string => `${Number((100 * fraction).toPrecision(12))}\u00a0%`
  return a === b || texts[0] !== texts[1] ? texts : [exact(a), exact(b)]
}
