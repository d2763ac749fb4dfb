import type { AttackSummary, MeanMedian } from '../../attacks/records.ts'
import { html, type Markup, type Piece } from '../markup.ts'
import { factTable, type PageColumn, pageTable } from '../page/table.ts'
import type { AttackRun } from './attack-run.ts'
import { dashed } from './dashed.ts'

/** A statistic over the images that were fooled. */
export interface Statistic {
  readonly name: string
  /** For the head of a narrow column. */
  readonly short: string
  readonly of: (summary: AttackSummary) => MeanMedian
  readonly as: (value: number) => Markup
}

/** The statistics of an evaluation, in the order in which they are read. */
export const statistics: readonly Statistic[] = [
  {
    name: 'Iterations to first success',
    short: 'First success, iterations',
    of: (summary) => summary.firstSuccessIterations,
    as: dashed.effort,
  },
  {
    name: 'Queries to first success',
    short: 'First success, queries',
    of: (summary) => summary.firstSuccessQueries,
    as: dashed.effort,
  },
  {
    name: 'l₂² at first success',
    short: 'l₂²\u00a0first',
    of: (summary) => summary.firstSuccessL2sq,
    as: dashed.distance,
  },
  { name: 'l₂² at best success', short: 'l₂²\u00a0best', of: (summary) => summary.bestL2sq, as: dashed.distance },
  { name: 'l₂² at the end', short: 'l₂²\u00a0end', of: (summary) => summary.finalL2sq, as: dashed.distance },
  { name: 'l₂ at first success', short: 'l₂\u00a0first', of: (summary) => summary.firstSuccessL2, as: dashed.distance },
  { name: 'l₂ at best success', short: 'l₂\u00a0best', of: (summary) => summary.bestL2, as: dashed.distance },
  { name: 'l₂ at the end', short: 'l₂\u00a0end', of: (summary) => summary.finalL2, as: dashed.distance },
  {
    name: 'l∞ at first success',
    short: 'l∞\u00a0first',
    of: (summary) => summary.firstSuccessLinf,
    as: dashed.distance,
  },
  { name: 'l∞ at best success', short: 'l∞\u00a0best', of: (summary) => summary.bestLinf, as: dashed.distance },
  { name: 'l∞ at the end', short: 'l∞\u00a0end', of: (summary) => summary.finalLinf, as: dashed.distance },
]

/** What the numbers of the tables mean. */
export const reading =
  'Pixels go from 0 to 1: l₂ is the Euclidean length of the change, l₂² its square, l∞ the largest change of a pixel value. The best success is the one with the smallest distortion; the end is where the attack stopped.'

/** The statistics of one evaluation, and its account. */
export function statisticsSection({ report: { summary } }: AttackRun): Markup {
  const columns: PageColumn<Statistic>[] = [
    { title: 'Over the images fooled', cell: ({ name }) => name },
    { title: 'Mean', numeric: true, cell: ({ of, as }) => as(of(summary).mean) },
    { title: 'Median', numeric: true, cell: ({ of, as }) => as(of(summary).median) },
  ]
  return html`<section aria-labelledby="statistics"><h2 id="statistics">Statistics</h2>
<div class="pair"><div>${pageTable('Effort and distortion', columns, statistics)}</div>
<div>${factTable('Account', account(summary))}</div></div>
<p class="remark">${reading}</p></section>\n`
}

function account(summary: AttackSummary): (readonly [Piece, Piece])[] {
  return [
    ['images compared with their label', dashed.effort(summary.looked)],
    ['attacked', dashed.effort(summary.attacked)],
    ['fooled', dashed.effort(summary.fooled)],
    ['of those attacked, fooled by the 8-bit picture saved', dashed.percent(summary.success8bit)],
    ['of those fooled, still so at the end', dashed.percent(summary.kept)],
    ['skipped', dashed.effort(summary.skipped)],
    ['failed', dashed.effort(summary.failed)],
    ['queries', dashed.effort(summary.queries)],
    ['model calls', dashed.effort(summary.modelCalls)],
    ['objective at the end, mean', dashed.distance(summary.finalObjective.mean)],
    ['objective at the end, median', dashed.distance(summary.finalObjective.median)],
  ]
}
