import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Runs on disk, one file per solver: what is there is not run again, and processes may share the folder. */
export interface RowStore<Key, Row extends Key> {
  readonly rows: readonly Row[]
  has(key: Key): boolean
  add(row: Row): void
  /** Forgets the rows that a test matches. */
  remove(matches: (row: Row) => boolean): void
}

/** How runs are written. */
export interface RowFormat<Key, Row extends Key> {
  readonly extension: 'csv' | 'jsonl'
  /** The first line of every file, if any. */
  readonly header?: string
  keyOf(key: Key): string
  /** A run as a line, without its end. */
  lineOf(row: Row): string
  parse(text: string, file: string): Row[]
}

/** Opens the folder; a last line that was cut off is dropped. */
export function openRowStore<Key, Row extends Key & { readonly solver: string }>(
  folder: string,
  { extension, header, keyOf, lineOf, parse }: RowFormat<Key, Row>,
): RowStore<Key, Row> {
  mkdirSync(folder, { recursive: true })
  let rows = readdirSync(folder)
    .filter((name) => name.endsWith(`.${extension}`))
    .flatMap((name) => parse(wholeLines(join(folder, name)), name))
  const keys = new Set(rows.map(keyOf))
  const first = header === undefined ? '' : `${header}\n`
  const text = (row: Row): string => `${lineOf(row)}\n`
  const fileOf = (solver: string): string => join(folder, `${solver}.${extension}`)
  return {
    get rows() {
      return rows
    },
    has: (key) => keys.has(keyOf(key)),
    add(row) {
      const file = fileOf(row.solver)
      appendFileSync(file, `${existsSync(file) ? '' : first}${text(row)}`)
      rows.push(row)
      keys.add(keyOf(row))
    },
    remove(matches) {
      const gone = rows.filter(matches)
      rows = rows.filter((row) => !matches(row))
      for (const row of gone) keys.delete(keyOf(row))
      for (const solver of new Set(gone.map((row) => row.solver))) {
        const left = rows.filter((row) => row.solver === solver)
        writeFileSync(fileOf(solver), [first, ...left.map(text)].join(''))
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
