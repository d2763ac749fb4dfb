import { once } from 'node:events'
import { type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Command, Option } from 'commander'
import { ZerothError } from '../../index.ts'
import {
  type ArrayOptions,
  attackArrays,
  type ExportFormat,
  exportFormats,
  exportWork,
  pixelTypes,
} from '../../work/index.ts'
import { output } from '../output.ts'

const examples = `
Formats: csv, json and parquet hold the history (iteration, queries, value,
best, seconds), json the result and the spec, too; npy holds the best point. Of
a series all runs are written: with a column that names them, or a point each.
Of an attack, csv, json and parquet hold its images, a row each; npy holds the
pictures that fool, as they were saved: N x channels x height x width, bytes, or
with --pixels float32 from 0 to 1. --array original, label and index go with it.

Examples:
  $ zeroth export problem-auto-7 > history.csv
  $ zeroth export problem-auto-7 --out history.parquet
  $ zeroth export problem-auto-7 --format npy --out point.npy
  $ zeroth export attacked --out images.parquet
  $ zeroth export attacked --array original --out originals.npy`

interface Flags {
  readonly format?: string
  readonly out?: string
  readonly array?: ArrayOptions['array']
  readonly pixels?: ArrayOptions['pixels']
}

const binary = ['parquet', 'npy']

/** `zeroth export`: runs for other programs. */
export function command(): Command {
  const formats: readonly string[] = exportFormats
  return new Command()
    .argument('<run>', 'the folder of a run, a series or an attack, or its name in zeroth-runs')
    .addOption(
      new Option('--format <name>', 'what to write (default: by the name of the file, else csv)').choices(formats),
    )
    .option('-o, --out <file>', 'where to write (default: stdout)')
    .addOption(
      new Option('--array <name>', 'npy of an attack: which array (default: adversarial)').choices(attackArrays),
    )
    .addOption(new Option('--pixels <type>', 'npy of an attack: its pixels (default: uint8)').choices(pixelTypes))
    .addHelpText('after', examples)
    .action(async (given: string, { format: wanted, out, array, pixels }: Flags) => {
      const format = wanted ?? formatOf(out, formats)
      if (out === undefined && binary.includes(format) && output.isTTY === true) {
        throw new ZerothError('invalid-option', `${format} is nothing for a terminal: give --out, or send it elsewhere`)
      }
      const pieces = await exportWork(given, format as ExportFormat, { array, pixels })
      await (out === undefined ? writeToOutput(pieces) : writeToFile(out, pieces))
    })
}

/** The format that the name of a file asks for; csv where it has no ending, as devices have none. */
function formatOf(out: string | undefined, formats: readonly string[]): string {
  const ending = extname(out ?? '').slice(1)
  if (ending === '') return 'csv'
  const format = formats.find((each) => each === ending.toLowerCase())
  if (format !== undefined) return format
  const allowed = formats.map((each) => `.${each}`).join(', ')
  throw new ZerothError('invalid-option', `--out ${out}: the name must end with ${allowed}, or give --format`)
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
