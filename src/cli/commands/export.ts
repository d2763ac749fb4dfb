import { once } from 'node:events'
import { type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Command, Option } from 'commander'
import { ZerothError } from '../../index.ts'
import { type ExportFormat, exportFormats, exportWork } from '../../work/index.ts'
import { output } from '../output.ts'

const examples = `
Formats: csv, json and parquet hold the history (iteration, queries, value,
best, seconds), json the result and the spec, too; npy holds the best point. Of
a series all runs are written: with a column that names them, or a point each.

Examples:
  $ zeroth export problem-auto-7 > history.csv
  $ zeroth export problem-auto-7 --out history.parquet
  $ zeroth export problem-auto-7 --format npy --out point.npy`

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

/** Writes data to stdout, no faster than it is read there; ends early where nothing reads it any more. */
export async function writeToOutput(pieces: AsyncIterable<Uint8Array>): Promise<void> {
  // Node takes its own stdout for open again after an error: only the event tells.
  let isGone = false
  const leave = (): void => {
    isGone = true
  }
  output.once('error', leave)
  try {
    for await (const piece of pieces) {
      // What happened to the last piece is told in a later turn.
      await (output.write(piece) ? nextTurn() : drained())
      if (isGone) return
    }
  } finally {
    output.off('error', leave)
  }
}

async function drained(): Promise<void> {
  const waiting = new AbortController()
  const events = ['drain', 'close', 'error'].map((event) => once(output, event, waiting).catch(() => undefined))
  await Promise.race(events).finally(() => waiting.abort())
}

/** Writes data to a file that is there only once it is complete; a device or a pipe takes it as it comes. */
export async function writeToFile(path: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  if (found !== undefined && !found.isFile()) return writeAll(await open(path, 'w'), pieces)
  const target = found === undefined ? path : await realpath(path)
  const temporary = `${target}.${process.pid}.tmp`
  try {
    await writeAll(await open(temporary, 'w'), pieces, true)
    await rename(temporary, target)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

async function writeAll(file: FileHandle, pieces: AsyncIterable<Uint8Array>, lasting = false): Promise<void> {
  try {
    for await (const piece of pieces) await file.writeFile(piece)
    if (lasting) await file.datasync()
  } finally {
    await file.close()
  }
}
