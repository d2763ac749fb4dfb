import type { Command } from 'commander'
import { parts } from '../index.ts'
import {
  type Bounds,
  bounds,
  collected,
  milliseconds,
  number,
  type SecretPlace,
  type StartValue,
  secretPlace,
  start,
  type Variables,
  variable,
  wholeNumber,
} from './option-values.ts'

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
    .option('--start <x>', 'where to begin: a number for all, one each, rate=0.01,width=2, or a JSON file', start)
    .option('--bounds <lower,upper>', '-1,1 for all variables, or a pair each: -1:1,0:5', bounds)
    .optionsGroup('How:')
    .option('--solver <name>', `the method (default: auto, which chooses): ${names('solver')}`)
    .option('--learning-rate <n>', "the solver's learning rate", number)
    .option('--directions <n>', "the solver's directions per iteration", wholeNumber(1))
    .option('--smoothing <n>', "the solver's smoothing", number)
    .option('--seed <n>', 'determines every random number (default: 0)', wholeNumber(0))
    .option('--precision <p>', 'float64 or float32 (default: float64)')
    .option('-O, --option <key=value>', 'any key of the spec, as in solver.beta1=0.9; may be repeated', collected)
    .optionsGroup('When to stop:')
    .option('--max-queries <n>', 'queries at most (default: 10000 if nothing else limits the run)', wholeNumber(1))
    .option('--max-iterations <n>', 'iterations at most', wholeNumber(0))
    .option('--max-time <time>', 'for the whole run: milliseconds, or 30s, 10m, 2h', milliseconds)
    .option('--target <value>', 'stop when a point has this value or a better one', number)
    .optionsGroup('Asking:')
    .option('-j, --jobs <n>', 'queries under way at once; a module then runs in so many threads', wholeNumber(1))
    .option('--timeout <time>', 'for one query: milliseconds, or 30s, 2m', milliseconds)
    .option('--retries <n>', 'retries per failed query', wholeNumber(0))
    .option('--rate <n>', 'queries per second at most', number)
    .option('--failures <policy>', 'what a failed query does: stop, skip or worst (default: stop)')
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
    .option('--function <name>', `a test problem: ${names('problem')}`)
    .option('--exec <command>', 'a program that speaks JSON lines, as in "python3 objective.py"; no shell')
    .option('--http <url>', 'a service that answers {"x": [...]} with {"value": ...}')
    .option('--module <file>', 'a JavaScript module; file.js#name takes another export than the default')
    .option('--dim <n>', 'number of variables', wholeNumber(1))
    .option(
      '--variable <range>',
      'a variable by name, as in width=0..4 or rate=1e-5..0.1:log; may be repeated, instead of --dim',
      variable,
    )
}

function names(kind: 'problem' | 'solver'): string {
  return parts[kind].map(({ definition }) => definition.name).join(', ')
}
