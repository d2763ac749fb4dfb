import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { accuracies } from './oracle.ts'

/** One run as it is kept: a line of a CSV file. */
export interface Row {
  readonly solver: string
  readonly own: boolean
  readonly group: string
  readonly problem: string
  readonly dim: number
  readonly noisy: boolean
  readonly budget: number
  /** Whether that is all that the problem allows. */
  readonly whole: boolean
  readonly seed: number
  readonly initial: number
  readonly lowest: number
  readonly queries: number
  readonly outside: number
  readonly best: number
  readonly seen: number
  /** The true value at the reported point. */
  readonly reported: number
  /** Microseconds per query that the method took itself. */
  readonly microseconds: number
  readonly note: string
  readonly hits: readonly (number | undefined)[]
  readonly seenHits: readonly (number | undefined)[]
}

const plain = [
  'solver',
  'own',
  'group',
  'problem',
  'dim',
  'noisy',
  'budget',
  'whole',
  'seed',
  'initial',
  'lowest',
  'queries',
  'outside',
  'best',
  'seen',
  'reported',
  'microseconds',
  'note',
] as const satisfies readonly (keyof Row)[]
const texts: ReadonlySet<string> = new Set(['solver', 'group', 'problem', 'note'])
const flags: ReadonlySet<string> = new Set(['own', 'noisy', 'whole'])
const header = [...plain, ...accuracies.map((tau) => `hit${tau}`), ...accuracies.map((tau) => `seen${tau}`)].join(',')

/** Runs on disk, one file per solver: what is there is not run again, and processes may share the folder. */
export interface RowStore {
  readonly rows: readonly Row[]
  has(row: Pick<Row, 'solver' | 'problem' | 'group' | 'seed' | 'budget'>): boolean
  add(row: Row): void
  /** Forgets the rows that a test matches. */
  remove(matches: (row: Row) => boolean): void
}

/** Opens the folder; a last line that was cut off is dropped. */
export function openRows(folder: string): RowStore {
  mkdirSync(folder, { recursive: true })
  let rows = readdirSync(folder)
    .filter((name) => name.endsWith('.csv'))
    .flatMap((name) => parseRows(readFileSync(join(folder, name), 'utf8')))
  const keys = new Set(rows.map(keyOf))
  const fileOf = (solver: string): string => join(folder, `${solver}.csv`)
  return {
    get rows() {
      return rows
    },
    has: (row) => keys.has(keyOf(row)),
    add(row) {
      const file = fileOf(row.solver)
      if (!existsSync(file)) writeFileSync(file, `${header}\n`)
      appendFileSync(file, `${rowLine(row)}\n`)
      rows.push(row)
      keys.add(keyOf(row))
    },
    remove(matches) {
      const gone = rows.filter(matches)
      rows = rows.filter((row) => !matches(row))
      for (const row of gone) keys.delete(keyOf(row))
      for (const solver of new Set(gone.map((row) => row.solver))) {
        const lines = rows.filter((row) => row.solver === solver).map(rowLine)
        writeFileSync(fileOf(solver), [header, ...lines, ''].join('\n'))
      }
    },
  }
}

function keyOf({
  solver,
  problem,
  group,
  seed,
  budget,
}: Pick<Row, 'solver' | 'problem' | 'group' | 'seed' | 'budget'>) {
  return `${solver} ${group} ${problem} ${seed} ${budget}`
}

/** A run as a line. */
export function rowLine(row: Row): string {
  const cells = plain.map((name) => (name === 'note' ? row.note.replaceAll(/[,\s]+/g, ' ').slice(0, 80) : row[name]))
  return [...cells, ...row.hits, ...row.seenHits].map((cell) => String(cell ?? '')).join(',')
}

/** The lines of a file as runs. */
export function parseRows(text: string): Row[] {
  const [first, ...lines] = text.split('\n')
  if (first !== header) return []
  const width = header.split(',').length
  return lines
    .map((line) => line.split(','))
    .filter((cells) => cells.length === width)
    .map(rowOf)
}

function rowOf(cells: readonly string[]): Row {
  const named = plain.map((name, i) => {
    const cell = cells[i] as string
    if (flags.has(name)) return [name, cell === 'true']
    return [name, texts.has(name) ? cell : Number(cell)]
  })
  const whens = cells.slice(plain.length).map((cell) => (cell === '' ? undefined : Number(cell)))
  const [hits, seenHits] = [whens.slice(0, accuracies.length), whens.slice(accuracies.length)]
  return { ...Object.fromEntries(named), hits, seenHits } as Row
}
