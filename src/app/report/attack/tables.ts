import { summarize } from '../../../optimizer/core/statistics.ts'
import {
  type AttackPoint,
  type AttackSummary,
  type ImageRecord,
  isUnmeasured,
  type MeanMedian,
  type PictureFiles,
} from '../../../robustness/records.ts'
import { html, type Markup, type Piece } from '../markup.ts'
import { counted, countText, distanceText, type MaybeNumber, shortened, someNames } from '../number-text.ts'
import {
  factTable,
  groupedBy,
  lineName,
  moreThanShown,
  type PageColumn,
  pageTable,
  remark,
  type Section,
  shown,
  unfolding,
} from '../page/elements.ts'
import {
  type AttackRun,
  attackedImages,
  changeOf,
  classAfter,
  classText,
  effortSentence,
  imageBadge,
  imageTitle,
  isShownFooled,
  type Panel,
  panelsOf,
  picture,
  successInterval,
} from './attack-run.ts'

/** A statistic over the images that were fooled. */
interface Statistic {
  readonly name: string
  /** For the head of a narrow column. */
  readonly short: string
  readonly of: (summary: AttackSummary) => MeanMedian
  readonly as: (value: number) => Markup
}

const { effort, distance, percent } = shown

/** The statistics of an evaluation, in the order in which they are read. */
const statistics: readonly Statistic[] = [
  statistic('Iterations to first success', 'First success, iterations', (all) => all.firstSuccessIterations, effort),
  statistic('Queries to first success', 'First success, queries', (all) => all.firstSuccessQueries, effort),
  statistic('l₂² at first success', 'l₂²\u00a0first', (all) => all.firstSuccessL2sq),
  statistic('l₂² at best success', 'l₂²\u00a0best', (all) => all.bestL2sq),
  statistic('l₂² at the end', 'l₂²\u00a0end', (all) => all.finalL2sq),
  statistic('l₂ at first success', 'l₂\u00a0first', (all) => all.firstSuccessL2),
  statistic('l₂ at best success', 'l₂\u00a0best', (all) => all.bestL2),
  statistic('l₂ at the end', 'l₂\u00a0end', (all) => all.finalL2),
  statistic('l∞ at first success', 'l∞\u00a0first', (all) => all.firstSuccessLinf),
  statistic('l∞ at best success', 'l∞\u00a0best', (all) => all.bestLinf),
  statistic('l∞ at the end', 'l∞\u00a0end', (all) => all.finalLinf),
]

/** Facts of an evaluation as tables name them: what became of the pictures, and what it cost. */
const facts = {
  saved: fact('Success rate of the saved 8-bit PNGs', (all) => percent(all.success8bit)),
  kept: fact('Fooled images still fooled at the end', (all) => percent(all.kept)),
  skipped: fact('Skipped', (all) => effort(all.skipped)),
  failed: fact('Failed', (all) => effort(all.failed)),
  queries: fact('Queries', (all) => effort(all.queries)),
  modelCalls: fact('Model calls', (all) => effort(all.modelCalls)),
  meanObjective: fact('Objective at the end, mean', (all) => distance(all.finalObjective.mean)),
  medianObjective: fact('Objective at the end, median', (all) => distance(all.finalObjective.median)),
}

/** What the numbers of the tables mean. */
const reading =
  'Pixels go from 0 to 1: l₂ is the Euclidean length of the change, l₂² its square, l∞ the largest change of a pixel value. The best success is the one with the smallest distortion; the end is where the attack stopped.'

/** The statistics of one evaluation, and its account. */
export function statisticsSection({ report: { summary } }: AttackRun): Section {
  const columns: PageColumn<Statistic>[] = [
    { title: 'Over the images fooled', cell: ({ name }) => name },
    { title: 'Mean', numeric: true, cell: ({ of, as }) => as(of(summary).mean) },
    { title: 'Median', numeric: true, cell: ({ of, as }) => as(of(summary).median) },
  ]
  const counts = [
    fact('Screened', (all) => effort(all.looked)),
    fact('Attacked', (all) => effort(all.attacked)),
    fact('Fooled', (all) => effort(all.fooled)),
  ]
  const account = [...counts, ...Object.values(facts)].map(({ name, of }) => [name, of(summary)] as const)
  const content = html`<div class="pair"><div>${pageTable('Effort and distortion', columns, statistics)}</div>
<div>${factTable('Account', account)}</div></div>
<p class="remark">${reading}</p>`
  return { id: 'statistics', title: 'Statistics', content }
}

function statistic(name: string, short: string, of: Statistic['of'], as: Statistic['as'] = distance): Statistic {
  return { name, short, of, as }
}

function fact(name: string, of: (summary: AttackSummary) => Markup) {
  return { name, of }
}

type RunColumn = PageColumn<AttackRun>

/** The results of all methods in the same tables. */
export function comparisonSection(runs: readonly AttackRun[]): Section {
  const content = html`${table('Results of the methods', runs, outcomeColumns)}
${table('Means over the images each method fooled', runs, statisticColumns('mean'))}
${panelsOf(runs).map(commonTable)}
<p class="remark">${reading}</p>`
  return { id: 'comparison', title: 'Comparison', content, className: 'methods' }
}

/** The other half of the statistics, and what the methods cost. */
export function costSection(runs: readonly AttackRun[]): Section {
  const content = html`${table('Medians over the images each method fooled', runs, statisticColumns('median'))}
${table('Cost of the methods, and their objective at the end', runs, costColumns)}`
  return { id: 'further', title: 'Medians and cost', content, className: 'methods' }
}

/** A table of what each method alone was set to; nothing if nothing was. */
export function ownSettings(runs: readonly AttackRun[]): Markup | undefined {
  const names = [...new Set(runs.flatMap(({ settings = [] }) => settings.map(([name]) => name)))]
  if (names.length === 0) return undefined
  const settingOf = (run: AttackRun, name: string) => run.settings?.find(([each]) => each === name)?.[1] ?? '–'
  const columns = names.map((name): RunColumn => ({ title: name, cell: (run) => settingOf(run, name) }))
  return table('Settings of each method', runs, columns)
}

function table(caption: string, runs: readonly AttackRun[], columns: readonly RunColumn[]): Markup {
  const problem: RunColumn = { title: 'Problem', cell: (run) => run.problem }
  return pageTable(caption, [methodColumn, ...(panelsOf(runs).length > 1 ? [problem] : []), ...columns], runs)
}

const methodColumn: RunColumn = { title: 'Method', cell: ({ name, style }) => lineName(name, style) }

const outcomeColumns: readonly RunColumn[] = [
  column('Success rate', (summary) => shown.percent(summary.attackSuccessRate)),
  column('95\u00a0% interval', (summary) => successInterval(summary) ?? shown.percent(undefined)),
  column('Fooled', ({ fooled, attacked }) => `${countText(fooled)} of ${countText(attacked)}`),
  column(facts.saved.name, facts.saved.of),
  column(facts.kept.name, facts.kept.of),
  column('Robust accuracy', (summary) => shown.percent(summary.robustAccuracy)),
]

const { queries, modelCalls, skipped, failed, meanObjective, medianObjective } = facts
const costColumns: readonly RunColumn[] = [queries, modelCalls, skipped, failed, meanObjective, medianObjective].map(
  ({ name, of }) => column(name, of),
)

function column(title: string, cell: (summary: AttackSummary) => Piece): RunColumn {
  return { title, numeric: true, cell: ({ report }) => cell(report.summary) }
}

/** A table of many methods has no room for the lengths beside their squares. */
const compared = statistics.filter(({ short }) => !short.startsWith('l₂\u00a0'))

function statisticColumns(which: keyof MeanMedian): RunColumn[] {
  return compared.map(({ short, of, as }) => column(short, (summary) => as(of(summary)[which])))
}

/**
 * Means over different images cannot be compared: a method that fools the hard ones, too, looks worse for it. So this
 * table is over the images that every method of a panel fooled; there is none for a single method or shared perturbations.
 */
function commonTable({ title, runs }: Panel): Markup | undefined {
  if (runs.length < 2 || runs.some(({ report }) => report.universal !== null)) return undefined
  const common = commonlyFooled(runs)
  const where = title === '' ? '' : `, ${title}`
  if (common.size === 0) return remark(`No image was fooled by every method${where}.`)
  const images = counted(common.size, 'image')
  return pageTable(`Means over the ${images} that every method fooled${where}`, commonColumns(common), runs)
}

function commonColumns(common: ReadonlySet<number>): RunColumn[] {
  const mean = (title: string, of: (image: ImageRecord) => number | undefined, as = shown.distance): RunColumn => ({
    title,
    numeric: true,
    cell: ({ report }) => {
      const images = report.images.filter(({ index }) => common.has(index))
      return as(summarize(images.map((image) => of(image) ?? Number.NaN)).mean)
    },
  })
  const both = (when: string, of: (image: ImageRecord) => AttackPoint | null) => [
    mean(`l₂² ${when}`, (image) => of(image)?.l2sq),
    mean(`l∞ ${when}`, (image) => of(image)?.linf),
  ]
  return [
    methodColumn,
    mean('First success, iterations', ({ first }) => first?.iteration, shown.effort),
    mean('First success, queries', ({ first }) => first?.queries, shown.effort),
    ...both('first', ({ first }) => first),
    ...both('best', ({ best }) => best),
    ...both('end', ({ final }) => final),
  ]
}

function commonlyFooled(runs: readonly AttackRun[]): Set<number> {
  const sets = runs.map(
    ({ report }) => new Set(report.images.filter(({ status }) => status === 'fooled').map(({ index }) => index)),
  )
  return new Set([...(sets[0] ?? [])].filter((index) => sets.every((set) => set.has(index))))
}

export type ClassNames = readonly string[] | undefined

const mostImages = 2000
const mostOpenImages = 20
const mostLeftOut = 500
const mostOpenLeftOut = 12

/** Every image of every evaluation in a table; a long one unfolds when it is wanted. */
export function imagesSection(runs: readonly AttackRun[], classNames: ClassNames): Section {
  const [first, ...others] = runs
  const content =
    first !== undefined && others.length === 0
      ? imagesTable(first, classNames, 'Every image')
      : html`${runs.map((run) => {
          const heading = html`<h3>${lineName(run.name, run.style)} ${run.problem}</h3>`
          return html`${heading}${imagesTable(run, classNames, `Every image: ${run.name}, ${run.problem}`)}`
        })}`
  return { id: 'images', title: 'All images', content }
}

function imagesTable({ report: { images, universal } }: AttackRun, classNames: ClassNames, caption: string): Markup {
  if (images.length === 0) return html`<p>There are no images.</p>\n`
  const hasFailures = images.some(({ failedQueries }) => failedQueries > 0)
  const columns = imageColumns(classNames, universal !== null, hasFailures)
  const table = html`${pageTable(caption, columns, images.slice(0, mostImages))}
${remark('8-bit file: whether the picture fools the model as it was saved, with values rounded to 256 steps.')}
${moreThanShown(images.length - mostImages, 'are left out here; they count in everything else.')}`
  return unfolding(table, `${caption} (${countText(images.length)})`, images.length <= mostOpenImages)
}

function imageColumns(classNames: ClassNames, isUniversal: boolean, hasFailures: boolean): PageColumn<ImageRecord>[] {
  const seen = (index: MaybeNumber): string => classText(index, classNames)
  const number = (title: string, of: (image: ImageRecord) => MaybeNumber, as = shown.distance) => ({
    title,
    numeric: true,
    cell: (image: ImageRecord) => as(of(image)),
  })
  return [
    { title: 'Image', cell: imageTitle },
    { title: 'Status', cell: imageBadge },
    { title: 'Label', cell: ({ label }) => seen(label) },
    { title: 'Seen', cell: ({ predicted }) => seen(predicted) },
    { title: 'After', cell: (image) => seen(classAfter(image)) },
    // A shared perturbation has no queries of a single image.
    ...(isUniversal ? [] : [number('Queries', ({ queries }) => queries, shown.effort)]),
    ...(hasFailures ? [number('Failed queries', ({ failedQueries }) => failedQueries, shown.effort)] : []),
    number('First success', ({ first }) => first?.queries, shown.effort),
    number('l₂ first', ({ first }) => first?.l2),
    number('l₂ best', ({ best }) => best?.l2),
    number('l₂ end', ({ final }) => final?.l2),
    number('l∞ best', ({ best }) => best?.linf),
    number('l∞ end', ({ final }) => final?.linf),
    { title: '8-bit file', cell: ({ success8bit }) => savedText(success8bit) },
    { title: 'Ended', cell: ({ stopReason }) => stopReason ?? '–' },
  ]
}

function savedText(success8bit: boolean | null): string {
  if (success8bit === null) return '–'
  return success8bit ? 'fools' : 'does not fool'
}

/** An image that was not attacked, and by which methods. */
interface LeftOut {
  readonly image: ImageRecord
  readonly names: readonly string[]
}

/** The images that were skipped or could not be measured, each once with its reason; nothing if there are none. */
export function leftOutSection(runs: readonly AttackRun[], classNames: ClassNames): Section | undefined {
  const rows = leftOut(runs)
  if (rows.length === 0) return undefined
  const open = (['unfinished', 'unconfirmed'] as const).filter((status) =>
    rows.some(({ image }) => image.status === status),
  )
  const [first, second] = open
  const title =
    first === undefined
      ? 'Skipped and failed images'
      : `Skipped, failed${second === undefined ? '' : `, ${first}`} and ${second ?? first} images`
  const table = html`${pageTable(title, leftOutColumns(classNames, runs.length), rows.slice(0, mostLeftOut))}
${moreThanShown(rows.length - mostLeftOut, 'are not shown.')}`
  const content = unfolding(table, `All ${countText(rows.length)}`, rows.length <= mostOpenLeftOut)
  return { id: 'left-out', title, content }
}

function leftOut(runs: readonly AttackRun[]): LeftOut[] {
  const all = runs.flatMap(({ name, report }) => report.images.map((image) => ({ name, image })))
  const left = all.filter(({ image }) => image.status === 'skipped' || isUnmeasured(image))
  const groups = groupedBy(left, ({ image }) => JSON.stringify([image.index, image.status, image.reason]))
  return [...groups.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [{ image: first.image, names: [first, ...others].map(({ name }) => name) }],
  )
}

function leftOutColumns(classNames: ClassNames, runs: number): PageColumn<LeftOut>[] {
  const methods: PageColumn<LeftOut> = {
    title: 'Methods',
    cell: ({ names }) => (names.length === runs ? 'all' : someNames(names)),
  }
  return [
    { title: 'Image', cell: ({ image }) => imageTitle(image) },
    { title: 'Status', cell: ({ image }) => imageBadge(image) },
    { title: 'Label', cell: ({ image }) => classText(image.label, classNames) },
    { title: 'Seen', cell: ({ image }) => classText(image.predicted, classNames) },
    ...(runs > 1 ? [methods] : []),
    { title: 'Reason', cell: ({ image }) => html`<span class="reason">${shortened(image.reason ?? '–', 600)}</span>` },
  ]
}

/** Images of one evaluation; those beyond the open ones unfold when they are wanted. */
const mostCards = 60
const openImages = 9
/** Images of a comparison. */
const mostRows = 12
/** Characters of all pictures of a page: large pictures would make it unwieldy. */
const mostCharacters = 16_000_000

/** The pictures of the images that were attacked; nothing if there are none. */
export function gallerySection(runs: readonly AttackRun[], classNames: ClassNames): Section | undefined {
  const [first, ...others] = runs
  const content = first !== undefined && others.length === 0 ? cards(first, classNames) : comparedRows(runs, classNames)
  return content === undefined ? undefined : { id: 'gallery', title: 'Pictures', content }
}

/** The images of one evaluation: untouched, changed, and the change itself. */
function cards(run: AttackRun, classNames: ClassNames): Markup | undefined {
  const attacked = attackedImages(run).filter(({ files }) => files !== null)
  if (attacked.length === 0) return undefined
  const rank = (image: ImageRecord): number => (isShownFooled(image) ? 0 : image.status === 'robust' ? 2 : 1)
  const fooledFirst = [...attacked].sort((a, b) => rank(a) - rank(b))
  const shared = sharedPerturbation(run)
  const made: Markup[] = []
  let characters = 0
  for (const image of fooledFirst.slice(0, mostCards)) {
    const sources = sourcesOf(run, image)
    characters += Object.values(sources).reduce((sum, source) => sum + (source?.length ?? 0), 0)
    if (characters > mostCharacters && made.length > 0) break
    made.push(card(image, sources, classNames, shared === undefined))
  }
  const grid = (some: readonly Markup[]): Markup => html`<div class="gallery">${some}</div>\n`
  const more = made.slice(openImages)
  return html`${shared}${grid(made.slice(0, openImages))}
${more.length === 0 ? undefined : unfolding(grid(more), `${countText(more.length)} more`, false)}
${remark(cardsRemark(made.length, attacked.length))}`
}

/** The pictures of an image, as far as they are there. */
type Sources = Readonly<Partial<Record<keyof PictureFiles, string | undefined>>>

function sourcesOf({ pictures }: Pick<AttackRun, 'pictures'>, { files }: ImageRecord): Sources {
  const source = (file: string | undefined) => (file === undefined ? undefined : pictures?.(file))
  return {
    original: source(files?.original),
    adversarial: source(files?.adversarial),
    perturbation: source(files?.perturbation),
  }
}

/** Shown by the script of the page: without it, there is nothing to press. */
const enlarge = html`<button type="button" hidden="">Enlarge</button>`
const noPicture = html`<span class="missing">no picture</span>`

/** A picture with a line below it. */
function shot(source: string | undefined, said: string, name: string, text: string): Markup {
  return html`<div class="shot">${picture(source, said) ?? noPicture}${name}<b>${text}</b></div>`
}

function card(image: ImageRecord, sources: Sources, classNames: ClassNames, hasOwnChange: boolean): Markup {
  const before = classText(image.predicted ?? image.label, classNames)
  const after = classText(classAfter(image), classNames)
  const title = imageTitle(image)
  const fooled = isShownFooled(image)
  const { l2, linf } = changeOf(image)
  const target = image.target === null ? '' : ` (target ${classText(image.target, classNames)})`
  const distances = `l₂ ${distanceText(l2)}, l∞ ${distanceText(linf)}`
  const facts = [effortSentence(image), distances]
  const change = hasOwnChange
    ? shot(sources.perturbation, `The change of ${title}, scaled to be visible`, 'change', `± ${distanceText(linf)}`)
    : undefined
  return html`<figure data-pictures="${title}"><div class="shots${hasOwnChange ? '' : ' two'}">
${shot(sources.original, `${title}, untouched: ${before}`, 'original', before)}
${shot(sources.adversarial, `${title}, changed: ${after}`, fooled ? 'adversarial' : 'changed', after)}
${change}</div>
<figcaption>${enlarge}<strong>${title}</strong>${imageBadge(image)} ${fooled ? `${before} → ${after}` : `still ${after}`}${target}; ${facts.join('; ')}</figcaption></figure>\n`
}

function cardsRemark(shown: number, all: number): string {
  const some =
    shown < all ? `${countText(shown)} of ${countText(all)} images with pictures are shown, those fooled first. ` : ''
  return `${some}In the picture of a change, gray means no change; it is brighter where a value grows and darker where it shrinks, and white and black stand for the largest change, which is written below it.`
}

/** The picture of a perturbation that all images share, once. */
function sharedPerturbation(run: AttackRun): Markup | undefined {
  if (run.report.universal === null) return undefined
  const images = attackedImages(run).filter(({ files }) => files?.perturbation !== undefined)
  const [first] = images
  if (first === undefined || images.some(({ files }) => files?.perturbation !== first.files?.perturbation))
    return undefined
  const { perturbation } = sourcesOf(run, first)
  const largest = distanceText(changeOf(first).linf)
  return html`<div class="solo">${shot(perturbation, 'The perturbation of all images, scaled to be visible', 'change of all images', `± ${largest}`)}</div>\n`
}

/** An image as one of several methods changed it. */
interface Case {
  readonly run: AttackRun
  readonly image: ImageRecord
}

/** The same images as every method changed them. */
function comparedRows(runs: readonly AttackRun[], classNames: ClassNames): Markup | undefined {
  const cases = runs.flatMap((run) => attackedImages(run).map((image) => ({ run, image })))
  const pictured = cases.filter(({ run, image }) => run.pictures !== undefined && image.files !== null)
  const indices = [...new Set(pictured.map(({ image }) => image.index))].sort((a, b) => a - b)
  if (indices.length === 0) return undefined
  const rows = indices.slice(0, mostRows).map((index) => {
    const those = cases.filter(({ image }) => image.index === index)
    return comparedRow(those, classNames)
  })
  const some = `The first ${mostRows} of ${countText(indices.length)} images with pictures are shown.`
  // A few methods leave room for several images side by side.
  const look = runs.length <= 3 ? 'compared' : ''
  return html`<div class="${look}">${rows}</div>
${remark(indices.length > mostRows ? some : undefined)}`
}

function comparedRow(cases: readonly Case[], classNames: ClassNames): Markup {
  const [first] = cases
  if (first === undefined) return html``
  const title = imageTitle(first.image)
  const before = classText(first.image.predicted ?? first.image.label, classNames)
  const original = cases.map(({ run, image }) => sourcesOf(run, image).original).find((each) => each !== undefined)
  const hasProblems = new Set(cases.map(({ run }) => run.problem)).size > 1
  return html`<div data-pictures="${title}"><h3>${title}: ${before} ${enlarge}</h3>
<div class="row"><div class="shot"><span class="group">original</span>
${picture(original, `${title}, untouched: ${before}`) ?? noPicture}<b>${before}</b></div>
${cases.map((each) => methodShot(each, classNames, hasProblems))}</div></div>\n`
}

function methodShot({ run, image }: Case, classNames: ClassNames, hasProblems: boolean): Markup {
  const after = classText(classAfter(image), classNames)
  const fooled = isShownFooled(image)
  const lost = image.status === 'fooled' && !fooled ? html`${imageBadge(image)}<br/>` : undefined
  const said = `${imageTitle(image)}, changed by ${run.name}: ${after}`
  return html`<div class="shot">${lineName(run.name, run.style)}
${picture(sourcesOf(run, image).adversarial, said) ?? noPicture}<b>${fooled ? '→' : 'still'} ${after}</b>${lost}${hasProblems ? html`${run.problem}<br/>` : undefined}${countText(image.first?.queries ?? image.queries)} queries${fooled ? html`<br/>l₂ ${distanceText(changeOf(image).l2)}` : undefined}</div>`
}
