import { openRowStore, type RowStore } from '../row-store.ts'
import type { Account } from './tracker.ts'

/** Which run it is. */
export interface RowKey {
  readonly cell: string
  readonly solver: string
  readonly seed: number
  /** The number of the image in its data set. */
  readonly image: number
  readonly budget: number
}

/** One run as it is kept: a line of JSON. */
export interface Row extends RowKey, Account {
  readonly own: boolean
  /** The package of the method, and which one. */
  readonly version: string
  readonly seconds: number
  /** How it ended in its own words; begins with `failed` where it broke down. */
  readonly note: string
}

/** The runs of attacks on disk. */
export type AttackRows = RowStore<RowKey, Row>

/** Opens the folder of runs. */
export function openRows(folder: string): AttackRows {
  return openRowStore(folder, { extension: 'jsonl', keyOf, lineOf: rowLine, parse: parseRows })
}

function keyOf({ cell, solver, seed, image, budget }: RowKey): string {
  return [cell, solver, seed, image, budget].join(' ')
}

/** A run as a line; distances have six digits, and one that is missing is null. */
export function rowLine(row: Row): string {
  const best = row.best.map((l2) => (l2 === undefined ? null : Number(l2.toPrecision(6))))
  return JSON.stringify({ ...row, first: row.first ?? null, best })
}

/** The lines of a file as runs. */
export function parseRows(text: string, file: string): Row[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line, i) => parseRow(line, `${file}, line ${i + 1}`))
}

function parseRow(line: string, where: string): Row {
  const row = parsed(line) as { first: number | null; best: (number | null)[] } & Omit<Row, 'first' | 'best'>
  if (!Array.isArray(row?.best)) throw new Error(`${where}: no row of this benchmark; move the file away`)
  return { ...row, first: row.first ?? undefined, best: row.best.map((l2) => l2 ?? undefined) }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
