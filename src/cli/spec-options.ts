import { resolve } from 'node:path'
import type { Command } from 'commander'
import { ZerothError } from '../index.ts'
import { type JsonObject, readSpec, type SpecSource } from '../spec/index.ts'
import { commandWords } from './command-words.ts'
import { bounds, jsonOrText, milliseconds, number, start, wholeNumber } from './option-values.ts'

/** What the options of a command say about a problem and how to solve it. */
export interface SpecFlags {
  readonly function?: string
  readonly exec?: string
  readonly http?: string
  readonly module?: string
  readonly dim?: number
  readonly start?: number | number[]
  readonly bounds?: [number, number]
  readonly solver?: string
  readonly learningRate?: number
  readonly directions?: number
  readonly smoothing?: number
  readonly seed?: number
  readonly maxQueries?: number
  readonly maxIterations?: number
  readonly target?: number
  readonly timeout?: number
  readonly maxTime?: number
  readonly jobs?: number
  readonly failures?: string
  readonly precision?: string
  readonly retries?: number
  readonly rate?: number
  readonly log?: boolean
  readonly option?: readonly string[]
}

/** Adds the options that describe a problem; each stands for a key of the spec and goes before the file's. */
export function withSpecOptions(command: Command): Command {
  return command
    .option('--function <name>', 'a test problem: rosenbrock, quadratic, ...')
    .option('--exec <command>', 'a program that speaks JSON lines, as in "python3 objective.py"; no shell')
    .option('--http <url>', 'a service that answers {"x": [...]} with {"value": ...}')
    .option('--module <file>', 'a JavaScript module; file.js#name takes another export than the default')
    .option('--dim <n>', 'number of variables', wholeNumber(1))
    .option('--start <x>', 'where to begin: a number for all, numbers with commas, or a JSON file', start)
    .option('--bounds <lower,upper>', 'keep every variable between two numbers', bounds)
    .option('--solver <name>', 'the method (default: zo-adamm)')
    .option('--learning-rate <n>', "the solver's learning rate", number)
    .option('--directions <n>', "the solver's directions per iteration", wholeNumber(1))
    .option('--smoothing <n>', "the solver's smoothing", number)
    .option('--seed <n>', 'determines every random number (default: 0)', wholeNumber(0))
    .option('--max-queries <n>', 'queries at most', wholeNumber(1))
    .option('--max-iterations <n>', 'iterations at most', wholeNumber(0))
    .option('--target <value>', 'stop when a point has this value or a better one', number)
    .option('--timeout <time>', 'per query: milliseconds, or 30s, 2m', milliseconds)
    .option('--max-time <time>', 'for the whole run: milliseconds, or 30s, 10m, 2h', milliseconds)
    .option('-j, --jobs <n>', 'queries under way at once', wholeNumber(1))
    .option('--failures <policy>', 'what a failed query does: stop, skip or worst (default: stop)')
    .option('--precision <p>', 'float64 or float32 (default: float64)')
    .option('--retries <n>', 'ask a failed query again so often', wholeNumber(0))
    .option('--rate <n>', 'queries per second at most', number)
    .option('--log', 'save every query in the run (calls.jsonl)')
    .option('-O, --option <key=value...>', 'any key of the spec, as in solver.beta1=0.9 (JSON values)')
}

/** The spec that a file, if one is given, and the options describe together. */
export function specOf(file: string | undefined, flags: SpecFlags): SpecSource {
  const source: SpecSource = file === undefined ? { spec: {}, folder: process.cwd(), locate: () => '' } : readSpec(file)
  const spec = structuredClone(source.spec) as Record<string, unknown>
  const objective = objectiveOf(flags)
  if (objective !== undefined) spec['objective'] = objective
  if (spec['objective'] === undefined) {
    throw new ZerothError(
      'invalid-option',
      'nothing to minimise: give a spec file, or --function, --exec, --http or --module',
    )
  }
  const { dim, start, bounds, seed, maxQueries, maxIterations, target, timeout, maxTime, jobs, failures } = flags
  const { precision, log, retries, rate } = flags
  const retry = retries === undefined ? undefined : retries > 0 && { attempts: retries + 1 }
  const simple = {
    dim,
    start,
    seed,
    maxQueries,
    maxIterations,
    target,
    timeout,
    maxTime,
    jobs,
    failures,
    precision,
    log,
  }
  assignGiven(spec, { ...simple, retry, rate: rate === undefined ? undefined : { perSecond: rate } })
  if (bounds !== undefined) {
    delete spec['set']
    spec['bounds'] = bounds
  }
  changeSolver(spec, flags)
  for (const assignment of flags.option ?? []) assign(spec, assignment)
  return { ...source, spec: spec as JsonObject }
}

/** The objective that the options name; paths are those of the current folder, not of the spec's. */
function objectiveOf({ function: problem, exec, http, module }: SpecFlags): unknown {
  const given = [
    problem,
    exec === undefined ? undefined : { name: 'exec', command: commandWords(exec), cwd: process.cwd() },
    http === undefined ? undefined : { name: 'http', url: http },
    module === undefined ? undefined : moduleOf(module),
  ].filter((each) => each !== undefined)
  if (given.length > 1) {
    throw new ZerothError('invalid-option', 'only one of --function, --exec, --http and --module can be minimised')
  }
  return given[0]
}

function moduleOf(text: string): object {
  const [file = '', name] = text.split('#')
  return { name: 'module', module: resolve(file), ...(name === undefined ? {} : { export: name }) }
}

function changeSolver(spec: Record<string, unknown>, flags: SpecFlags): void {
  const { solver, learningRate, directions, smoothing } = flags
  if (solver !== undefined) spec['solver'] = solver
  const options = { learningRate, directions, smoothing }
  if (Object.values(options).every((each) => each === undefined)) return
  const current = spec['solver'] ?? 'zo-adamm'
  const changed: Record<string, unknown> = typeof current === 'string' ? { name: current } : { ...(current as object) }
  assignGiven(changed, options)
  spec['solver'] = changed
}

function assignGiven(target: Record<string, unknown>, given: Readonly<Record<string, unknown>>): void {
  for (const [key, value] of Object.entries(given)) if (value !== undefined) target[key] = value
}

/** Puts the value of "a.b=value" into a spec; a part that was a name alone becomes one with options. */
function assign(spec: Record<string, unknown>, assignment: string): void {
  const split = assignment.indexOf('=')
  const path = assignment.slice(0, split).split('.')
  if (
    split < 1 ||
    path.some((key) => key === '' || key === '__proto__' || key === 'constructor' || key === 'prototype')
  ) {
    throw new ZerothError('invalid-option', `--option must be like key=value or part.key=value, got ${assignment}`)
  }
  let target = spec
  for (const key of path.slice(0, -1)) {
    const current = target[key]
    const next = typeof current === 'string' ? { name: current } : { ...((current ?? {}) as object) }
    target[key] = next
    target = next as Record<string, unknown>
  }
  target[path.at(-1) as string] = jsonOrText(assignment.slice(split + 1))
}
