import type { AttackSummary, MeanMedian } from '../../attacks/records.ts'
import { html, type Markup } from '../markup.ts'
import { shown } from '../number-text.ts'
import type { Section } from '../page/document.ts'
import { factTable, type PageColumn, pageTable } from '../page/table.ts'
import type { AttackRun } from './attack-run.ts'

/** A statistic over the images that were fooled. */
export interface Statistic {
  readonly name: string
  /** For the head of a narrow column. */
  readonly short: string
  readonly of: (summary: AttackSummary) => MeanMedian
  readonly as: (value: number) => Markup
}

const { effort, distance, percent } = shown

/** The statistics of an evaluation, in the order in which they are read. */
export const statistics: readonly Statistic[] = [
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
export const facts = {
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
export const reading =
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
