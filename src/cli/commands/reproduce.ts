import { join, resolve } from 'node:path'
import { Command } from 'commander'
import { nearest } from '../../core/errors.ts'
import { type Experiment, experiments, planOf, profiles, scales } from '../../experiments/paper/index.ts'
import { ZerothError } from '../../index.ts'
import { type ClaimResult, textTable } from '../../report/index.ts'
import { type AttackFlags, flagKeys, withAttackOptions } from '../attack/attack-flags.ts'
import { attackFromOptions } from '../attack/attack-from-options.ts'
import { exitCodes } from '../exit-codes.ts'
import { jsonSafe } from '../json-safe.ts'
import { wholeNumber } from '../option-values.ts'
import { print } from '../output.ts'
import { drawReproduction, type Reproduced } from '../reproduce/draw-reproduction.ts'
import {
  openReproduction,
  type ReproduceRecord,
  type ReproduceSettings,
  readReproduction,
  writeReproduction,
} from '../reproduce/reproduce-record.ts'
import { runReproduction } from '../reproduce/run-reproduction.ts'
import { storedResults } from '../reproduce/stored-results.ts'
import { type Watcher, type WatchFlags, watcher, withWatchOptions } from '../watch.ts'

const names = experiments.map(({ name }) => name)

const examples = `
Tables and figures of the ZO-AdaMM paper:
  ${names.join(' ')}

quick attacks the embedded digits (about two minutes on two cores), standard the
embedded CIFAR-10 (hours), full your own model on your own images with the
paper's settings. Attacks are kept below the folder, each once for all tables
that need it. Ctrl-C saves; the same command goes on, and redraws what is there.

Profiles: paper (settings of the text; default of full), reference (those of the
authors' code where they differ), tuned (default: rates searched with equal
effort for every method, shown as Tables A1 and A2).

Examples:
  $ zeroth reproduce --scale quick --out reproduction
  $ zeroth reproduce table-a3 fig-1 --scale standard --out standard
  $ zeroth reproduce --out reproduction --redraw        asks nothing
  $ zeroth reproduce table-a3 --scale full --model inception.onnx \\
      --images imagenet --count 20 --only constrained --out full`

interface Flags extends AttackFlags, WatchFlags {
  readonly scale?: ReproduceSettings['scale']
  readonly profile?: ReproduceSettings['profile']
  readonly seed?: number
  readonly count?: number
  readonly iterations?: number
  readonly out: string
  readonly workers?: number
  readonly only?: string
  readonly redraw?: boolean
}

/** Keys of an attack that describe the model and how it is asked; all others are the paper's. */
const subjectKeys = [
  'model',
  'modelName',
  'preprocessing',
  'images',
  'resize',
  'permitted',
  'jobs',
  'batch',
  'parallel',
]
const kept: readonly string[] = [...subjectKeys, 'rate', 'retries']

/** `zeroth reproduce`: every table and figure of the paper, from attacks that are made once and kept. */
export function command(): Command {
  const described = new Command()
    .argument('[what...]', 'tables and figures, or all (default: all)')
    .optionsGroup('How much:')
    .option('--scale <scale>', 'quick, standard or full (default: quick)', word('--scale', scales))
    .option('--profile <profile>', 'paper, reference or tuned', word('--profile', profiles))
    .option('--count <n>', 'images at most, fewer than the scale has', wholeNumber(1))
    .option('--iterations <n>', 'iterations at most, fewer than the scale has', wholeNumber(1))
    .option('--seed <n>', 'seed of all random numbers (default: 1)', wholeNumber(0))
    .optionsGroup('The reproduction:')
    .option('-o, --out <folder>', 'its folder', 'zeroth-reproduction')
    .option('--workers <n>', 'attacks at work at once (default: the cores, 1 over HTTP)', wholeNumber(1))
    .option('--only <text>', 'make only attacks whose names contain this')
    .option('--redraw', 'make no attacks: draw what is there')
  const all = withAttackOptions(
    described,
    flagKeys.filter((key) => !kept.includes(key)),
  )
  return withWatchOptions(all).addHelpText('after', examples).action(reproduceCommand)
}

async function reproduceCommand(what: readonly string[], flags: Flags): Promise<void> {
  const out = resolve(flags.out)
  const wanted = wantedOf(what, readReproduction(out)?.what)
  if (flags.redraw === true && readReproduction(out) === undefined) {
    throw new ZerothError('invalid-option', `--redraw: there is no reproduction in ${out}`)
  }
  const { scale, profile, seed, count, iterations } = flags
  const subject = subjectOf(flags)
  const record = await openReproduction(out, { scale, profile, seed, count, iterations, subject }, wanted)
  const watching = watcher(flags)
  try {
    process.exitCode = await reproduce(out, record, flags, watching)
  } finally {
    watching.close()
  }
}

async function reproduce(out: string, record: ReproduceRecord, flags: Flags, watching: Watcher): Promise<number> {
  const plan = planOf(record.settings)
  const chosen = experiments.filter(({ name }) => record.what.includes(name))
  const results = storedResults(out)
  const began = performance.now()
  const conduct = { workers: flags.workers, only: flags.only, watching }
  const isDone = flags.redraw === true || (await runReproduction(out, chosen, plan, results, conduct))
  const seconds = record.seconds + (flags.redraw === true ? 0 : (performance.now() - began) / 1000)
  const worked = isWorth(seconds - record.seconds) ? { ...record, seconds } : record
  if (worked !== record) writeReproduction(out, worked)
  if (!isDone) {
    if (flags.json === true) print(JSON.stringify({ status: 'aborted', out }))
    watching.say(`interrupted and saved: zeroth reproduce --out ${flags.out} goes on`)
    return exitCodes.interrupted
  }
  const drawn = drawReproduction(out, chosen, plan, results, worked)
  print(flags.json === true ? jsonText(out, worked, drawn) : plainResult(out, drawn, chosen))
  return exitCodes.ok
}

/** Looking through a folder where all is done is no work. */
function isWorth(seconds: number): boolean {
  return seconds > 3
}

function subjectOf(flags: Flags): ReproduceSettings['subject'] {
  const given = Object.fromEntries(kept.map((key) => [key, flags[key as keyof AttackFlags]]))
  if (flags.model !== undefined) return attackFromOptions(undefined, given as AttackFlags).spec
  const other = Object.entries(given).find(([, value]) => value !== undefined)
  if (other === undefined) return undefined
  throw new ZerothError('invalid-option', `--${other[0]} goes with --model, which is not given`)
}

/** The tables and figures that are meant; those of before, or all, where none is named. */
function wantedOf(what: readonly string[], before: readonly string[] | undefined): readonly string[] {
  const unknown = what.find((each) => each !== 'all' && !names.includes(each))
  if (unknown !== undefined)
    throw new ZerothError('invalid-option', unknownText('reproduce', unknown, [...names, 'all']))
  if (what.includes('all')) return names
  return what.length > 0 ? what : (before ?? names)
}

function word<T extends string>(option: string, words: readonly T[]): (text: string) => T {
  return (text) => {
    const found = words.find((each) => each === text)
    if (found === undefined) throw new ZerothError('invalid-option', unknownText(option, text, words))
    return found
  }
}

function unknownText(what: string, given: string, words: readonly string[]): string {
  const near = nearest(given, words)
  const hint = near === undefined ? '' : `; did you mean ${near}?`
  return `${what} must be one of ${words.join(', ')}, got ${JSON.stringify(given)}${hint}`
}

function jsonText(out: string, { settings, seconds }: ReproduceRecord, drawn: Reproduced): string {
  const { claims, files, done, cells, modelCalls } = drawn
  const short = claims.map(({ id, claim, verdict, iterations, queries }) => ({
    id,
    claim,
    verdict,
    atEqualIterations: iterations.verdict,
    atEqualQueries: queries.verdict,
  }))
  const status = done === cells ? 'finished' : 'partial'
  const page = join(out, 'index.html')
  return JSON.stringify(
    jsonSafe({ status, out, page, settings, cells, done, modelCalls, seconds, claims: short, files }),
  )
}

function plainResult(
  out: string,
  { claims, done, cells, modelCalls }: Reproduced,
  chosen: readonly Experiment[],
): string {
  const table = textTable(claims, [
    { title: 'claim', cell: ({ id, claim }: ClaimResult) => `${id} ${claim}` },
    { title: 'equal iterations', cell: ({ iterations }: ClaimResult) => shortVerdict(iterations.verdict) },
    { title: 'equal queries', cell: ({ queries }: ClaimResult) => shortVerdict(queries.verdict) },
  ])
  const counted = `${done} of ${cells} attacks, ${modelCalls.toLocaleString('en')} images classified`
  return `${table}\n\n${chosen.length} tables and figures from ${counted}\nReport: ${join(out, 'index.html')}`
}

function shortVerdict(verdict: string): string {
  return verdict.replace(' from this scale', '')
}
