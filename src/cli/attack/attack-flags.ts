import type { Command } from 'commander'
import { InvalidArgumentError } from 'commander'
import { parts } from '../../index.ts'
import { attackOptions } from '../../spec/attack/index.ts'
import { collected, fraction, fractions, number, secretPlace, wholeNumber, words } from '../option-values.ts'

type Key = keyof typeof attackOptions.shape

/** What the options of `zeroth attack` say: each stands for a key of the spec. */
export type AttackFlags = { readonly [key in Key]?: unknown } & {
  readonly config?: string
  readonly option?: readonly string[]
}

/** An option of the command line for a key of the spec; its help is what the schema says of the key. */
interface Flag {
  readonly flags: string
  readonly parse?: (text: string) => unknown
  /** What follows the schema's own words. */
  readonly more?: string
}

type Group = readonly [title: string, flags: Readonly<Partial<Record<Key, Flag>>>]

const groups: readonly Group[] = [
  [
    'What is attacked:',
    {
      model: { flags: '--model <model>' },
      modelName: { flags: '--model-name <name>' },
      preprocessing: { flags: '--preprocessing <file>' },
      images: { flags: '--images <images>' },
      resize: { flags: '--resize <how>' },
      classNames: { flags: '--class-names <file>' },
      class: { flags: '--class <class>', parse: numberOrName },
      count: { flags: '--count <n>', parse: wholeNumber(1) },
      target: { flags: '--target <class>', parse: numberOrName },
    },
  ],
  [
    'How:',
    {
      solver: { flags: '--solver <name>', more: `: ${names('solver')} (default: strongest)` },
      problem: { flags: '--problem <name>', more: ' (default: constrained)' },
      universal: { flags: '--universal' },
      learningRate: { flags: '--learning-rate <n>', parse: number },
      directions: { flags: '--directions <n>', parse: wholeNumber(1) },
      smoothing: { flags: '--smoothing <n>', parse: fraction },
      linf: { flags: '--linf <n,...>', parse: fractions },
      l2: { flags: '--l2 <n,...>', parse: fractions },
      lambda: { flags: '--lambda <n>', parse: number, more: ' (default: 10)' },
      kappa: { flags: '--kappa <n>', parse: number, more: ' (default: 0)' },
      seed: { flags: '--seed <n>', parse: wholeNumber(0), more: ' (default: 0)' },
      precision: { flags: '--precision <p>', more: ': float32 or float64 (default: float32)' },
    },
  ],
  [
    'When to stop:',
    {
      maxQueries: { flags: '--max-queries <n>', parse: wholeNumber(1), more: ' (default: 11001)' },
      maxIterations: { flags: '--max-iterations <n>', parse: wholeNumber(0) },
      earlyStop: { flags: '--early-stop' },
      failUnder: { flags: '--fail-under <n,...>', parse: fractions },
      allowUnfinished: { flags: '--allow-unfinished <n>', parse: wholeNumber(0) },
    },
  ],
  [
    'Asking:',
    {
      permitted: { flags: '--permitted' },
      jobs: { flags: '-j, --jobs <n>', parse: wholeNumber(1) },
      batch: { flags: '--batch <n>', parse: wholeNumber(1) },
      providers: { flags: '--providers <name,...>', parse: words },
      parallel: { flags: '--parallel <n>', parse: wholeNumber(1) },
      threads: { flags: '--threads <n>', parse: wholeNumber(1) },
      queue: { flags: '--queue <address>', parse: secretPlace },
      rate: { flags: '--rate <n>', parse: number },
      patience: { flags: '--patience <seconds>', parse: number },
      retries: { flags: '--retries <n>', parse: wholeNumber(0) },
      failures: { flags: '--failures <policy>', more: ': skip, stop or worst (default: skip)' },
    },
  ],
]

/** The keys that options set. */
export const flagKeys = groups.flatMap(([, flags]) => Object.keys(flags)) as Key[]

/** Adds the options that describe an attack; those a command has already are left to it. */
export function withAttackOptions(command: Command, except: readonly string[] = []): Command {
  for (const [title, flags] of groups) {
    const wanted = Object.entries(flags).filter(([key]) => !except.includes(key))
    if (wanted.length > 0) command.optionsGroup(except.length > 0 ? 'Attacks:' : title)
    for (const [key, { flags: text, parse, more = '' }] of wanted) {
      const help = `${attackOptions.shape[key as Key].sentence}${more}`
      if (parse === undefined) command.option(text, help)
      else command.option(text, help, parse)
    }
  }
  if (except.length > 0) return command
  return command
    .optionsGroup('More:')
    .option('-c, --config <file>', 'the spec, as the argument')
    .option('-O, --option <key=value>', 'any key of the spec, as in solver.beta1=0.9; may be repeated', collected)
}

function names(kind: 'solver'): string {
  return parts[kind].map(({ definition }) => definition.name).join(', ')
}

/** A class, by its number or its name. */
function numberOrName(text: string): number | string {
  if (/^\d+$/.test(text)) return Number(text)
  if (text.trim() === '') throw new InvalidArgumentError('It must be the number or the name of a class.')
  return text
}
