import { openRowStore, type RowStore } from '../row-store.ts'
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

/** Which run it is. */
type RowKey = Pick<Row, 'solver' | 'problem' | 'group' | 'seed' | 'budget'>

/** The runs of minimizers on disk. */
export type MinimizerRows = RowStore<RowKey, Row>

/** Opens the folder of runs. */
export function openRows(folder: string): MinimizerRows {
  return openRowStore(folder, { extension: 'csv', header, keyOf, lineOf: rowLine, parse: parseRows })
}

function keyOf({ solver, problem, group, seed, budget }: RowKey): string {
  return `${solver} ${group} ${problem} ${seed} ${budget}`
}

/** A run as a line. */
export function rowLine(row: Row): string {
  const cells = plain.map((name) => (name === 'note' ? row.note.replaceAll(/[,\s]+/g, ' ').slice(0, 80) : row[name]))
  return [...cells, ...row.hits, ...row.seenHits].map((cell) => String(cell ?? '')).join(',')
}

/** The lines of a file as runs. */
export function parseRows(text: string, file: string): Row[] {
  const [first, ...lines] = text.split('\n')
  if (first !== header) throw new Error(`${file}: its columns are those of another version; move it away`)
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
