import { type Summary, summarize } from '../../../optimizer/core/statistics.ts'
import { type ChartLine, convergenceChart, type LineText } from '../chart/charts.ts'
import { bandCurve, type Curve, reaches, thinCurve } from '../chart/curve.ts'
import { html, type Markup } from '../markup.ts'
import { countText, readableNumber, secondsText } from '../number-text.ts'
import {
  type Figure,
  figuresMarkup,
  moreThanShown,
  type PageColumn,
  pageTable,
  remark,
  type Section,
  shown,
} from '../page/elements.ts'
import { type CurveStyle, distinctStyles } from '../palette.ts'
import { shortNumber } from '../table.ts'
import { medianInterval, pText } from '../verdict.ts'
import { namedText, pointText, statusBadge, stopText } from './result.ts'
import {
  bestCurve,
  bestValue,
  groupName,
  groupVerdicts,
  hasLuckyAnswers,
  isFinished,
  isProvisional,
  iterationsOf,
  leftOut,
  order,
  type Progress,
  queriesOf,
  type RunData,
  type RunGroup,
  secondsOf,
  seedOf,
  valueCurve,
} from './runs.ts'

const mostBins = 240
/** Points in all lines of a figure, about: more would only make the page heavy. */
const mostPoints = 10_000
/** Groups that are drawn: the best ones. */
const mostDrawn = 60

/** Best value against queries and against time, as far as there is something to draw. */
export function convergenceFigures(all: readonly RunGroup[], target: number | undefined, document: Document): Figure[] {
  const groups = all.slice(0, mostDrawn)
  return (['queries', 'seconds'] as const).flatMap((progress) => figureOf(groups, progress, target, document))
}

/** The figures of convergence, and how to read them. */
export function convergenceSection(groups: readonly RunGroup[], figures: readonly Figure[]): Section {
  const drawn = groups.slice(0, mostDrawn)
  const remarks = [explanation(drawn), lucky(drawn), thinned(drawn), undrawn(groups.length - mostDrawn)]
  const content = html`${figuresMarkup(figures, 'No iteration has brought a value yet.')}${remarks.map(remark)}`
  return { id: 'convergence', title: 'Convergence', content }
}

function figureOf(
  groups: readonly RunGroup[],
  progress: Progress,
  target: number | undefined,
  document: Document,
): Figure[] {
  const unit = progress === 'queries' ? { label: 'queries', size: 1 } : timeUnit(groups)
  const lines = linesOf(groups, progress, unit.size)
  if (!lines.some(({ curve }) => (curve.x.at(-1) ?? 0) > 0)) return []
  const against = progress === 'queries' ? 'queries' : 'time'
  const id = `convergence-${against}`
  const text: LineText = {
    document,
    id,
    title: `Best value against ${against}`,
    description: descriptionOf(lines, progress, unit.size),
    xLabel: unit.label,
    yLabel: 'best value so far',
    target,
    others: groups.length > distinctStyles ? `${groups.length - distinctStyles} more` : undefined,
  }
  return [{ file: id, chart: convergenceChart(lines, text), caption: text.title }]
}

function linesOf(groups: readonly RunGroup[], progress: Progress, unit: number): ChartLine[] {
  const [group] = groups
  const [run] = group?.counted ?? []
  const alone = groups.length === 1 && group?.counted.length === 1 && run !== undefined
  const bins = Math.min(mostBins, Math.ceil(mostPoints / groups.length / 4))
  const lines = alone ? soloLines(run, progress) : groups.map((each) => groupLine(each, progress, bins))
  return lines
    .filter(({ curve }) => curve.x.length > 0)
    .map((line) => ({ ...line, curve: { ...line.curve, x: line.curve.x.map((x) => x / unit) } }))
}

/** A run on its own also shows how its value went up and down. */
function soloLines(run: RunData, progress: Progress): ChartLine[] {
  const best = thinCurve(bestCurve(run, progress), mostBins)
  const value = thinCurve(valueCurve(run, progress), mostBins)
  return [
    { label: 'best so far', style: { color: 'var(--c1)' }, curve: best },
    { label: 'value at each iteration', style: { color: 'var(--muted)' }, curve: value, faint: true },
  ]
}

function groupLine({ label, style, counted }: RunGroup, progress: Progress, bins: number): ChartLine {
  const curves = counted.map((run) => bestCurve(run, progress)).filter(({ x }) => x.length > 0)
  const [only] = curves
  const curve = curves.length === 1 && only !== undefined ? thinCurve(only, bins) : bandCurve(curves, bins)
  return { label, style, curve }
}

function timeUnit(groups: readonly RunGroup[]): { label: string; size: number } {
  const ends = groups.flatMap(({ counted }) => counted.map((run) => bestCurve(run, 'seconds').x.at(-1) ?? 0))
  const longest = Math.max(...ends)
  if (longest < 1) return { label: 'milliseconds', size: 1e-3 }
  if (longest < 180) return { label: 'seconds', size: 1 }
  if (longest < 3 * 3600) return { label: 'minutes', size: 60 }
  return longest < 3 * 86400 ? { label: 'hours', size: 3600 } : { label: 'days', size: 86400 }
}

function descriptionOf(lines: readonly ChartLine[], progress: Progress, unit: number): string {
  const at = (x: number): string => (progress === 'queries' ? `${countText(x)} queries` : secondsText(x * unit))
  const sentences = lines
    .filter(({ faint }) => faint !== true)
    .slice(0, distinctStyles)
    .map(({ label, curve }) => `${label}: ${ends(curve, at)}.`)
  return sentences.join(' ')
}

function ends({ x, y }: Curve, at: (x: number) => string): string {
  const [fromX = 0, fromY = 0, toX = 0, toY = 0] = [x[0], y[0], x.at(-1), y.at(-1)]
  return `from ${readableNumber(fromY)} after ${at(fromX)} to ${readableNumber(toY)} after ${at(toX)}`
}

function explanation(groups: readonly RunGroup[]): string | undefined {
  if (!groups.some(({ counted }) => counted.length > 1)) return undefined
  return 'Lines are medians over the runs of a group, bands reach from the lower to the upper quartile. A run that has ended keeps its last value.'
}

function lucky(groups: readonly RunGroup[]): string | undefined {
  if (!groups.some(({ counted }) => counted.some(hasLuckyAnswers))) return undefined
  return 'Answers vary here: before its end, a line shows the lowest single answer so far, which is too low by luck. The result is the answer at the point that the method chose, asked again.'
}

function thinned(groups: readonly RunGroup[]): string | undefined {
  const runs = groups.flatMap(({ counted }) => counted)
  const drawn = runs.reduce((sum, { trace }) => sum + trace.iteration.length, 0)
  const total = runs.reduce((sum, { trace, traceLength }) => sum + (traceLength ?? trace.iteration.length), 0)
  if (total <= drawn) return undefined
  return `The figures show ${countText(drawn)} of ${countText(total)} iterations: the first, last, lowest and highest of each stretch of a long run.`
}

function undrawn(count: number): string | undefined {
  if (count <= 0) return undefined
  return `Only the best ${mostDrawn} groups are drawn; ${countText(count)} more are in the tables.`
}

/** A run, and the group it is in. */
interface Row {
  readonly run: RunData
  readonly group: RunGroup
}

const mostGroups = 300
const mostRows = 500
const shownEntries = 3

/** The groups by the value they are ranked by, best first, and what they cost. */
export function comparison(groups: readonly RunGroup[], target: number | undefined): Section {
  const scale = stripScale(groups.flatMap(({ counted }) => counted.map(bestValue)))
  const repeated = groups.some(({ counted }) => counted.length > 1)
  const listed = groups.slice(0, mostGroups)
  const title = groups.length > 1 ? 'Comparison' : 'Statistics over seeds'
  const caption = repeated ? 'Best value of each run, over the runs of a group' : 'Best value of each run'
  const { texts, p } = groupVerdicts(groups)
  const cost = pageTable('Cost of a run: medians over the runs of a group', costColumns(target), listed)
  const content = html`${texts.map((text) => html`<p>${text}</p>\n`)}${pageTable(caption, repeated ? statisticsColumns(scale, p) : valueColumns(scale), listed)}
${repeated || target !== undefined ? cost : undefined}
${remarks(groups, repeated)}`
  return { id: 'comparison', title, content }
}

function statisticsColumns(scale: StripScale, p: ReadonlyMap<RunGroup, number>): PageColumn<RunGroup>[] {
  const against: PageColumn<RunGroup> = {
    title: 'Against the best',
    numeric: true,
    cell: (group) => {
      const each = p.get(group)
      return each === undefined ? '–' : pText(each)
    },
  }
  return [
    nameColumn,
    { title: 'Runs', numeric: true, cell: ({ counted }) => shown.count(counted.length) },
    statistic('Median', (value) => value.median),
    { title: '95\u00a0% interval of the median', numeric: true, cell: medianRange },
    ...(p.size > 0 ? [against] : []),
    spreadColumn(scale),
    statistic('Mean', (value) => value.mean),
    statistic('Deviation', (value) => value.deviation),
    statistic('Best', (value) => value.smallest),
    statistic('Worst', (value) => value.largest),
  ]
}

/** Where the median lies that many more runs would have. */
function medianRange({ counted }: RunGroup): string {
  const range = medianInterval(counted.map(bestValue))
  return range === undefined ? '–' : `${readableNumber(range[0])} to ${readableNumber(range[1])}`
}

/** Where every group is a single run, statistics would say the same number four times. */
function valueColumns(scale: StripScale): PageColumn<RunGroup>[] {
  return [nameColumn, statistic('Best value', (value) => value.median), spreadColumn(scale)]
}

const nameColumn: PageColumn<RunGroup> = { title: 'Group', cell: groupName }

function statistic(title: string, of: (value: Summary) => number): PageColumn<RunGroup> {
  return { title, numeric: true, cell: ({ value }) => shown.value(of(value)) }
}

function spreadColumn(scale: StripScale): PageColumn<RunGroup> {
  return {
    title: 'Spread',
    cell: ({ counted, value, style }) => stripPlot(counted.map(bestValue), value, scale, style),
  }
}

function costColumns(target: number | undefined): PageColumn<RunGroup>[] {
  const median = (
    title: string,
    of: (run: RunData) => number,
    as: (value: number) => Markup,
  ): PageColumn<RunGroup> => ({
    title,
    numeric: true,
    cell: ({ counted }) => as(summarize(counted.map(of)).median),
  })
  const columns = [
    nameColumn,
    median('Queries', queriesOf, shown.count),
    median('Iterations', iterationsOf, shown.count),
    median('Time', secondsOf, shown.duration),
    median('Failed queries', ({ result }) => result?.failures.count ?? Number.NaN, shown.count),
  ]
  return target === undefined ? columns : [...columns, ...targetColumns(target)]
}

function targetColumns(target: number): PageColumn<RunGroup>[] {
  const queries = ({ counted }: RunGroup): number[] =>
    counted.map((run) => reaches(bestCurve(run, 'queries'), target)).filter((each) => !Number.isNaN(each))
  return [
    {
      title: `Reached ${readableNumber(target)}`,
      numeric: true,
      cell: (group) => `${countText(queries(group).length)} of ${countText(group.counted.length)}`,
    },
    { title: 'after queries', numeric: true, cell: (group) => shown.count(summarize(queries(group)).median) },
  ]
}

function remarks(groups: readonly RunGroup[], repeated: boolean): Markup {
  const notes = groups.flatMap((group) => {
    const out = leftOut(group)
    if (isProvisional(group)) return [`${group.label}: not finished, these are the values so far.`]
    return out > 0 ? [`${group.label}: ${unfinished(out)} left out.`] : []
  })
  if (groups.length > mostGroups)
    notes.push(`Only the best ${mostGroups} of ${countText(groups.length)} groups are listed.`)
  const list =
    notes.length === 0 ? undefined : html`<ul class="remark">\n${notes.map((note) => html`<li>${note}</li>\n`)}</ul>`
  const sorted = groups.length > 1 ? `Sorted by ${repeated ? groups[0]?.ranking : 'best value'}. ` : ''
  const reading = repeated
    ? 'Deviation is the sample standard deviation; the interval of the median needs six runs. In the spread, each dot is a run, the stroke the median and the bar reaches from quartile to quartile; all rows share its axis.'
    : 'In the spread, all rows share one axis.'
  return html`${list}<p class="remark">${sorted}${reading}</p>\n`
}

function unfinished(count: number): string {
  return count === 1 ? '1 run did not finish and is' : `${countText(count)} runs did not finish and are`
}

/** Every run by itself, best first. */
export function runsTable(groups: readonly RunGroup[]): Section {
  const rows = groups
    .flatMap((group) => group.runs.map((run) => ({ run, group })))
    .sort((a, b) => order(bestValue(a.run), bestValue(b.run)))
  const content = html`${pageTable('Every run, best first', runColumns(groups.length > 1), rows.slice(0, mostRows))}
${moreThanShown(rows.length - mostRows, 'are left out here; they count in everything above.')}`
  return { id: 'runs', title: 'Runs', content }
}

function runColumns(grouped: boolean): PageColumn<Row>[] {
  const all: PageColumn<Row>[] = [
    { title: 'Run', cell: ({ run }) => run.name },
    { title: 'Best value', numeric: true, cell: ({ run }) => shown.value(bestValue(run)) },
    { title: 'Group', cell: ({ group }) => groupName(group) },
    { title: 'Seed', numeric: true, cell: ({ run }) => seedOf(run) },
    { title: 'Queries', numeric: true, cell: ({ run }) => shown.count(queriesOf(run)) },
    { title: 'Iterations', numeric: true, cell: ({ run }) => shown.count(iterationsOf(run)) },
    { title: 'Time', numeric: true, cell: ({ run }) => shown.duration(secondsOf(run)) },
    { title: 'Ended', cell: ({ run }) => (isFinished(run) ? stopText(run) : statusBadge(run)) },
    { title: 'Best point', cell: ({ run }) => html`<span class="point">${point(run)}</span>` },
  ]
  return all.filter(({ title }) => grouped || title !== 'Group')
}

function point({ result }: RunData): string | undefined {
  if (result === undefined) return undefined
  const { point, variables } = result
  return variables === undefined
    ? pointText(point, shownEntries, shortNumber)
    : namedText(variables, shownEntries, shortNumber)
}

/** Where values lie on the common axis of all strips, from 0 to 1. */
export type StripScale = (value: number) => number

const width = 150
const height = 20
const pad = 5

/** The axis for all values of a table: logarithmic if they are positive and differ much. */
export function stripScale(values: readonly number[]): StripScale {
  const finite = values.filter(Number.isFinite)
  const low = finite.reduce((a, b) => Math.min(a, b), Infinity)
  const high = finite.reduce((a, b) => Math.max(a, b), -Infinity)
  const onAxis = low > 0 && high / low >= 10 ? Math.log : (value: number) => value
  const length = onAxis(high) - onAxis(low)
  return (value) => (length > 0 && Number.isFinite(length) ? (onAxis(value) - onAxis(low)) / length : 0.5)
}

/** A dot per value, a bar from quartile to quartile and a stroke at the median. */
export function stripPlot(
  values: readonly number[],
  summary: { readonly lowerQuartile: number; readonly median: number; readonly upperQuartile: number },
  scale: StripScale,
  { color }: CurveStyle,
): Markup {
  const finite = values.filter(Number.isFinite)
  if (finite.length === 0) return html``
  const x = (value: number): string => (pad + scale(value) * (width - 2 * pad)).toFixed(1)
  const dots = [...new Set(finite.map(x))].map((at) => html`<circle cx="${at}" cy="10" r="2.6"/>`)
  const { lowerQuartile, median, upperQuartile } = summary
  const bar = [lowerQuartile, median, upperQuartile].every(Number.isFinite)
    ? html`<line x1="${x(lowerQuartile)}" x2="${x(upperQuartile)}" y1="10" y2="10" stroke-width="9" opacity="0.25"/><line x1="${x(median)}" x2="${x(median)}" y1="3" y2="17" stroke-width="2"/>`
    : undefined
  const label = `${finite.length} values, median ${readableNumber(median)}`
  return html`<svg class="strip" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${label}"><g fill="${color}" fill-opacity="0.75" stroke="none">${dots}</g><g stroke="${color}">${bar}</g></svg>`
}
