import type { AttackPoint, AttackSummary, ImageRecord, MeanMedian } from '../../attacks/records.ts'
import { summarize } from '../../core/statistics.ts'
import { html, type Markup, type Piece } from '../markup.ts'
import { shown } from '../number-markup.ts'
import { counted, countText } from '../number-text.ts'
import type { Section } from '../page/document.ts'
import { factTable, lineName, type PageColumn, pageTable, remark } from '../page/elements.ts'
import { type AttackRun, type Panel, panelsOf } from './attack-run.ts'
import { intervalText } from './result.ts'

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

/** A table of what each method alone was set to; nothing where nothing was. */
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
  column('95\u00a0% interval', (summary) => intervalText(summary) ?? shown.percent(undefined)),
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
