import { extname } from 'node:path'
import { Command, Option } from 'commander'
import { ZerothError } from '../../index.ts'
import { type ExportFormat, exportFormats, exportWork } from '../../work/index.ts'
import { output } from '../output.ts'
import { writeToFile, writeToOutput } from '../write-output.ts'

const examples = `
Formats: csv, json and parquet hold the history (iteration, queries, value,
best, seconds), json the result and the spec, too; npy holds the best point. Of
a series all runs are written: with a column that names them, or a point each.

Examples:
  $ zeroth export problem-zo-adamm-7 > history.csv
  $ zeroth export problem-zo-adamm-7 --out history.parquet
  $ zeroth export problem-zo-adamm-7 --format npy --out point.npy`

interface Flags {
  readonly format?: string
  readonly out?: string
}

const binary = ['parquet', 'npy']

/** `zeroth export`: runs for other programs. */
export function command(): Command {
  const formats: readonly string[] = exportFormats
  return new Command()
    .argument('<run>', 'the folder of a run or of a series, or its name in zeroth-runs')
    .addOption(
      new Option('--format <name>', 'what to write (default: by the name of the file, else csv)').choices(formats),
    )
    .option('-o, --out <file>', 'where to write (default: stdout)')
    .addHelpText('after', examples)
    .action(async (given: string, { format: wanted, out }: Flags) => {
      const ending = extname(out ?? '').slice(1)
      const format = wanted ?? (formats.includes(ending) ? ending : 'csv')
      if (out === undefined && binary.includes(format) && output.isTTY === true) {
        throw new ZerothError('invalid-option', `${format} is nothing for a terminal: give --out, or send it elsewhere`)
      }
      const pieces = await exportWork(given, format as ExportFormat)
      await (out === undefined ? writeToOutput(pieces) : writeToFile(out, pieces))
    })
}
