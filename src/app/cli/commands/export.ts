import { once } from 'node:events'
import { extname } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Command, Option } from 'commander'
import { ZerothError } from '../../../index.ts'
import { writeToFile } from '../../jobs/folders.ts'
import {
  type ArrayOptions,
  attackArrays,
  type ExportFormat,
  exportFormats,
  exportJob,
  exportMlflow,
  exportTensorBoard,
  pixelTypes,
} from '../../jobs/index.ts'
import { type SecretPlace, secretPlace } from '../option-values.ts'
import { output, print, tell } from '../program.ts'
import { plainText } from '../terminal.ts'

const examples = `
Formats: csv, json and parquet hold the history (iteration, queries, value,
best, seconds), json the result and the spec, too; npy holds the best point. Of
a series all runs are written: with a column that names them, or a point each.
Of an attack, csv, json and parquet hold its images, a row each; npy holds the
pictures that fool, as they were saved: N x channels x height x width, bytes, or
with --pixels float32 from 0 to 1. --array original, label and index go with it.

--tensorboard writes event files, a folder for each run; --mlflow sends runs to
an MLflow server, with the token in MLFLOW_TRACKING_TOKEN, or in what --token
names. Exported again, a run is updated and not there twice.

Examples:
  $ zeroth export problem-auto-7 > history.csv
  $ zeroth export problem-auto-7 --out history.parquet
  $ zeroth export problem-auto-7 --format npy --out point.npy
  $ zeroth export gzip-auto-0 --points --out settings.parquet
  $ zeroth export attacked --out images.parquet
  $ zeroth export attacked --array original --out originals.npy
  $ zeroth export series --tensorboard logs
  $ zeroth export attacked --mlflow http://localhost:5000 --experiment nightly`

interface FileFlags extends ArrayOptions {
  readonly points?: boolean
  readonly format?: string
  readonly out?: string
}

interface Flags extends FileFlags, ServerFlags {
  readonly tensorboard?: string
  readonly mlflow?: SecretPlace
}

interface ServerFlags {
  readonly experiment?: string | undefined
  readonly token?: SecretPlace | undefined
}

const binary = ['parquet', 'npy']

/** `zeroth export`: runs for other programs. */
export function exportCommand(): Command {
  return new Command()
    .argument('<run>', 'the folder of a run, a series or an attack, or its name in zeroth-runs')
    .addOption(
      new Option('--format <name>', 'what to write (default: by the name of the file, else csv)').choices(
        exportFormats,
      ),
    )
    .option('-o, --out <file>', 'where to write (default: stdout)')
    .addOption(
      new Option('--array <name>', 'npy of an attack: which array (default: adversarial)').choices(attackArrays),
    )
    .addOption(new Option('--pixels <type>', 'npy of an attack: its pixels (default: uint8)').choices(pixelTypes))
    .option('--points', 'of a run with named variables, all settings it tried: csv, json or parquet')
    .option('--tensorboard <folder>', 'write event files of TensorBoard below this folder')
    .option('--mlflow <url>', 'URL of the MLflow server, or env:NAME / file:PATH holding it', secretPlace)
    .option('--experiment <name>', 'mlflow: the experiment, made where there is none (default: zeroth)')
    .option('--token <place>', 'mlflow: env:NAME or file:PATH that holds the access token', secretPlace)
    .addHelpText('after', examples)
    .action(async (given: string, flags: Flags) => {
      const { tensorboard, mlflow, experiment, token, ...files } = flags
      refuseTogether(flags)
      if (tensorboard !== undefined) return toTensorBoard(given, tensorboard)
      if (mlflow !== undefined) return toMlflow(given, mlflow, { experiment, token })
      return toFile(given, files)
    })
}

/** The options of each way to export. */
const ways: readonly { readonly lead: keyof Flags; readonly own: readonly (keyof Flags)[] }[] = [
  { lead: 'tensorboard', own: [] },
  { lead: 'mlflow', own: ['experiment', 'token'] },
  { lead: 'out', own: ['format', 'array', 'pixels', 'points'] },
]

function refuseTogether(flags: Flags): void {
  const isGiven = (name: keyof Flags): boolean => flags[name] !== undefined
  const used = ways.filter(({ lead }) => isGiven(lead))
  const [first, second] = used
  if (first !== undefined && second !== undefined) {
    throw new ZerothError('invalid-option', `give --${first.lead} or --${second.lead}, not both`)
  }
  for (const { lead, own } of ways) {
    const odd = own.find(isGiven)
    const isTheirs = first === undefined ? lead === 'out' : first.lead === lead
    if (odd === undefined || isTheirs) continue
    throw new ZerothError('invalid-option', `--${odd} goes with --${lead}${first ? `, not with --${first.lead}` : ''}`)
  }
}

async function toTensorBoard(given: string, into: string): Promise<void> {
  const files = await exportTensorBoard(given, into)
  print(files.join('\n'))
  const more = 'with --load_fast=false also the numbers with every bit'
  tell(`zeroth: tensorboard --logdir ${plainText(into)} shows them, ${more}`)
}

async function toMlflow(given: string, url: SecretPlace, { experiment, token }: ServerFlags): Promise<void> {
  if (typeof token === 'string') {
    const why = 'every program on this machine can read the command line'
    throw new ZerothError('invalid-option', `--token must be env:NAME or file:PATH, got a text: ${why}`)
  }
  for (const { name, run, state, metrics, leftOut } of await exportMlflow(given, { url, experiment, token })) {
    print(`${state.padEnd(9)}  ${run}  ${plainText(name)}  ${metrics} values`)
    for (const each of leftOut) tell(`zeroth: ${plainText(`${name}: ${each}`)}`)
  }
}

async function toFile(given: string, { format: wanted, out, array, pixels, points }: FileFlags): Promise<void> {
  const format = wanted ?? formatOf(out, exportFormats)
  if (out === undefined && binary.includes(format) && output.isTTY === true) {
    throw new ZerothError('invalid-option', `refusing to write ${format} to a terminal; use --out or redirect stdout`)
  }
  const warn = (message: string): void => tell(`zeroth: ${plainText(message)}`)
  const pieces = await exportJob(given, format as ExportFormat, { array, pixels, points, warn })
  await (out === undefined ? writeToOutput(pieces) : writeToFile(out, pieces))
}

/** The format that the name of a file asks for; csv where it has no ending, as devices have none. */
function formatOf(out: string | undefined, formats: readonly string[]): string {
  const ending = extname(out ?? '').slice(1)
  if (ending === '') return 'csv'
  const format = formats.find((each) => each === ending.toLowerCase())
  if (format !== undefined) return format
  const allowed = formats.map((each) => `.${each}`).join(', ')
  const advice = /tfevents/i.test(out ?? '') ? '; event files are written by --tensorboard FOLDER' : ''
  throw new ZerothError('invalid-option', `--out ${out}: the name must end with ${allowed}, or give --format${advice}`)
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
