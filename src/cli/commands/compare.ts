import { Command } from 'commander'
import { shortNumber, textTable } from '../../report/index.ts'
import { jsonSafe } from '../json-safe.ts'
import { readRuns, writePage } from '../page-files.ts'
import { runPlace } from '../run-places.ts'

interface Flags {
  readonly out?: string
  readonly title?: string
  readonly json?: boolean
}

/** `zeroth compare`: several runs in a table, best first, and in one page. */
export function command(): Command {
  return new Command()
    .argument('<runs...>', 'folders of runs or of series, or their names in zeroth-runs')
    .option('--out <folder>', 'write a page there, too')
    .option('--title <text>', 'the title of the page')
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nExample:\n  $ zeroth compare rosenbrock-zo-adamm-0 rosenbrock-zo-sgd-0 --out comparison')
    .action(async (given: string[], { out, title, json }: Flags) => {
      const folders = given.map(runPlace)
      const runs = (await readRuns(folders)).map(({ name, status, result, meta }) => ({
        run: name,
        status,
        value: result?.value ?? Number.NaN,
        queries: result?.queries ?? 0,
        seed: result?.seed ?? meta.spec['seed'],
        seconds: result?.seconds ?? 0,
      }))
      runs.sort((a, b) => (Number.isNaN(a.value) ? 1 : Number.isNaN(b.value) ? -1 : a.value - b.value))
      const files = out === undefined ? [] : await writePage(folders, out, title)
      if (json === true) process.stdout.write(`${JSON.stringify(jsonSafe({ runs, files }))}\n`)
      else {
        const table = textTable(runs, [
          { title: 'run', cell: ({ run }) => run },
          { title: 'status', cell: ({ status }) => status },
          { title: 'value', align: 'right', cell: ({ value }) => shortNumber(value) },
          { title: 'queries', align: 'right', cell: ({ queries }) => String(queries) },
          { title: 'seconds', align: 'right', cell: ({ seconds }) => seconds.toFixed(1) },
        ])
        process.stdout.write(`${table}\n${files.length > 0 ? `\n${files[0]}\n` : ''}`)
      }
    })
}
