import { resolve } from 'node:path'
import type { Command } from 'commander'
import { ZerothError } from '../../index.ts'
import type { Value, Variables } from '../../optimizer/core/variable-types.ts'
import { type JsonObject, namesIn, readSpec, type SpecSource, specSchema } from '../spec/index.ts'
import {
  type Bounds,
  bounds,
  collected,
  commandWords,
  jsonOrText,
  milliseconds,
  number,
  type SecretPlace,
  type StartValue,
  secretPlace,
  start,
  wholeNumber,
} from './option-values.ts'
import { valueMeant, variable, withValues } from './variable-text.ts'

/** What the options of a command say about a problem and how to solve it. */
export interface SpecFlags {
  readonly config?: string
  readonly function?: string
  readonly exec?: string
  readonly http?: string
  readonly module?: string
  readonly dim?: number
  readonly variable?: Variables
  readonly start?: StartValue
  readonly bounds?: Bounds
  readonly solver?: string
  readonly learningRate?: number
  readonly directions?: number
  readonly smoothing?: number
  readonly seed?: number
  readonly maxQueries?: number
  readonly maxIterations?: number
  readonly target?: number
  readonly patience?: number
  readonly timeout?: number
  readonly maxTime?: number
  readonly jobs?: number
  readonly failures?: string
  readonly precision?: string
  readonly retries?: number
  readonly rate?: number
  readonly queue?: SecretPlace
  readonly log?: boolean
  readonly option?: readonly string[]
}

/** Adds the options that describe a problem; each stands for a key of the spec and goes before the file's. */
export function withSpecOptions(command: Command): Command {
  return withObjectiveOptions(command.optionsGroup('What is minimised:'))
    .option('--start <x>', 'where to begin: a number for all, one each, rate=0.01,mode=fast, or a JSON file', start)
    .option('--bounds <lower,upper>', '-1,1 for all variables, or a pair each: -1:1,0:5', bounds)
    .optionsGroup('Method:')
    .option(
      '--solver <name>',
      `the method (default: auto, which chooses).\n${solverNames(['without a learning rate', 'with a learning rate'])}\nmade for attacks: see zeroth attack --help`,
    )
    .option('--learning-rate <n>', "the solver's learning rate", number)
    .option('--directions <n>', "the solver's directions per iteration", wholeNumber(1))
    .option('--smoothing <n>', "the solver's smoothing", number)
    .option('--seed <n>', 'determines every random number (default: 0)', wholeNumber(0))
    .option('--precision <p>', 'float64 or float32 (default: float64)')
    .option('-O, --option <key=value>', 'any key of the spec, as in solver.beta1=0.9; may be repeated', collected)
    .optionsGroup('When to stop:')
    .option(
      '--max-queries <n>',
      'maximum number of queries (default: 10000 unless another limit is set)',
      wholeNumber(1),
    )
    .option('--max-iterations <n>', 'maximum number of iterations', wholeNumber(0))
    .option('--max-time <time>', 'for the whole run: milliseconds, or 30s, 10m, 2h', milliseconds)
    .option('--target <value>', 'stop when a point has this value or a better one', number)
    .option('--patience <n>', 'stop after this many queries in a row without a better value', wholeNumber(1))
    .optionsGroup('Evaluation:')
    .option('-j, --jobs <n>', 'concurrent queries; a module runs in that many threads', wholeNumber(1))
    .option('--timeout <time>', 'for one query: milliseconds, or 30s, 2m', milliseconds)
    .option('--retries <n>', 'retries per failed query', wholeNumber(0))
    .option('--rate <n>', 'maximum number of queries per second', number)
    .option('--failures <policy>', 'what a failed query does: avoid, stop, skip or worst (default: avoid)')
    .option(
      '--queue <address>',
      'let workers elsewhere evaluate: redis://host:6379, or env:NAME that holds the address',
      secretPlace,
    )
    .option('--log', 'save every query in the run (calls.jsonl)')
}

/** Adds the options that name an objective. */
export function withObjectiveOptions(command: Command): Command {
  return command
    .option('-c, --config <file>', 'the spec, as the argument')
    .option('--function <name>', `a test problem: ${namesIn(specSchema(), 'objective').join(', ')}`)
    .option('--exec <command>', 'a program that speaks JSON lines, as in "python3 objective.py"; no shell')
    .option('--http <url>', 'a service that answers {"x": [...]} with {"value": ...}')
    .option('--module <file>', 'a JavaScript module (file.js, or file.js#export)')
    .option('--dim <n>', 'number of variables', wholeNumber(1))
    .option(
      '--variable <range>',
      'a variable by name: rate=1e-5..0.1:log, threads=1..16:int, mode=a|b, depth=1..5:int?mode=b; may be repeated',
      variable,
    )
}

/** The methods by what sets them apart, a line for each group. */
export function solverNames(groups: readonly SolverGroup[]): string {
  return groups.map((group) => `${group}: ${namesIn(specSchema(), 'solver', group).join(', ')}`).join('\n')
}

type SolverGroup = 'without a learning rate' | 'with a learning rate' | 'made for attacks'

/** A spec as it was given, and the file it came from, if there was one. */
export interface GivenSpec extends SpecSource {
  readonly file: string | undefined
}

/** Keys of the spec that an option of nearly the same name sets. */
const plainKeys = [
  'dim',
  'bounds',
  'seed',
  'precision',
  'maxQueries',
  'maxIterations',
  'maxTime',
  'target',
  'patience',
  'timeout',
  'failures',
  'log',
] as const

/** What a spec without a solver means. */
const defaultSolver = 'auto'

const advice = 'name one that has, such as --solver zo-adamm'

const solverKeys = ['learningRate', 'directions', 'smoothing'] as const

/** The spec that a file, if one is given, and the options describe together. */
export function specFromOptions(argument: string | undefined, flags: SpecFlags): GivenSpec {
  const source = givenFile(argument, flags.config)
  const given = changes(source.spec, flags)
  const spec: Record<string, unknown> = { ...structuredClone(source.spec), ...given }
  if (given.bounds !== undefined) delete spec.set
  if (spec.objective === undefined) {
    const choices = 'give a spec file, or --function, --exec, --http or --module'
    throw new ZerothError('invalid-option', `nothing to minimise: ${choices}`)
  }
  const assigned = (flags.option ?? []).map((assignment) => assign(spec, assignment))
  const locate = located(source, assigned, (key) => (key in given ? optionOf(key, flags) : undefined))
  return { ...source, spec: spec as JsonObject, locate }
}

/** The spec file that is given, as an argument or by --config; an empty spec where there is none. */
export function givenFile(argument: string | undefined, config: string | undefined): GivenSpec {
  if (argument !== undefined && config !== undefined) {
    throw new ZerothError('invalid-option', `there can be one spec only, got ${argument} and --config ${config}`)
  }
  const file = argument ?? config
  return file === undefined ? { spec: {}, folder: process.cwd(), locate: () => '', file } : { ...readSpec(file), file }
}

/** Where a key of a spec was set: by --option, by an option of its own, or in the file. */
export function located(
  source: SpecSource,
  assigned: readonly string[],
  optionOf: (key: string) => string | undefined,
): SpecSource['locate'] {
  return (path) => {
    const key = String(path[0])
    const option = assigned.includes(key) ? 'option' : optionOf(key)
    return option === undefined ? source.locate(path) : `--${kebab(option)}: `
  }
}

/** A key as an option spells it. */
function kebab(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** The keys of the spec that the options set. */
function changes(spec: JsonObject, flags: SpecFlags): Record<string, unknown> {
  const { jobs, retries, rate, queue } = flags
  const variables = withValues({ ...(spec.variables as Variables | undefined), ...flags.variable })
  const all = {
    ...Object.fromEntries(plainKeys.map((key) => [key, flags[key]])),
    variables: flags.variable === undefined ? undefined : variables,
    start: startOf(flags.start, variables),
    objective: objectiveOf(flags),
    solver: solverOf(spec.solver, flags),
    jobs,
    retry: retries === undefined ? undefined : retries > 0 && { attempts: retries + 1 },
    rate: rate === undefined ? undefined : { perSecond: rate },
    queue: queueAt(spec.queue, queue),
  }
  return given(all)
}

/** A start by name with the values that its texts mean. */
function startOf(start: StartValue | undefined, variables: Variables): StartValue | undefined {
  if (typeof start !== 'object' || Array.isArray(start)) return start
  const read = ([name, each]: [string, unknown]) => [name, valueMeant(each as Value, variables[name])]
  return Object.fromEntries(Object.entries(start).map(read))
}

/** The queue of a spec, which may be its address alone, at another address. */
export function queueAt(queue: unknown, url: unknown): object | undefined {
  if (url === undefined) return undefined
  return { ...(typeof queue === 'object' && queue !== null ? queue : {}), url }
}

/** The objective that the options name; paths are those of the current folder, not of the spec's. */
function objectiveOf({ function: problem, exec, http, module, jobs = 1 }: SpecFlags): unknown {
  const all = given({
    '--function': problem,
    '--exec': exec === undefined ? undefined : { name: 'exec', command: commandWords(exec), cwd: process.cwd() },
    '--http': http === undefined ? undefined : { name: 'http', url: http },
    '--module': module === undefined ? undefined : moduleOf(module, jobs),
  })
  const [first, second] = Object.keys(all)
  if (first === undefined || second === undefined) return first === undefined ? undefined : all[first]
  throw new ZerothError('invalid-option', `only one thing can be minimised, got ${first} and ${second}`)
}

/** A module in threads of its own: Ctrl-C and --timeout end it even in an endless loop. */
function moduleOf(text: string, workers: number): object {
  const [file = '', name] = text.split('#')
  if (file === '') throw new ZerothError('invalid-option', `--module must be a file, got ${JSON.stringify(text)}`)
  return { name: 'workers', workers, module: resolve(file), ...(name === undefined ? {} : { export: name }) }
}

/** The solver with what the options say of it; its other options stay unless another one is named. */
function solverOf(current: unknown, flags: SpecFlags): unknown {
  const options = given(Object.fromEntries(solverKeys.map((key) => [key, flags[key]])))
  const present = asPart(current ?? defaultSolver)
  const isOther = flags.solver !== undefined && flags.solver !== present.name
  const [first] = Object.keys(options)
  if (first === undefined && !isOther) return undefined
  if (first !== undefined && !isOther && present.name === defaultSolver) {
    const named = `--${kebab(first)}`
    throw new ZerothError('invalid-option', `${named}: auto, the default solver, has no such option; ${advice}`)
  }
  return { ...(isOther ? { name: flags.solver } : present), ...options }
}

/** Puts the value of "a.b=value" into a spec and returns "a"; a part that was a name alone becomes one with options. */
export function assign(spec: Record<string, unknown>, assignment: string): string {
  const split = assignment.indexOf('=')
  const path = assignment.slice(0, Math.max(split, 0)).split('.')
  if (path.some((key) => ['', '__proto__', 'constructor', 'prototype'].includes(key))) {
    throw new ZerothError('invalid-option', `--option must be like key=value or part.key=value, got ${assignment}`)
  }
  let target = spec
  for (const key of path.slice(0, -1)) {
    const next = asPart(target[key] ?? (target === spec && key === 'solver' ? defaultSolver : {}))
    target[key] = next
    target = next
  }
  target[path.at(-1) as string] = jsonOrText(assignment.slice(split + 1))
  return path[0] as string
}

function asPart(part: unknown): Record<string, unknown> {
  return typeof part === 'string' ? { name: part } : { ...(part as object) }
}

/** The option that set a key of the spec. */
function optionOf(key: string, flags: SpecFlags): string {
  const named: Readonly<Record<string, readonly (keyof SpecFlags)[]>> = {
    objective: ['function', 'exec', 'http', 'module'],
    solver: ['solver', ...solverKeys],
    retry: ['retries'],
    variables: ['variable'],
  }
  return named[key]?.find((each) => flags[each] !== undefined) ?? key
}

/** Those of some values that are there. */
export function given(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}
