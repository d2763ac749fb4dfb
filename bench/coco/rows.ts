import { openRowStore, type RowStore } from '../row-store.ts'
import type { Account, ProblemKey } from './problems.ts'

/** One run on one problem. */
export interface CocoRow extends ProblemKey, Account {
  readonly solver: string
  readonly ours: boolean
  readonly budget: number
}

type RowKey = Pick<CocoRow, 'solver' | 'budget' | keyof ProblemKey>

/** The runs on disk. */
export type CocoRows = RowStore<RowKey, CocoRow>

/** Opens the folder of runs. */
export function openCocoRows(folder: string): CocoRows {
  return openRowStore<RowKey, CocoRow>(folder, {
    extension: 'jsonl',
    keyOf: ({ solver, suite, dim, function: number, instance, budget }) =>
      [solver, suite, dim, number, instance, budget].join(' '),
    lineOf: (row) => JSON.stringify(row),
    parse: (text) =>
      text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as CocoRow),
  })
}
