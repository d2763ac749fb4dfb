import { resolve } from 'node:path'
import { Command } from 'commander'
import { jsonSafe } from '../../core/json-safe.ts'
import { differences } from '../../report/attack/compared-settings.ts'
import { type RunData, readAttacks, shortNumber, textTable, writeAttackPage } from '../../report/index.ts'
import { attackRow, attacksOf, attackTable } from '../attack/compare-attacks.ts'
import { millisecondsText } from '../duration-text.ts'
import { print } from '../output.ts'
import { readRuns, writePage } from '../page-files.ts'

const examples = `
Examples:
  $ zeroth compare rosenbrock-zo-adamm-0 rosenbrock-zo-sgd-0
  $ zeroth compare adamm sgd --out page     writes page/report.html, too`

interface Flags {
  readonly out?: string
  readonly title?: string
  readonly json?: boolean
}

/** `zeroth compare`: several runs, or several attacks, in a table and in one page. */
export function command(): Command {
  return new Command()
    .argument('<runs...>', 'folders of runs, of series or of attacks, or their names in zeroth-runs')
    .option('-o, --out <folder>', 'write a page there, too')
    .option('--title <text>', 'the title of the page')
    .option('--json', 'print one JSON object')
    .addHelpText('after', examples)
    .action(async (given: string[], flags: Flags) => {
      const { out, title, json } = flags
      const attacks = await attacksOf(given)
      if (attacks !== undefined) return compareAttacks(attacks, title ?? given.join(', '), flags)
      const runs = await readRuns(given)
      const rows = runs.map(standing).sort(bestFirst)
      const files = out === undefined ? [] : await writePage(runs, out, title ?? given.join(', '))
      if (json === true) print(JSON.stringify(jsonSafe({ runs: rows, files: files.map((file) => resolve(file)) })))
      else print([textTable(rows, columns), ...files.slice(0, 1)].join('\n\n'))
    })
}

/** Attacks in a table and in a page of their own. */
async function compareAttacks(folders: readonly string[], title: string, { out, json }: Flags): Promise<void> {
  const attacks = readAttacks(folders)
  const rows = attacks.map(attackRow)
  const notices = differences(attacks)
  for (const notice of notices) process.stderr.write(`notice: ${notice}\n`)
  const files = out === undefined ? [] : await writeAttackPage(attacks, out, title)
  const paths = files.map((file) => resolve(file))
  if (json === true) print(JSON.stringify(jsonSafe({ runs: rows, notices, files: paths })))
  else print([attackTable(rows), ...files.slice(0, 1)].join('\n\n'))
}

type Standing = ReturnType<typeof standing>

/** How a run stands; one that has not ended by its trace. */
function standing({ name, status, result, trace, meta }: RunData) {
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

function bestFirst(a: Standing, b: Standing): number {
  if (Number.isNaN(a.value) || Number.isNaN(b.value))
    return Number(Number.isNaN(a.value)) - Number(Number.isNaN(b.value))
  return a.value - b.value
}

const columns = [
  { title: 'run', cell: ({ run }: Standing) => run },
  { title: 'status', cell: ({ status }: Standing) => status },
  { title: 'value', align: 'right' as const, cell: ({ value }: Standing) => shortNumber(value) },
  { title: 'queries', align: 'right' as const, cell: ({ queries }: Standing) => queries.toLocaleString('en') },
  { title: 'time', align: 'right' as const, cell: ({ seconds }: Standing) => millisecondsText(seconds * 1000) },
]
