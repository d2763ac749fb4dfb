import { type Column, shortNumber } from '../report/table.ts'
import type { ListedRun } from '../work/status.ts'

/** What every table of runs begins with. */
export const runColumns: readonly Column<ListedRun>[] = [
  { title: 'run', cell: ({ run }) => run },
  { title: 'status', cell: ({ status }) => status },
  { title: 'queries', align: 'right', cell: ({ queries }) => queries?.toLocaleString('en') ?? '' },
  {
    title: 'best',
    align: 'right',
    cell: ({ best }) => (best === undefined || Number.isNaN(best) ? '' : shortNumber(best)),
  },
]
