import { resolve } from 'node:path'
import { ZerothError } from '../index.ts'
import { type JsonObject, readSpec, type SpecSource } from '../spec/index.ts'
import { commandWords, jsonOrText } from './option-values.ts'
import type { SpecFlags } from './spec-options.ts'

/** A spec as it was given, and the file it came from, if there was one. */
export interface GivenSpec extends SpecSource {
  readonly file: string | undefined
}

/** Keys of the spec that an option of nearly the same name sets. */
const plainKeys = [
  'dim',
  'start',
  'bounds',
  'seed',
  'precision',
  'maxQueries',
  'maxIterations',
  'maxTime',
  'target',
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
  const all = {
    ...Object.fromEntries(plainKeys.map((key) => [key, flags[key]])),
    variables: flags.variable === undefined ? undefined : { ...asPart(spec.variables), ...flags.variable },
    objective: objectiveOf(flags),
    solver: solverOf(spec.solver, flags),
    jobs,
    retry: retries === undefined ? undefined : retries > 0 && { attempts: retries + 1 },
    rate: rate === undefined ? undefined : { perSecond: rate },
    queue: queueAt(spec.queue, queue),
  }
  return given(all)
}

/** The queue of a spec, which may be its address alone, at another address. */
export function queueAt(queue: unknown, url: unknown): object | undefined {
  if (url === undefined) return undefined
  return { ...(typeof queue === 'object' && queue !== null ? queue : {}), url }
}

/** The objective that the options name; paths are those of the current folder, not of the spec's. */
function objectiveOf({ function: problem, exec, http, module, jobs, timeout }: SpecFlags): unknown {
  const all = given({
    '--function': problem,
    '--exec': exec === undefined ? undefined : { name: 'exec', command: commandWords(exec), cwd: process.cwd() },
    '--http': http === undefined ? undefined : { name: 'http', url: http },
    // In this thread a function could neither be timed nor share its work.
    '--module': module === undefined ? undefined : moduleOf(module, jobs ?? (timeout === undefined ? 0 : 1)),
  })
  const [first, second] = Object.keys(all)
  if (first === undefined || second === undefined) return first === undefined ? undefined : all[first]
  throw new ZerothError('invalid-option', `only one thing can be minimised, got ${first} and ${second}`)
}

function moduleOf(text: string, threads: number): object {
  const [file = '', name] = text.split('#')
  if (file === '') throw new ZerothError('invalid-option', `--module must be a file, got ${JSON.stringify(text)}`)
  const box = threads > 0 ? { name: 'workers', workers: threads } : { name: 'module' }
  return { ...box, module: resolve(file), ...(name === undefined ? {} : { export: name }) }
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
