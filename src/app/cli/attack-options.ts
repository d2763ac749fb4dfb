import { resolve } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import { ZerothError } from '../../index.ts'
import { type attackOptions, attackSchema } from '../spec/attack/index.ts'
import { type JsonObject, namesIn, parseSpec, readSpec } from '../spec/index.ts'
import { collected, fraction, fractions, number, secretPlace, wholeNumber, words } from './option-values.ts'
import { assign, type GivenSpec, given, givenFile, located, queueAt, solverNames } from './options.ts'

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
  /** Whether the parts that it can name follow the schema's own words. */
  readonly names?: boolean
  /** What follows these words. */
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
    'Method:',
    {
      solver: {
        flags: '--solver <name>',
        more: ` (default: strongest).\n${solverNames(['made for attacks', 'with a learning rate', 'without a learning rate'])}`,
      },
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
    'Evaluation:',
    {
      permitted: { flags: '--permitted' },
      jobs: { flags: '-j, --jobs <n>', parse: wholeNumber(1) },
      batch: { flags: '--batch <n>', parse: wholeNumber(1) },
      input: { flags: '--input <name>' },
      output: { flags: '--output <name>' },
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
  const schema = attackSchema()
  const properties = schema.properties as Readonly<Record<string, { description: string }>>
  for (const [title, flags] of groups) {
    const wanted = Object.entries(flags).filter(([key]) => !except.includes(key))
    if (wanted.length > 0) command.optionsGroup(except.length > 0 ? 'Attacks:' : title)
    for (const [key, { flags: text, parse, names = false, more = '' }] of wanted) {
      const listed = names ? `: ${namesIn(schema, key).join(', ')}` : ''
      const help = `${properties[key]?.description}${listed}${more}`
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

/** A class, by its number or its name. */
function numberOrName(text: string): number | string {
  if (/^\d+$/.test(text)) return Number(text)
  if (text.trim() === '') throw new InvalidArgumentError('It must be the number or the name of a class.')
  return text
}

/** Keys that describe a thing: another thing does not have them. */
const belongings = {
  model: ['modelName', 'preprocessing', 'batch', 'input', 'output', 'providers', 'classNames'],
  images: ['resize'],
} as const

/** The attack spec that a file, if one is given, and the options describe together. */
export function attackFromOptions(argument: string | undefined, flags: AttackFlags): GivenSpec {
  const source = givenFile(argument, flags.config)
  const changes = changesOf(source.spec, flags)
  const spec: Record<string, unknown> = { ...structuredClone(source.spec), ...changes }
  for (const [thing, keys] of Object.entries(belongings)) {
    for (const key of keys) if (thing in changes && !(key in changes)) delete spec[key]
  }
  const assigned = (flags.option ?? []).map((assignment) => assign(spec, assignment))
  if (spec.model === undefined) {
    throw new ZerothError('invalid-option', 'nothing to attack: give a spec file, or --model, as in --model digits')
  }
  const locate = located(source, assigned, (key) => (key in changes ? key : undefined))
  return { ...source, spec: spec as JsonObject, locate }
}

/** The keys of the spec that the options set; their paths are those of the current folder, not of the spec's. */
function changesOf(spec: JsonObject, flags: AttackFlags): Record<string, unknown> {
  const { model, images, preprocessing, classNames, solver, queue, ...rest } = given(
    Object.fromEntries(flagKeys.map((key) => [key, flags[key]])),
  ) as Record<string, unknown>
  return given({
    ...rest,
    model: pathOf('--model', model, /\.(onnx|ya?ml|json)$/i),
    images: pathOf('--images', images, /^(?!(digits|cifar10)(:|$))/),
    preprocessing: pathOf('--preprocessing', preprocessing, /./),
    classNames: classNames === undefined ? undefined : resolve(String(classNames)),
    solver: solverOf(spec.solver, solver),
    queue: queueAt(spec.queue, queue),
  })
}

/** What an option names: a path, or something else; or all of it, as `{ key: value }` in YAML or JSON. */
function pathOf(option: string, text: unknown, isPath: RegExp): unknown {
  if (typeof text !== 'string' || /^https?:/i.test(text)) return text
  if (text.trimStart().startsWith('{')) return parseSpec(text, { name: option }).spec
  return isPath.test(text) ? resolve(text) : text
}

/** Another solver has other options; the one that is there keeps its own. */
function solverOf(current: unknown, named: unknown): unknown {
  const present = typeof current === 'object' && current !== null ? (current as { name?: unknown }).name : current
  return named === present ? undefined : named
}

/** Whether a file is the spec of an attack. */
export function hasModel(file: string | undefined): boolean {
  return file !== undefined && 'model' in readSpec(file).spec
}
