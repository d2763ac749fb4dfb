import { askInPieces, recordFailure } from '../../optimizer/core/answers.ts'
import { ZerothError } from '../../optimizer/core/errors.ts'
import {
  count,
  flag,
  integerFrom,
  listOf,
  mapped,
  noted,
  optional,
  positive,
  recordOf,
  refine,
  table,
  text,
  union,
  withDefault,
} from '../../optimizer/core/options.ts'
import { definePart } from '../../optimizer/core/part.ts'
import { summarize } from '../../optimizer/core/statistics.ts'
import type { Answers, ClosableObjective, Queries } from '../../optimizer/core/types.ts'
import type { NamedVariables, Value } from '../../optimizer/core/variable-types.ts'
import { variablesOption } from '../../optimizer/core/variables.ts'
import { closable } from '../../optimizer/objectives/closable.ts'
import { checkVariables } from '../../optimizer/objectives/function.ts'
import { referenceOptions, type SecretSource } from '../../optimizer/remote/secret.ts'
import { urlObject } from '../../optimizer/remote/url.ts'
import { failedRun, type Limit, limitOf, type Ran, runProgram, type Source, sourceOf } from './command/measure.ts'
import {
  checkPlaceholders,
  filledCommand,
  filledWord,
  namesIn,
  type Template,
  templateOf,
  valuesByName,
} from './command/template.ts'
import { openProgram, type Program } from './exec/program.ts'
import { withoutSecrets } from './exec.ts'

const plain = refine(text, (value) => !value.includes('\0'), 'must not hold a zero byte')

const words = refine(listOf(plain, 1), ([file]) => file !== '', 'must not be empty', [0])

/** A command line with placeholders: each query is a setting, whose value is measured by running it. */
export const commandObjective = definePart({
  kind: 'objective',
  name: 'command',
  summary: 'A command line with {placeholders}, measured by its run time or by what it prints.',
  options: table({
    /** Number of variables. */
    dim: count,
    /** The variables by name; those of the spec if left out there. */
    variables: optional(variablesOption),
    /**
     * The program and its arguments; there is no shell. {name} is replaced by the value of that variable, {{ and }} are
     * braces, ${NAME} is an environment variable. An argument is left out where a variable in it does not matter, or where it
     * is a variable alone whose value is the empty text.
     */
    command: words,
    /** The folder it is started in; the current one if left out, in a spec the folder of the spec. */
    cwd: noted(
      optional(
        union(
          refine(plain, (value) => value !== '', 'must not be empty'),
          urlObject,
        ),
      ),
      {
        path: 'folder',
      },
    ),
    /** Added to its environment: texts with {name} as in the command, or { env } and { file } that say where a secret is. Default {}. */
    env: noted(
      withDefault(
        mapped(recordOf(union(plain, ...referenceOptions)), (env) => withoutSecrets(env)),
        {},
      ),
      { secret: true },
    ),
    /** The value of a run: time (seconds), exit-code, last-number, json:.path.to.a.number or regex:PATTERN. Default 'time'. */
    measure: withDefault(text, 'time'),
    /** True where more is better: the run then minimises the value times -1. Default false. */
    maximize: withDefault(flag, false),
    /** Limits such as "json:.p99 <= 500" or "time <= 2": a setting that breaks one is no result. Default []. */
    constraints: withDefault(listOf(text), []),
    /** Runs per query, of which the median counts. At least 1 and at most 10000; default 1. */
    repeats: withDefault(integerFrom(1, 10_000), 1),
    /** Runs per query before those that count. At least 0 and at most 10000; default 0. */
    warmup: withDefault(integerFrom(0, 10_000), 0),
    /** A command that is run before each run, as `command` is written. */
    prepare: optional(words),
    /** A command that is run after the last run of each query. */
    cleanup: optional(words),
    /** Milliseconds in which a run must end. Above 0; default 600000. */
    timeout: withDefault(positive, 600_000),
    /** Settings that are measured at once. At least 1 and at most 1024; default 1. */
    concurrency: withDefault(integerFrom(1, 1024), 1),
    /** Bytes of output of a run at most. At least 1; default 10000000. */
    maxOutputBytes: withDefault(count, 10_000_000),
  }),
  examples: (dim) => {
    const names = Array.from({ length: dim }, (_, i) => `x${i}`)
    const variables = Object.fromEntries(names.map((name) => [name, { from: -5, to: 5 }]))
    const command = [process.execPath, '-e', sumOfSquares, '--', ...names.map((name) => `{${name}}`)]
    return [
      { dim, variables, command, measure: 'last-number' },
      { dim, variables, command, measure: 'regex:sum (.*)', concurrency: 2, repeats: 2 },
    ]
  },
  make: ({ dim, variables, concurrency, ...options }): ClosableObjective => {
    if (variables === undefined) throw new ZerothError('invalid-option', 'command.variables is required: what is tuned')
    checkVariables('command', variables, dim)
    const bench = openBench(options, variables)
    const x = new Float64Array(dim)

    const answer = async (queries: Queries, row: number, into: Answers, signal: AbortSignal): Promise<void> => {
      try {
        queries.write(row, x)
        enter(await bench.measured(valuesByName(variables, x), signal), row, into, bench)
      } catch (error) {
        recordFailure(into, row, error)
      }
    }

    const evaluate = (queries: Queries, into: Answers, stop: AbortController): Promise<void> => {
      into.notes = new Float64Array(queries.rows * detailCount(bench.limits)).fill(Number.NaN)
      return askInPieces({ rows: queries.rows, size: 1, width: concurrency, stop }, into, ({ first: row }) =>
        answer(queries, row, into, stop.signal),
      )
    }

    return { dim, ...closable(evaluate, () => undefined) }
  },
})

/** What is known of a query beside its value: what was measured, each limit, the spread of its runs, and its seconds. */
export const commandDetails = ['measured', 'spread', 'seconds'] as const

function detailCount(limits: readonly unknown[]): number {
  return commandDetails.length + limits.length
}

/** What the runs of one setting have shown. */
interface Measured {
  readonly value: number
  /** The largest value less the smallest. */
  readonly spread: number
  /** Of all its runs, those before the ones that count and their preparation included. */
  readonly seconds: number
  readonly limits: readonly number[]
}

/** Puts what was measured where it belongs; a setting that breaks a limit has failed, and says by how much. */
function enter({ value, spread, seconds, limits: found }: Measured, row: number, into: Answers, bench: Bench): void {
  const { limits, maximize } = bench
  into.notes?.set([value, spread, seconds, ...found], row * detailCount(limits))
  const excesses = limits.map((limit, i) => limit.excess(found[i] as number))
  into.constraints?.set(excesses, row * limits.length)
  const broken = limits.findIndex((_, i) => !((excesses[i] as number) <= 0))
  if (broken < 0) into.values[row] = maximize ? -value : value
  else recordFailure(into, row, `${limits[broken]?.text} does not hold: it is ${found[broken]}`)
}

/** A command line that can be measured at any setting. */
interface Bench {
  readonly limits: readonly Limit[]
  readonly maximize: boolean
  measured(values: ReadonlyMap<string, Value | undefined>, signal: AbortSignal): Promise<Measured>
}

interface BenchOptions {
  readonly command: readonly string[]
  readonly prepare?: readonly string[] | undefined
  readonly cleanup?: readonly string[] | undefined
  readonly cwd?: string | undefined
  readonly env: Readonly<Record<string, SecretSource>>
  readonly measure: string
  readonly maximize: boolean
  readonly constraints: readonly string[]
  readonly repeats: number
  readonly warmup: number
  readonly timeout: number
  readonly maxOutputBytes: number
}

function openBench(options: BenchOptions, variables: NamedVariables): Bench {
  const { measure, constraints, repeats, warmup, maximize } = options
  const source = sourceOf(measure, 'command.measure')
  const limits = constraints.map((each, i) => limitOf(each, `command.constraints.${i}`))
  const main = openCommand(options.command, options)
  const [prepare, cleanup] = [options.prepare, options.cleanup].map((each) => each && openCommand(each, options))
  checkPlaceholders(
    [main, prepare, cleanup].flatMap((each) => each?.names ?? []),
    variables,
  )
  const succeeds = [source, ...limits].every(({ text: given }) => given !== 'exit-code')

  return {
    limits,
    maximize,
    async measured(values, signal) {
      const began = performance.now()
      const program = main.filled(values)
      const once = async (): Promise<Ran> => {
        if (prepare !== undefined) await succeeded(prepare.filled(values), signal)
        return succeeds ? await succeeded(program, signal) : await runProgram(program, signal)
      }
      try {
        for (let i = 0; i < warmup; i++) await once()
        const found: number[][] = []
        for (let i = 0; i < repeats; i++) found.push(numbersOf(await once(), [source, ...limits], program))
        const [value, ...others] = Array.from({ length: 1 + limits.length }, (_, k) =>
          summarize(found.map((each) => each[k] as number)),
        )
        if (value === undefined) throw new ZerothError('query-failed', 'command: nothing was measured')
        const seconds = (performance.now() - began) / 1000
        const spread = value.largest - value.smallest
        return { value: value.median, spread, seconds, limits: others.map(({ median }) => median) }
      } finally {
        if (cleanup !== undefined && !signal.aborted) await succeeded(cleanup.filled(values), signal)
      }
    },
  }
}

/** Runs a program that must end well. */
async function succeeded(program: Program, signal: AbortSignal): Promise<Ran> {
  const ran = await runProgram(program, signal)
  const failure = failedRun(program, ran)
  if (failure !== undefined) throw failure
  return ran
}

function numbersOf(ran: Ran, sources: readonly Source[], program: Program): number[] {
  return sources.map(({ read }) => {
    const value = read(ran)
    if (typeof value === 'number') return value
    const stderrTail = ran.stderr === '' ? [] : ran.stderr.split('\n')
    throw program.failure(program.redact(value), { stderrTail })
  })
}

/**
 * The words of a command line at a setting, and the environment variables that the setting decides: nothing else of the
 * environment, which may hold what nobody should see.
 */
export function settingWords(
  { command, env = {} }: { readonly command: readonly string[]; readonly env?: Readonly<Record<string, unknown>> },
  variables: NamedVariables,
  point: ArrayLike<number>,
): { readonly words: readonly string[]; readonly env: readonly (readonly [name: string, value: string])[] } {
  const values = valuesByName(variables, point)
  const decided = Object.entries(env).flatMap(([name, text]): [string, string][] => {
    const template = typeof text === 'string' ? templateOf(text) : []
    const word = namesIn(template).length === 0 ? undefined : filledWord(template, values)
    return word === undefined ? [] : [[name, word]]
  })
  const templates = command.map((word) => templateOf(word))
  return { words: filledCommand(templates, values), env: decided }
}

/** A command with placeholders, and how it is filled. */
interface Command {
  readonly names: readonly string[]
  filled(values: ReadonlyMap<string, Value | undefined>): Program
}

function openCommand(command: readonly string[], options: BenchOptions): Command {
  const { cwd, env, timeout, maxOutputBytes } = options
  const program = openProgram({ command, cwd, env, timeout, maxLineBytes: maxOutputBytes, part: 'command' })
  const templates = command.map((word) => templateOf(word, program.expand))
  const settings = Object.entries(env).flatMap(([name, value]): [string, Template][] =>
    typeof value === 'string' ? [[name, templateOf(value)]] : [],
  )
  const first = templates[0] as Template
  return {
    names: [...templates, ...settings.map(([, each]) => each)].flatMap(namesIn),
    filled(values) {
      const file = filledWord(first, values)
      if (file === undefined || file === '') {
        throw new ZerothError('query-failed', 'command: there is no program with these values')
      }
      const texts = settings.flatMap(([name, each]) => {
        const value = filledWord(each, values)
        return value === undefined ? [] : [[name, value]]
      })
      const secrets = Object.entries(program.env).filter(([name]) => typeof env[name] !== 'string')
      return {
        ...program,
        file,
        args: filledCommand(templates.slice(1), values),
        env: Object.fromEntries([...secrets, ...texts]),
        // Which program is started may be a choice: one that is not there is a setting that fails.
        failure: (what, details) =>
          program.failure(what, namesIn(first).length > 0 ? { ...details, code: 'query-failed' } : details),
      }
    },
  }
}

/** What the conformance suite asks. */
const sumOfSquares = `
  const sum = process.argv.slice(1).reduce((sum, each) => sum + Number(each) * Number(each), 0)
  console.log('sum ' + sum)`
