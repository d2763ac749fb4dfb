import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
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

/** Runs on disk, one file per solver: what is there is not run again, and processes may share the folder. */
export interface RowStore {
  readonly rows: readonly Row[]
  has(key: RowKey): boolean
  add(row: Row): void
  /** Forgets the rows that a test matches. */
  remove(matches: (row: Row) => boolean): void
}

/** Opens the folder; a last line that was cut off is dropped. */
export function openRows(folder: string): RowStore {
  mkdirSync(folder, { recursive: true })
  let rows = readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => parseRows(wholeLines(join(folder, name)), name))
  const keys = new Set(rows.map(keyOf))
  const fileOf = (solver: string): string => join(folder, `${solver}.jsonl`)
  return {
    get rows() {
      return rows
    },
    has: (key) => keys.has(keyOf(key)),
    add(row) {
      appendFileSync(fileOf(row.solver), rowLine(row))
      rows.push(row)
      keys.add(keyOf(row))
    },
    remove(matches) {
      const gone = rows.filter(matches)
      rows = rows.filter((row) => !matches(row))
      for (const row of gone) keys.delete(keyOf(row))
      for (const solver of new Set(gone.map((row) => row.solver))) {
        const lines = rows.filter((row) => row.solver === solver).map(rowLine)
        writeFileSync(fileOf(solver), lines.join(''))
      }
    },
  }
}

/** The text of a file without a last line that was cut off, which is removed from the file as well. */
function wholeLines(file: string): string {
  const text = readFileSync(file, 'utf8')
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  if (whole !== text) writeFileSync(file, whole)
  return whole
}

function keyOf({ cell, solver, seed, image, budget }: RowKey): string {
  return [cell, solver, seed, image, budget].join(' ')
}

/** A run as a line; distances have six digits, and one that is missing is null. */
export function rowLine(row: Row): string {
  const best = row.best.map((l2) => (l2 === undefined ? null : Number(l2.toPrecision(6))))
  return `${JSON.stringify({ ...row, first: row.first ?? null, best })}\n`
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
