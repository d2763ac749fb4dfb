import { type Summary, summarize } from '../../core/statistics.ts'
import { reaches } from '../chart/curve.ts'
import { type StripScale, stripPlot, stripScale } from '../chart/strip-plot.ts'
import { html, type Markup } from '../markup.ts'
import { shown } from '../number-markup.ts'
import { countText, readableNumber } from '../number-text.ts'
import type { Section } from '../page/document.ts'
import { moreThanShown, type PageColumn, pageTable } from '../page/elements.ts'
import { shortNumber } from '../table.ts'
import { namedText, pointText, statusBadge, stopText } from './result.ts'
import {
  bestCurve,
  bestValue,
  isFinished,
  iterationsOf,
  queriesOf,
  type RunData,
  secondsOf,
  seedOf,
} from './run-data.ts'
import { groupName, isProvisional, leftOut, order, type RunGroup } from './run-groups.ts'

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
  const cost = pageTable('Cost of a run: medians over the runs of a group', costColumns(target), listed)
  const content = html`${pageTable(caption, repeated ? statisticsColumns(scale) : valueColumns(scale), listed)}
${repeated || target !== undefined ? cost : undefined}
${remarks(groups, repeated)}`
  return { id: 'comparison', title, content }
}

function statisticsColumns(scale: StripScale): PageColumn<RunGroup>[] {
  return [
    nameColumn,
    { title: 'Runs', numeric: true, cell: ({ counted }) => shown.count(counted.length) },
    statistic('Median', (value) => value.median),
    spreadColumn(scale),
    statistic('Mean', (value) => value.mean),
    statistic('Deviation', (value) => value.deviation),
    statistic('Best', (value) => value.smallest),
    statistic('Worst', (value) => value.largest),
  ]
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
    ? 'Deviation is the sample standard deviation. In the spread, each dot is a run, the stroke the median and the bar reaches from quartile to quartile; all rows share its axis.'
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
