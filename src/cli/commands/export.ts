import { writeFile } from 'node:fs/promises'
import { Command, Option } from 'commander'
import { readRun } from '../../trace/index.ts'
import { exported, exportFormats } from '../export-formats.ts'
import { runPlace } from '../run-places.ts'

const examples = `
Formats: csv, json and parquet hold the history (iteration, queries, value, best, seconds); npy holds the best point.

Examples:
  $ zeroth export problem-zo-adamm-7 > history.csv
  $ zeroth export problem-zo-adamm-7 --format parquet --out history.parquet
  $ zeroth export problem-zo-adamm-7 --format npy --out point.npy`

interface Flags {
  readonly format: keyof typeof exportFormats
  readonly out?: string
}

/** `zeroth export`: a run for other programs. */
export function command(): Command {
  return new Command()
    .argument('<run>', 'the folder of a run, or its name in zeroth-runs')
    .addOption(new Option('--format <name>', 'what to write').choices(Object.keys(exportFormats)).default('csv'))
    .option('--out <file>', 'where to write (default: stdout)')
    .addHelpText('after', examples)
    .action(async (given: string, { format, out }: Flags) => {
      const bytes = exported(await readRun(runPlace(given)), format)
      if (out === undefined) process.stdout.write(bytes)
      else await writeFile(out, bytes)
    })
}
