import { basename, resolve } from 'node:path'
import { Command } from 'commander'
import { print } from '../output.ts'
import { readRuns, writePage } from '../page-files.ts'
import { runsPlace } from '../run-places.ts'

const examples = `
The page is one file, report.html, that needs nothing else; its figures lie
beside it as SVG files.

Examples:
  $ zeroth report problem-zo-adamm-7
  $ zeroth report zeroth-runs --out pages --title "All runs"`

interface Flags {
  readonly out?: string
  readonly title?: string
  readonly json?: boolean
}

/** `zeroth report`: one page about a run, or about a series of runs. */
export function command(): Command {
  return new Command()
    .argument('<run>', 'the folder of a run, of a series or of runs, or its name in zeroth-runs')
    .option('-o, --out <folder>', 'where to write (default: the folder of the run)')
    .option('--title <text>', 'the title of the page')
    .option('--json', 'print the names of the files as one JSON object')
    .addHelpText('after', examples)
    .action(async (given: string, { out, title, json }: Flags) => {
      const folder = runsPlace(given)
      const files = await writePage(await readRuns([folder]), out ?? folder, title ?? basename(resolve(folder)))
      print(json === true ? JSON.stringify({ files: files.map((file) => resolve(file)) }) : String(files[0]))
    })
}
