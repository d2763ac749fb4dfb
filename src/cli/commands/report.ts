import { basename, resolve } from 'node:path'
import { Command } from 'commander'
import { writeEvaluationPage } from '../../report/index.ts'
import { isAttack, isRun, runsPlace } from '../../work/folders.ts'
import { listWorks } from '../../work/index.ts'
import { print } from '../output.ts'
import { readRuns, writePage } from '../page-files.ts'

const examples = `
The page is one file, report.html (of an attack: index.html), that needs nothing
else; its figures lie beside it as SVG files. Nothing is asked.

Examples:
  $ zeroth report problem-zo-adamm-7
  $ zeroth report zeroth-runs --out pages --title "All runs"`

interface Flags {
  readonly out?: string
  readonly title?: string
  readonly json?: boolean
}

/** `zeroth report`: one page about a run, about a series of runs, or about an attack. */
export function command(): Command {
  return new Command()
    .argument('<run>', 'the folder of a run, of a series, of an attack or of several, or its name in zeroth-runs')
    .option('-o, --out <folder>', 'where to write (default: the folder of the run)')
    .option('--title <text>', 'the title of the page')
    .option('--json', 'print the names of the files as one JSON object')
    .addHelpText('after', examples)
    .action(async (given: string, { out, title, json }: Flags) => {
      const folder = runsPlace(given)
      const name = title ?? basename(resolve(folder))
      const files =
        (await attackReport(folder, out ?? folder, name)) ??
        (await writePage(await readRuns([folder]), out ?? folder, name))
      print(json === true ? JSON.stringify({ files: files.map((file) => resolve(file)) }) : String(files[0]))
    })
}

/** The page of an attack, or of the attacks in a folder; undefined where there is none. */
async function attackReport(folder: string, out: string, title: string): Promise<string[] | undefined> {
  const listed = isAttack(folder) || isRun(folder) ? [] : await listWorks(folder)
  if (!isAttack(folder) && !(listed.length > 0 && listed.every(({ kind }) => kind === 'evaluation'))) return undefined
  return writeEvaluationPage(isAttack(folder) ? folder : listed.map(({ folder: each }) => each), { out, title })
}
