import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Column } from '../../src/app/report/table.ts'
import { minimize, type Variables } from '../../src/index.ts'
import { randomUniform } from '../../src/optimizer/kernels/random.ts'
import { machineLines } from '../machine.ts'
import { markdownTable } from '../markdown-table.ts'
import { peerPython } from '../peers.ts'
import { root } from '../root.ts'
import { type Busy, ownWorkers } from './workers.ts'

/** What the command line asked for. */
interface TuneOptions {
  readonly quick: boolean
  readonly json: boolean
  readonly save: boolean
  readonly seeds?: string | undefined
  readonly command: string
}

interface Space {
  readonly about: string
  readonly variables: Variables
}

/** A space with its measured settings. */
interface Table extends Space {
  readonly name: string
  /** By the texts of the values. */
  readonly rows: ReadonlyMap<string, number>
  readonly times: readonly (readonly number[])[]
  /** The medians of the times: what a setting is worth. */
  readonly worth: readonly number[]
}

/** The settings that a search ran, in their order, and what it was told. */
interface Ran {
  readonly ran: readonly number[]
  readonly answers: readonly number[]
}

const folder = join(root, 'bench/tune')
const runs = 60
/** A run of Optuna's GP takes a hundred times as long as one of the others. */
const gpSeeds = 3
/** Its libraries would otherwise wait for each other on a busy machine. */
const env = { ...process.env, OMP_NUM_THREADS: '1', MKL_NUM_THREADS: '1' }
const peers = ['tpe', 'gp', 'random'] as const
const titles = { ours: 'zeroth', tpe: 'Optuna TPE', gp: 'Optuna GP', random: 'random, twice the runs' } as const
type Method = keyof typeof titles

/** Real programs, all of whose settings were measured: how far from the best of them a search ends. And how busy workers are. */
export async function tune({ quick, json, save, seeds: given, command }: TuneOptions): Promise<void> {
  const seeds = Number(given ?? (quick ? 3 : 15))
  const tables = readTables()
  const all: Record<Method, Ran[][]> = { ours: [], tpe: [], gp: [], random: [] }
  for (const table of tables) all.ours.push(await ownRuns(table, seeds))
  for (const peer of peers) {
    const many = peer === 'gp' ? Math.min(seeds, gpSeeds) : seeds
    all[peer] = peerRuns(peer, peer === 'random' ? 2 * runs : runs, tables, many)
  }
  const rows = tables.flatMap((table, i) =>
    [30, 60].map((after) => ({
      ...{ space: `${table.name} (${table.worth.length})`, after },
      ...(Object.fromEntries(
        (Object.keys(titles) as Method[]).map((method) => {
          const regrets = (all[method][i] ?? []).map((ran) =>
            regretOf(table, ran, method === 'random' ? 2 * after : after),
          )
          return [method, median(regrets)]
        }),
      ) as Record<Method, number>),
    })),
  )
  const workers = await workerRows(quick ? 5 : 15)
  if (json) console.log(JSON.stringify({ rows, workers }))
  const text = page(tables, rows, workers, seeds, command)
  console.log(text)
  if (save) writeFileSync(join(root, 'bench/results/tune.md'), text)
}

function readTables(): Table[] {
  const spaces = JSON.parse(readFileSync(join(folder, 'spaces.json'), 'utf8')) as Record<string, Space>
  const isMeasured = ([name]: [string, Space]): boolean => existsSync(join(folder, 'data', `${name}.csv`))
  return Object.entries(spaces)
    .filter(isMeasured)
    .map(([name, space]) => {
      const count = Object.keys(space.variables).length
      const lines = readFileSync(join(folder, 'data', `${name}.csv`), 'utf8')
        .trim()
        .split('\n')
        .slice(1)
      const cells = lines.map((line) => line.split(','))
      const times = cells.map((row) => row.slice(count).map(Number))
      const rows = new Map(cells.map((row, i) => [row.slice(0, count).join(','), i]))
      return { name, ...space, rows, times, worth: times.map((each) => median(each)) }
    })
}

async function ownRuns({ rows, times, variables }: Table, seeds: number): Promise<Ran[]> {
  const all: Ran[] = []
  for (let seed = 0; seed < seeds; seed++) {
    const [ran, answers]: [number[], number[]] = [[], []]
    const names = Object.keys(variables)
    const objective = (setting: Readonly<Record<string, unknown>>): number => {
      const index = rows.get(names.map((name) => String(setting[name])).join(',')) as number
      const own = times[index] as readonly number[]
      const drawn = randomUniform({ seed, iteration: ran.length, row: 0 }, 'data', 0)
      ran.push(index)
      answers.push(own[Math.floor(drawn * own.length)] as number)
      return answers.at(-1) as number
    }
    await minimize(objective as never, { variables, maxQueries: runs, seed })
    all.push({ ran, answers })
  }
  return all
}

function peerRuns(method: string, count: number, tables: readonly Table[], seeds: number): Ran[][] {
  try {
    const script = join(root, 'bench/peers/tune.py')
    const given = [script, folder, method, String(seeds), String(count)]
    const lines = execFileSync(peerPython(), given, { encoding: 'utf8', maxBuffer: 1e9, env }).trim().split('\n')
    const said = lines.map((line) => JSON.parse(line) as Ran & { space: string })
    return tables.map(({ name }) => said.filter(({ space }) => space === name))
  } catch (error) {
    console.error(
      `${method} is skipped: ${String((error as Error).message)
        .split('\n')
        .at(-1)}`,
    )
    return []
  }
}

/** How much worse than the best setting that one is of which the lowest time was seen in so many runs; 0.1 is a tenth. */
function regretOf({ worth }: Table, { ran, answers }: Ran, after: number): number {
  const seen = answers.slice(0, after)
  const chosen = ran[seen.indexOf(Math.min(...seen))] as number
  return (worth[chosen] as number) / Math.min(...worth) - 1
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  if (sorted.length % 2 === 1) return sorted[middle] as number
  return ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2
}

interface WorkerRow {
  readonly method: string
  readonly busy: number
  readonly best: readonly number[]
}

const moments = [0.25, 0.5, 1]

async function workerRows(seconds: number): Promise<WorkerRow[]> {
  const rowOf = (method: string, { busy, values }: Busy): WorkerRow => {
    const within = moments.map((share) => values.filter(([at]) => at <= share * seconds).map(([, value]) => value))
    return { method, busy, best: within.map((each) => Math.min(...each)) }
  }
  const rows = [
    rowOf('zeroth', await ownWorkers('auto', seconds)),
    rowOf('zeroth cma-es', await ownWorkers('cma-es', seconds)),
  ]
  for (const method of ['tpe', 'cma-es', 'gp']) {
    try {
      const given = [join(root, 'bench/peers/tune.py'), folder, 'workers', method, String(seconds)]
      const said = execFileSync(peerPython(), given, { encoding: 'utf8', maxBuffer: 1e9, env })
      rows.push(rowOf(`Optuna ${method}, n_jobs=8`, JSON.parse(said) as Busy))
    } catch (error) {
      console.error(
        `${method} is skipped: ${String((error as Error).message)
          .split('\n')
          .at(-1)}`,
      )
    }
  }
  return rows
}

const percent = (share: number): string => (Number.isNaN(share) ? '' : `${(100 * share).toFixed(1)} %`)

function page(
  tables: readonly Table[],
  rows: readonly (Record<Method, number> & { space: string; after: number })[],
  workers: readonly WorkerRow[],
  seeds: number,
  command: string,
): string {
  const right = 'right'
  const columns: Column<(typeof rows)[number]>[] = [
    { title: 'space (settings)', cell: ({ space }) => space },
    { title: 'runs', align: right, cell: ({ after }) => String(after) },
    ...(Object.keys(titles) as Method[]).map((method) => ({
      ...{ title: titles[method], align: right as 'right' },
      cell: (row: (typeof rows)[number]) => percent(row[method]),
    })),
  ]
  const workerColumns: Column<WorkerRow>[] = [
    { title: 'method', cell: ({ method }) => method },
    { title: 'busy', align: right, cell: ({ busy }) => percent(busy) },
    ...moments.map((share, i) => ({
      ...{ title: `best after ${100 * share} % of the time`, align: right as 'right' },
      cell: ({ best }: WorkerRow) => (best[i] as number).toPrecision(3),
    })),
  ]
  return `# Tuning programs

How much worse than the best of all settings the one is that a search would take, the median over ${seeds} seeds (Optuna GP: ${Math.min(seeds, gpSeeds)}). Every
setting was measured beforehand, several times; a search is told one of these measurements, drawn anew for each run.
\`bench/tune/measure.py\` measures, \`bench/tune/data\` has the tables.

${tables.map(({ name, about }) => `- ${name}: ${about}`).join('\n')}

${markdownTable(rows, columns)}

## Eight workers

Rosenbrock's valley in four variables, each evaluation 50 to 150 ms: the share of the time that workers were at work, and the lowest
value so far. What else runs on the machine counts here: methods reckon while workers wait.

${markdownTable(workers, workerColumns)}

${machineLines(command).join('\n')}
`
}
