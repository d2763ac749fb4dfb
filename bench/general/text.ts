import { type Column, textTable } from '../../src/app/report/table.ts'
import { type GroupSummary, type Standing, tableCells } from './summary.ts'
import { accuracyText, remainderText, shareText, type Verdict } from './verdicts.ts'

/** How the cells of tables are to be read. */
export const reading =
  'Shares of problems solved to accuracy tau @ k simplex gradients (d + 1 queries each): by any query / by the point with the ' +
  'lowest answer so far / by the point that a run with exactly this budget reports (run with --budget k; - if it was not).'

/** A group as a table. */
export function groupText(summary: GroupSummary): string {
  return `${groupTitle(summary)}\n${textTable(summary.standings, groupColumns(summary))}`
}

/** The name of a group, and how many problems it has. */
export function groupTitle({ title, problems }: GroupSummary): string {
  return `${title} (${problems} problems)`
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
  { title: 'best peer', align: 'right', cell: ({ peer }) => peer },
  { title: 'met', cell: ({ met }) => (met === undefined ? '-' : met ? 'yes' : 'NO') },
]

/** The columns of a group: shares where problems are small, what is left of the way where they are large. */
export function groupColumns({ group, standings }: GroupSummary): readonly Column<Standing>[] {
  const isLarge = group.startsWith('large')
  return [
    { title: 'method', cell: ({ solver }) => solver },
    ...(isLarge ? remainderColumns(standings) : shareColumns()),
    { title: 'n', align: 'right', cell: ({ problems }) => String(problems) },
    { title: 'seeds', align: 'right', cell: ({ seeds }) => String(seeds) },
    { title: 'us/query', align: 'right', cell: ({ microseconds }) => microseconds.toFixed(1) },
    { title: 'outside', align: 'right', cell: ({ outside }) => String(outside) },
    { title: 'failed', align: 'right', cell: ({ failed }) => String(failed) },
  ]
}

function shareColumns(): Column<Standing>[] {
  return tableCells.map(([tau, k], i) => ({
    title: `${accuracyText(tau)}@${k}`,
    align: 'right',
    cell: ({ cells }) => {
      const { any, seen, reported } = cells[i] as Standing['cells'][number]
      return [any, seen, reported].map(shareText).join('/')
    },
  }))
}

function remainderColumns(standings: readonly Standing[]): Column<Standing>[] {
  const problems = [...new Set(standings.flatMap(({ remainders }) => Object.keys(remainders)))]
  return problems.map((problem) => ({
    title: problem,
    align: 'right',
    cell: ({ remainders }) => {
      const left = remainders[problem]
      return `${remainderText(left?.best)} / ${remainderText(left?.reported)}`
    },
  }))
}
