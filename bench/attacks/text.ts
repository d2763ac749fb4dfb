import { type Column, textTable } from '../../src/app/report/table.ts'
import type { CellSummary, Standing } from './summary.ts'
import { distanceText, shareText, type Verdict } from './verdicts.ts'

/** How the numbers are to be read. */
export const reading =
  'Every row that reaches the network is one query. A success is a query that is a picture (pixels from 0 to 1) inside the limit ' +
  'and that the network gets wrong, ties excluded, whether or not the attack noticed. Mean queries are over the runs that ' +
  'succeeded, those of all runs count the whole budget for one that did not. Medians of l2 are over all runs, those without a success ' +
  'infinitely far away; mean squares are at the end, over the runs that succeeded. Times the white-box limit: the geometric mean over images.'

/** A cell as a table. */
export function cellText(summary: CellSummary): string {
  return `${cellTitle(summary)}\n${textTable(summary.standings, cellColumns(summary))}`
}

/** The name of a cell, and how much was run. */
export function cellTitle({ cell, images }: CellSummary): string {
  return `${cell.title}, ${cell.budget.toLocaleString('en')} queries (${images} images)`
}

/** The goals as a table. */
export function goalsText(method: string, list: readonly Verdict[]): string {
  return `Goals for ${method}\n${textTable(list, goalColumns)}`
}

/** The columns of the table of goals. */
export const goalColumns: readonly Column<Verdict>[] = [
  { title: 'goal', cell: ({ what }) => what },
  { title: 'aim', align: 'right', cell: ({ goal }) => goal },
  { title: 'measured', align: 'right', cell: ({ measured }) => measured },
  { title: 'met', cell: ({ met }) => (met === undefined ? '-' : met ? 'yes' : 'NO') },
  { title: 'best peer', align: 'right', cell: ({ peer }) => peer },
]

/** The columns of a cell: success and queries where there is a limit, distances where the nearest success is wanted. */
export function cellColumns({ cell }: CellSummary): readonly Column<Standing>[] {
  const isLimited = cell.limit !== undefined
  const queries = [
    number('mean queries', ({ firstQueries }) => firstQueries.toFixed(0)),
    number('all runs', ({ cappedQueries }) => cappedQueries.toFixed(0)),
  ]
  const distances = [
    number('mean square', ({ square }) => distanceText(square)),
    number('x white box', ({ ratio }) => ratio.toFixed(2)),
  ]
  return [
    { title: 'method', cell: ({ solver }) => solver },
    { title: 'success', align: 'right', cell: ({ success, images }) => shareText(success, images) },
    ...(isLimited ? queries : []),
    ...cell.checkpoints.slice(0, isLimited ? -1 : undefined).map((queries, i) => checkpoint(queries, i, isLimited)),
    ...(isLimited ? [] : distances),
    { title: 'runs', align: 'right', cell: ({ runs }) => String(runs) },
    { title: 'seeds', align: 'right', cell: ({ seeds }) => String(seeds) },
    { title: 's/run', align: 'right', cell: ({ seconds }) => seconds.toFixed(1) },
    { title: 'failed', align: 'right', cell: ({ failed }) => String(failed) },
    { title: 'version', cell: ({ version }) => version },
  ]
}

/** A column of numbers; a dash where there is none. */
function number(title: string, text: (standing: Standing) => string): Column<Standing> {
  return { title, align: 'right', cell: (standing) => text(standing).replace('NaN', '-') }
}

function checkpoint(queries: number, i: number, isLimited: boolean): Column<Standing> {
  const at = queries.toLocaleString('en')
  return {
    title: isLimited ? `within ${at}` : `l2 at ${at}`,
    align: 'right',
    cell: ({ at: reached, images }) => {
      const { success, l2 } = reached[i] as Standing['at'][number]
      return isLimited ? shareText(success, images) : distanceText(l2)
    },
  }
}
