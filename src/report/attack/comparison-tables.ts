import type { AttackSummary, MeanMedian } from '../../attacks/records.ts'
import { html, type Markup } from '../markup.ts'
import { countText } from '../number-text.ts'
import { groupName } from '../page/group-name.ts'
import { type PageColumn, pageTable } from '../page/table.ts'
import { type AttackRun, panelsOf } from './attack-run.ts'
import { commonTable } from './common-table.ts'
import { dashed, percentText } from './dashed.ts'
import { reading, statistics } from './statistics.ts'

/** All methods in the same tables: how they fared. */
export function comparisonTables(runs: readonly AttackRun[]): Markup {
  return html`<section class="methods" aria-labelledby="comparison"><h2 id="comparison">Comparison</h2>
${table('How the methods fared', runs, outcomeColumns)}
${table('Means over the images each method fooled', runs, statisticColumns('mean'))}
${panelsOf(runs).map(commonTable)}
<p class="remark">${reading}</p></section>\n`
}

/** A table of many methods has no room for the lengths beside their squares. */
const compared = statistics.filter(({ short }) => !short.startsWith('l₂\u00a0'))

/** The other half of the statistics, and what the methods cost. */
export function furtherTables(runs: readonly AttackRun[]): Markup {
  return html`<section class="methods" aria-labelledby="further"><h2 id="further">Medians and cost</h2>
${table('Medians over the images each method fooled', runs, statisticColumns('median'))}
${table('What the methods cost, and where they ended', runs, costColumns)}</section>\n`
}

/** The columns that say which method a row is about. */
export function nameColumns(runs: readonly AttackRun[]): PageColumn<AttackRun>[] {
  const method: PageColumn<AttackRun> = {
    title: 'Method',
    cell: ({ name, style }) => groupName({ label: name, style }),
  }
  const problem: PageColumn<AttackRun> = { title: 'Problem', cell: (run) => run.problem }
  return panelsOf(runs).length > 1 ? [method, problem] : [method]
}

function table(caption: string, runs: readonly AttackRun[], columns: readonly PageColumn<AttackRun>[]): Markup {
  return pageTable(caption, [...nameColumns(runs), ...columns], runs)
}

const outcomeColumns: readonly PageColumn<AttackRun>[] = [
  column('Success rate', (summary) => dashed.percent(summary.attackSuccessRate)),
  column('95\u00a0% interval', ({ attackSuccessInterval: [low, high] }) =>
    Number.isFinite(low) && Number.isFinite(high)
      ? html`${percentText(low)} to ${percentText(high)}`
      : dashed.percent(Number.NaN),
  ),
  column('Fooled', ({ fooled, attacked }) => html`${countText(fooled)} of ${countText(attacked)}`),
  column('Fooled by the 8-bit picture', (summary) => dashed.percent(summary.success8bit)),
  column('Still fooled at the end', (summary) => dashed.percent(summary.kept)),
  column('Robust accuracy', (summary) => dashed.percent(summary.robustAccuracy)),
]

const costColumns: readonly PageColumn<AttackRun>[] = [
  column('Queries', (summary) => dashed.effort(summary.queries)),
  column('Model calls', (summary) => dashed.effort(summary.modelCalls)),
  column('Skipped', (summary) => dashed.effort(summary.skipped)),
  column('Failed', (summary) => dashed.effort(summary.failed)),
  column('Objective at the end, mean', (summary) => dashed.distance(summary.finalObjective.mean)),
  column('Objective at the end, median', (summary) => dashed.distance(summary.finalObjective.median)),
]

function column(title: string, cell: (summary: AttackSummary) => Markup): PageColumn<AttackRun> {
  return { title, numeric: true, cell: ({ report }) => cell(report.summary) }
}

function statisticColumns(which: keyof MeanMedian): PageColumn<AttackRun>[] {
  return compared.map(({ short, of, as }) => column(short, (summary) => as(of(summary)[which])))
}
