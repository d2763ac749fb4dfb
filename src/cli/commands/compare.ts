import { resolve } from 'node:path'
import { Command } from 'commander'
import { jsonSafe } from '../../core/json-safe.ts'
import { ZerothError } from '../../index.ts'
import { differences } from '../../report/attack/attack-differences.ts'
import { type NamedAttack, type RunData, readAttacks, writeAttackPage } from '../../report/index.ts'
import { countText } from '../../report/number-text.ts'
import { problemsOf, settingsOf, unlikeProblems } from '../../report/run/run-groups.ts'
import { type Column, shortNumber, textTable } from '../../report/table.ts'
import type { JsonObject } from '../../spec/index.ts'
import { runsPlace } from '../../work/folders.ts'
import { print } from '../output.ts'
import { millisecondsText, percent } from '../terminal-text.ts'
import { attacksIn, type PageFlags, readRuns, writePage } from './report.ts'

const examples = `
Examples:
  $ zeroth compare rosenbrock-auto-0 rosenbrock-cma-es-0
  $ zeroth compare adamm sgd --out page     writes page/report.html, too`

/** `zeroth compare`: several runs, or several attacks, in a table and in one page. */
export function command(): Command {
  return new Command()
    .argument('<runs...>', 'folders of runs, of series or of attacks, or their names in zeroth-runs')
    .option('-o, --out <folder>', 'write a page there, too')
    .option('--title <text>', 'the title of the page')
    .option('--json', 'print one JSON object')
    .addHelpText('after', examples)
    .action(async (given: string[], flags: PageFlags) => {
      const { out, title = given.join(', ') } = flags
      const attacks = await attacksOf(given)
      if (attacks !== undefined) return compareAttacks(attacks, title, flags)
      const read = await readRuns(given)
      const rows = read.runs.map(runRow).sort(bestFirst)
      const notices = areAlike(read.runs) ? [] : [unlikeProblems]
      say(notices)
      const files = out === undefined ? [] : await writePage(read, out, { title })
      printCompared({ runs: rows, notices }, textTable(rows, runColumns), files, flags)
    })
}

function say(notices: readonly string[]): void {
  for (const notice of notices) process.stderr.write(`notice: ${notice}\n`)
}

/** Whether runs are about the same problem. */
function areAlike(runs: readonly RunData[]): boolean {
  const problems = problemsOf(runs.map(({ meta }) => settingsOf(meta.spec)))
  return new Set(problems.map(({ key }) => key)).size < 2
}

/** Attacks in a table and in a page of their own. */
async function compareAttacks(folders: readonly string[], title: string, flags: PageFlags): Promise<void> {
  const { out } = flags
  const attacks = readAttacks(folders)
  const rows = attacks.map(attackRow)
  const notices = differences(attacks)
  say(notices)
  const files = out === undefined ? [] : await writeAttackPage(attacks, out, title)
  printCompared({ runs: rows, notices }, textTable(rows, attackColumns), files, flags)
}

function printCompared(compared: object, table: string, files: readonly string[], { json }: PageFlags): void {
  const paths = files.map((file) => resolve(file))
  if (json === true) print(JSON.stringify(jsonSafe({ ...compared, files: paths })))
  else print([table, ...files.slice(0, 1)].join('\n\n'))
}

/** The attacks that some names mean, folders of attacks included; undefined where they mean runs. */
async function attacksOf(given: readonly string[]): Promise<string[] | undefined> {
  const meant = await Promise.all(given.map((each) => attacksIn(runsPlace(each))))
  if (meant.every(({ length }) => length === 0)) return undefined
  const other = meant.findIndex(({ length }) => length === 0)
  if (other < 0) return meant.flat()
  throw new ZerothError('invalid-option', `${given[other]} is not an attack: attacks and runs cannot be compared`)
}

type RunRow = ReturnType<typeof runRow>

/** A run beside others; one that has not ended by its trace. */
function runRow({ name, status, result, trace, meta }: RunData) {
  const last = trace.iteration.length - 1
  return {
    run: name,
    status,
    value: result?.value ?? trace.best[last] ?? Number.NaN,
    queries: result?.queries ?? trace.queries[last] ?? 0,
    seed: result?.seed ?? (meta.spec.seed as number),
    seconds: result?.seconds ?? trace.seconds[last] ?? 0,
  }
}

function bestFirst(a: RunRow, b: RunRow): number {
  if (Number.isNaN(a.value) || Number.isNaN(b.value))
    return Number(Number.isNaN(a.value)) - Number(Number.isNaN(b.value))
  return a.value - b.value
}

const runColumns: readonly Column<RunRow>[] = [
  { title: 'run', cell: ({ run }) => run },
  { title: 'status', cell: ({ status }) => status },
  { title: 'value', align: 'right', cell: ({ value }) => shortNumber(value) },
  { title: 'queries', align: 'right', cell: ({ queries }) => countText(queries) },
  { title: 'time', align: 'right', cell: ({ seconds }) => millisecondsText(seconds * 1000) },
]

type AttackRow = ReturnType<typeof attackRow>

/** An attack beside others: queries and distortion are medians over the images that were fooled. */
function attackRow({ name, report: { summary }, record: { spec } }: NamedAttack) {
  return {
    run: name,
    method: String((spec.solver as JsonObject).name),
    problem: String((spec.problem as JsonObject).name),
    attacked: summary.attacked,
    robustAccuracy: summary.robustAccuracy,
    attackSuccessRate: summary.attackSuccessRate,
    firstSuccessQueries: summary.firstSuccessQueries.median,
    bestL2: summary.bestL2.median,
    finalObjective: summary.finalObjective.mean,
  }
}

const attackColumns: readonly Column<AttackRow>[] = [
  { title: 'attack', cell: ({ run }) => run },
  { title: 'method', cell: ({ method }) => method },
  { title: 'problem', cell: ({ problem }) => problem },
  { title: 'images', align: 'right', cell: ({ attacked }) => String(attacked) },
  { title: 'robust', align: 'right', cell: ({ robustAccuracy }) => rate(robustAccuracy) },
  { title: 'success', align: 'right', cell: ({ attackSuccessRate }) => rate(attackSuccessRate) },
  { title: 'queries', align: 'right', cell: ({ firstSuccessQueries }) => shortNumber(firstSuccessQueries) },
  { title: 'l2', align: 'right', cell: ({ bestL2 }) => shortNumber(bestL2) },
  { title: 'objective', align: 'right', cell: ({ finalObjective }) => shortNumber(finalObjective) },
]

function rate(fraction: number): string {
  return Number.isNaN(fraction) ? '' : percent(fraction)
}
