import { resolve } from 'node:path'
import type { Command } from 'commander'
import {
  type AttackFlags,
  attackFromOptions,
  flagKeys,
  withAttackOptions,
} from '../../../src/app/cli/attack-options.ts'
import { milliseconds, wholeNumber } from '../../../src/app/cli/option-values.ts'
import { type WatchFlags, watcher, withWatchOptions } from '../../../src/app/cli/terminal.ts'
import { conductKeys } from '../../../src/app/spec/attack/index.ts'
import { ZerothError } from '../../../src/index.ts'
import { nearest } from '../../../src/optimizer/core/errors.ts'
import { readSubject } from '../kept/kept-subject.ts'
import { performReproduction } from '../perform-reproduction.ts'
import { openReproduction, type ReproduceSettings, readReproduction } from '../reproduce-record.ts'
import { experiments, givenSizes, profiles, reproducible, scales } from '../tables/index.ts'

/** Those of the paper, which `all` stands for, and all there are. */
const names = experiments.map(({ name }) => name)
const known = reproducible.map(({ name }) => name)

const examples = `
Tables and figures of the ZO-AdaMM paper:
  ${names.join(' ')}

beyond compares zeroth, ZO-AdaMM in subspaces and with scalar steps, and other
attacks with the paper's methods: queries to the first success, and distortion.
noise shows how far noise alone would carry ZO-AdaMM. Both run only when named.

quick attacks the embedded digits (about two minutes on two cores), standard the
embedded CIFAR-10 (hours), full your own model on your own images with the
paper's settings. Attacks are stored in the folder; one that several tables need
runs once. Ctrl-C saves, and so does --max-time; the same command, or resume,
continues and redraws.

Profiles: paper (settings of the text; default of full), reference (those of the
authors' code where they differ), tuned (default: rates searched with equal
effort for every method, shown as Tables A1 and A2).

Examples:
  $ npm run reproduce -- --scale quick --out reproduction
  $ npm run reproduce -- table-a3 fig-1 --scale standard --out standard
  $ npm run reproduce -- beyond --scale quick --out beyond  other methods
  $ npm run reproduce -- --out reproduction --redraw        only redraws
  $ npm run reproduce -- resume reproduction                continues
  $ npm run reproduce -- table-a3 --scale full --model inception.onnx \\
      --images imagenet --count 20 --only constrained --out full`

interface Flags extends AttackFlags, WatchFlags {
  readonly scale?: ReproduceSettings['scale']
  readonly profile?: ReproduceSettings['profile']
  readonly seed?: number
  readonly count?: number
  readonly iterations?: number
  readonly sizes?: string
  readonly class?: number
  readonly kept?: string
  readonly out: string
  readonly workers?: number
  readonly only?: string
  readonly maxTime?: number
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
  'threads',
]
const takenKeys: readonly string[] = [...subjectKeys, 'rate', 'retries']

/** `npm run reproduce`: every table and figure of the paper, from attacks that run once and are stored. */
export function withReproduction(program: Command): Command {
  const described = program
    .argument('[what...]', 'tables and figures, or all (default: all)')
    .optionsGroup('How much:')
    .option('--scale <scale>', 'quick, standard or full (default: quick)', word('--scale', scales))
    .option('--profile <profile>', 'paper, reference or tuned', word('--profile', profiles))
    .option('--count <n>', 'maximum images, fewer than the scale has', wholeNumber(1))
    .option('--iterations <n>', 'maximum iterations, fewer than the scale has', wholeNumber(1))
    .option('--sizes <sizes>', 'images and iterations of some parts: universal=10x2000,per-image=20x1000', sizesText)
    .option('--class <n>', 'universal attacks on images of this class only', wholeNumber(0))
    .option('--seed <n>', 'seed of all random numbers (default: 1)', wholeNumber(0))
    .optionsGroup('The reproduction:')
    .option('-o, --out <folder>', 'its folder', 'zeroth-reproduction')
    .option('--kept <folder>', 'attacks that were kept of earlier reproductions are not made again')
    .option('--workers <n>', 'attacks that run at once (default: one per core, 1 over HTTP)', wholeNumber(1))
    .option('--only <text>', 'run only attacks whose names contain this, or one of several: a,b')
    .option('--max-time <time>', 'for this session: then attacks are saved, and what there is is drawn', milliseconds)
    .option('--redraw', 'run no attacks: draw what is there')
  const all = withAttackOptions(
    described,
    flagKeys.filter((key) => !takenKeys.includes(key)),
  )
  return withWatchOptions(all).addHelpText('after', examples).action(reproduceCommand)
}

async function reproduceCommand(what: readonly string[], flags: Flags): Promise<void> {
  const out = resolve(flags.out)
  const there = readReproduction(out)
  const wanted = wantedOf(what, there?.what)
  if (flags.redraw === true && there === undefined && flags.kept === undefined) {
    throw new ZerothError('invalid-option', `--redraw: there is no reproduction in ${out}`)
  }
  const { scale, profile, seed, count, iterations, sizes } = flags
  const kept = flags.kept === undefined ? undefined : resolve(flags.kept)
  const subject = subjectOf(flags, there?.settings.subject) ?? (there === undefined ? keptSubject(kept) : undefined)
  const given = { scale, profile, seed, count, iterations, sizes, class: flags.class, subject }
  const record = await openReproduction(out, given, wanted, kept)
  const watching = watcher(flags)
  try {
    process.exitCode = await performReproduction(out, record, flags, watching)
  } finally {
    watching.close()
  }
}

/** Model and images; if the folder has them already, only how the model is queried may change. */
function subjectOf(flags: Flags, before: ReproduceSettings['subject']): ReproduceSettings['subject'] {
  const values = takenKeys.map((key) => [key, flags[key as keyof AttackFlags]] as const)
  const given = Object.fromEntries(values.filter(([, value]) => value !== undefined))
  if (flags.model !== undefined) return attackFromOptions(undefined, given).spec
  const conduct: readonly string[] = before === undefined ? [] : conductKeys
  const other = Object.keys(given).find((key) => !conduct.includes(key))
  if (other !== undefined) {
    throw new ZerothError('invalid-option', `--${other} needs --model`)
  }
  return Object.keys(given).length === 0 ? undefined : ({ ...before, ...given } as ReproduceSettings['subject'])
}

/** Model and images of the attacks that are kept, for those who have neither and only draw. */
function keptSubject(folder: string | undefined): ReproduceSettings['subject'] {
  const { spec } = (folder === undefined ? undefined : readSubject(folder)) ?? {}
  return spec as ReproduceSettings['subject']
}

/** Checks sizes where they are given, and leaves them as they are. */
function sizesText(text: string): string {
  givenSizes(text)
  return text
}

/** The tables and figures wanted; without names, those of the folder, or all. */
function wantedOf(what: readonly string[], before: readonly string[] | undefined): readonly string[] {
  const unknown = what.find((each) => each !== 'all' && !known.includes(each))
  if (unknown !== undefined)
    throw new ZerothError('invalid-option', unknownText('reproduce', unknown, [...known, 'all']))
  if (what.includes('all')) return known.filter((each) => names.includes(each) || what.includes(each))
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
