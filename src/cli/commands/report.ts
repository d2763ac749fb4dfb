import { join } from 'node:path'
import { Command } from 'commander'
import { writePage } from '../page-files.ts'
import { runPlace } from '../run-places.ts'

/** `zeroth report`: one page about a run, or about a series of runs. */
export function command(): Command {
  return new Command()
    .argument('<run>', 'the folder of a run or of a series, or its name in zeroth-runs')
    .option('--out <folder>', 'where to write (default: the folder of the run)')
    .option('--title <text>', 'the title of the page')
    .option('--json', 'print the names of the files as JSON')
    .addHelpText('after', '\nExample:\n  $ zeroth report zeroth-runs/problem-zo-adamm-7')
    .action(async (given: string, { out, title, json }: { out?: string; title?: string; json?: boolean }) => {
      const folder = runPlace(given)
      const files = await writePage([folder], out ?? folder, title)
      process.stdout.write(json === true ? `${JSON.stringify({ files })}\n` : `${join(out ?? folder, 'report.html')}\n`)
    })
}
