import { andThen, isPromise } from '../core/async.ts'
import { runToEnd } from '../core/engine.ts'
import { type Aborted, type Finished, type Outcome, type Report, show, ZerothError } from '../core/errors.ts'
import {
  count,
  custom,
  filledText,
  flag,
  functionThat,
  type Input,
  join,
  type Output,
  optional,
  parseOptions,
  positive,
  type Table,
  table,
  withDefault,
} from '../core/options.ts'
import { part } from '../core/part.ts'
import { Session } from '../core/session.ts'
import { defaultMaxQueries, type SessionOptions, sessionOptions } from '../core/session-options.ts'
import { isNamedVariables } from '../core/space.ts'
import type { Answers, HistoryRecord, Objective, Queries, Solver } from '../core/types.ts'
import type { NamedVariables, PointOf, Start, Variables } from '../core/variable-types.ts'
import { type RareMethods, usualAuto } from '../methods/auto.ts'
import { isUsual } from '../methods/auto-rule.ts'
import {
  type BatchFunction,
  batchedObjective,
  functionObjective,
  type NamedBatchFunction,
  type NamedFunction,
  type PointFunction,
  takingPoint,
  takingPoints,
} from '../objectives/function.ts'

/** Called after each iteration, with the session for its checkpoint; `'stop'` ends the run. May be asynchronous. */
export type OnIteration = (record: HistoryRecord, session: Session) => unknown

/** Options of a run: those of a session, how to call the objective, and how to watch and stop it. Variables have been made. */
export const plainOptions = join(
  sessionOptions,
  table({
    /** The method. Default auto(). */
    solver: optional(part<Solver>('solver', 'start')),
    /** The objective takes a list of points and returns a list of numbers. Default false. */
    batched: withDefault(flag, false),
    /** Points per call of a batched objective at most. At least 1. */
    batchSize: optional(count),
    /**
     * Calls of an asynchronous objective under way at once: of one batch or, for methods that can ask for the next point before all
     * are answered (bayesian, cma-es), of whatever comes next. Above 1 the way of these depends on the order of the answers. At least 1.
     */
    concurrency: optional(count),
    /** Milliseconds after which an asynchronous query counts as failed. Above 0. */
    timeout: optional(positive),
    /** A folder that keeps the run, with a report; a run that is there is continued. Not in browsers. */
    out: optional(filledText),
    /** Stops the run, which then returns what it has. */
    signal: optional(custom<AbortSignal>((value) => value instanceof AbortSignal, 'must be an AbortSignal')),
    /** Called after each iteration; return "stop" to end the run. */
    onIteration: optional(functionThat<OnIteration>('must be a function')),
  }),
)

/** Options of `minimize`. */
export interface RunOptions extends Omit<Input<typeof plainOptions>, 'variables'> {
  /** Variables by name, and what each may be; not together with set. */
  readonly variables?: Variables | NamedVariables | undefined
}

/** The options of a run, with its method. */
interface ReadOptions extends Output<typeof plainOptions> {
  readonly solver: Solver
}

/** Options of a run whose variables have names. */
export interface VariableOptions<Of = Variables> extends Omit<RunOptions, 'variables' | 'set' | 'batched'> {
  /** The variables by name: what each may be. The function is called with an object of these names. */
  readonly variables: Of | NamedVariables<Of>
  /** Whether the objective takes a list of points: not this one. */
  readonly batched?: false | undefined
}

/** Options of a run whose variables have names, for a function that takes a list of points. */
export interface BatchedVariableOptions<Of = Variables> extends Omit<VariableOptions<Of>, 'batched'> {
  /** Says that the objective takes a list of points and returns a list of numbers. */
  readonly batched: true
}

/** What a run found, with the best point by name. */
export type Named<Found, Of> = Found extends unknown
  ? Omit<Found, 'variables'> & { readonly variables: PointOf<Of> }
  : never

/** What follows the function where variables have names: the options, behind a start if there is one. */
export type StartAndOptions<Of, Options> = [options: Options] | [start: Start<Of>, options: Options]

/** The start and the options of a run. With named variables the start may be left out, and the options come second. */
export function startAndOptions(second: unknown, third: unknown): { start: Start | undefined; options: unknown } {
  const isOptions = typeof second === 'object' && second !== null && 'variables' in second
  if (third === undefined && isOptions) return { start: undefined, options: second }
  return { start: second as Start, options: third === undefined ? {} : third }
}

/** Options of `minimize` for a function of one point. */
export interface MinimizeOptions extends Omit<RunOptions, 'variables'> {
  /** Variables with names change what the function is given: see `VariableOptions`. */
  readonly variables?: undefined
  /** Whether the objective takes a list of points: not this one. */
  readonly batched?: false | undefined
}

/** Options of `minimize` for a function that takes a list of points and returns a list of numbers. */
export interface BatchedOptions extends Omit<RunOptions, 'variables'> {
  /** Variables with names change what the function is given: see `BatchedVariableOptions`. */
  readonly variables?: undefined
  /** Says that the objective takes a list of points and returns a list of numbers. */
  readonly batched: true
}

/** Options of `minimize` for an objective: it is asked in own units, as lists, whether variables have names or not. */
export interface ObjectiveOptions extends Omit<MinimizeOptions, 'variables'> {
  /** Variables with names, as a compiled spec has them. */
  readonly variables?: NamedVariables | undefined
}

/** What a run returns: the best evaluated point, its value, and the whole account. */
export type Result = Finished | Aborted

/** What can be minimised. */
export type Minimized = PointFunction | BatchFunction | NamedFunction | NamedBatchFunction | Objective

/**
 * Minimises a function that can only be queried. Synchronous functions are called in a plain loop; asynchronous and
 * batched ones are awaited. Rejects when the objective fails under the policy `stop`; whatever error
 * ends a run carries its `outcome` and its `checkpoint`. With `variables` the function is called with an object of their
 * names, and the start may be left out: it is the middle of each.
 */
export function minimize(
  f: PointFunction | Objective,
  start: ArrayLike<number>,
  options?: MinimizeOptions,
): Promise<Result>
export function minimize(f: BatchFunction, start: ArrayLike<number>, options: BatchedOptions): Promise<Result>
export function minimize(f: Objective, start: Start, options: ObjectiveOptions): Promise<Result>
export function minimize<const Of extends Variables>(
  f: NamedFunction<Of> | Objective,
  ...given: StartAndOptions<Of, VariableOptions<Of>>
): Promise<Named<Result, Of>>
export function minimize<const Of extends Variables>(
  f: NamedBatchFunction<Of>,
  ...given: StartAndOptions<Of, BatchedVariableOptions<Of>>
): Promise<Named<Result, Of>>
export async function minimize(f: Minimized, second?: unknown, third?: unknown): Promise<Result> {
  const { start, options: given } = startAndOptions(second, third)
  const options = parseOptions('minimize', declares(given) ? await tableWithVariables() : plainOptions, given)
  const isDefault = options.solver === undefined && options.out === undefined && typeof f === 'function'
  const problem = problemOf(start, options)
  const isSmall = isDefault && isUsual(problem)
  const rare: NoisyMethod = {}
  const solver = options.solver ?? (isSmall ? usualAuto(rare) : await loadAuto())
  const { session, objective: bare, ...prepared } = prepare(f, start, { ...options, solver })
  const objective = isSmall ? loadingNoisy(bare, rare, problem.dim) : bare
  const { signal, onIteration, clock, out: folder } = options
  if (folder !== undefined) {
    const { keepRun } = await loadKeeper()
    return keepRun({ folder, f, objective, start, options: prepared.options, signal, onIteration })
  }
  try {
    return resultOf(await runToEnd(session, objective, { signal, onIteration }, clock))
  } catch (error) {
    throw withFindings(error, session)
  }
}

/** What keeps runs in folders. It needs files and all that reads them, so that bundlers must not find it here. */
async function loadKeeper(): Promise<{ keepRun(run: KeptRun): Promise<Result> }> {
  const place = '#kept-run'
  try {
    return await import(/* @vite-ignore */ place)
  } catch (cause) {
    const where = 'Node, Bun or Deno, and zeroth as it was installed, not in a bundle'
    throw new ZerothError('invalid-option', `minimize.out needs ${where}`, { cause })
  }
}

/** Whether options hold variables that have to be made. */
function declares(given: unknown): boolean {
  const { variables } = Object(given) as { variables?: unknown }
  return variables !== undefined && !isNamedVariables(variables)
}

/** What makes variables is loaded only for a run that has such: most have none. */
async function tableWithVariables(): Promise<typeof plainOptions> {
  const { variablesOption } = await import('../core/variables.ts')
  return join(plainOptions, table({ variables: optional(variablesOption) })) as Table as typeof plainOptions
}

/** The default method with all that it may hand over to, for the problems that need more than `usualAuto` has. */
async function loadAuto(): Promise<Solver> {
  const { auto } = await import('../methods/auto-part.ts')
  return auto()
}

type NoisyMethod = Pick<Partial<RareMethods>, 'noisySolver'>

/**
 * Loads the method for noisy answers where a point that is asked twice in a row is answered differently, before the run hears of
 * it: most runs do without.
 */
function loadingNoisy(objective: Objective, rare: NoisyMethod, dim: number): Objective {
  let [last, next] = [new Float64Array(dim).fill(Number.NaN), new Float64Array(dim)]
  let answer = ''
  const note = (queries: Queries, { failed, values, constraints }: Answers): void | Promise<void> => {
    queries.write(0, next)
    const before = answer
    answer = `${failed[0] === 1 ? 'failed' : values[0]} ${constraints}`
    const isSame = next.every((each, i) => each === last[i])
    ;[last, next] = [next, last]
    if (!isSame || answer === before) return undefined
    return import('../methods/noisy-descent.ts').then(({ noisySolver }) => void Object.assign(rare, { noisySolver }))
  }
  const evaluate: Objective['evaluate'] = (queries, into, signal) => {
    const asked = objective.evaluate(queries, into, signal)
    return rare.noisySolver === undefined ? andThen(asked, () => note(queries, into)) : asked
  }
  return { ...objective, evaluate }
}

function problemOf(start: Start | undefined, { variables, set, ...options }: Output<typeof plainOptions>) {
  const { maxQueries = defaultMaxQueries, resume } = options
  const dim = variables?.names.length ?? (start as ArrayLike<number> | undefined)?.length ?? 0
  return { dim, maxQueries, set: variables?.set ?? set, resume }
}

/** What keeps a run in a folder. */
export interface KeptRun extends Pick<RunOptions, 'signal' | 'onIteration'> {
  readonly folder: string
  /** What the user gave; `objective` calls it. */
  readonly f: Minimized
  readonly objective: Objective
  readonly start: Start | undefined
  readonly options: SessionOptions
}

/** A session and its options, and the objective that answers it. */
export function prepare(
  f: Minimized,
  start: Start | undefined,
  options: ReadOptions,
): { session: Session; options: SessionOptions; objective: Objective } {
  const { batched, batchSize, concurrency, timeout, signal: _, onIteration: __, out: ___, ...rest } = options
  refuseUseless(f, options)
  const { variables } = rest
  const session = new Session(start, { ...rest, concurrency: concurrency ?? 1 })
  const how = { dim: variables?.names.length ?? (start as ArrayLike<number>).length, timeout }
  if (typeof f === 'object' && f !== null) {
    if (typeof f.evaluate !== 'function') {
      throw new ZerothError('invalid-objective', 'the objective is an object without evaluate(queries, into, signal)')
    }
    if (f.dim !== how.dim) {
      const found = variables === undefined ? `the start ${how.dim}` : `but ${how.dim} are named`
      throw new ZerothError('invalid-objective', `the objective has ${f.dim} variables, ${found}`)
    }
    return { session, options: rest, objective: f }
  }
  if (typeof f !== 'function') {
    throw new ZerothError('invalid-objective', `the objective must be a function or an Objective, got ${show(f)}`)
  }
  const objective = batched
    ? batchedObjective(takingPoints(f, variables), { ...how, batchSize })
    : functionObjective(takingPoint(f, variables), { ...how, concurrency })
  return { session, options: rest, objective }
}

/** Puts what a run had found, and where it stood, on an error that ends it: hours of queries must not be lost. */
export function withFindings(error: unknown, session: Session): unknown {
  if (!(error instanceof Error)) return error
  session.stop('aborted')
  // Not for loops over its keys: the outcome holds the error again, and JSON cannot hold a cycle.
  const hidden = { configurable: true, writable: true, enumerable: false }
  Object.defineProperty(error, 'outcome', { ...hidden, value: session.outcome })
  return Object.defineProperty(error, 'checkpoint', { ...hidden, value: session.checkpoint() })
}

/** Options that would do nothing are mistakes worth saying. */
function refuseUseless(f: unknown, options: ReadOptions): void {
  const { batched, batchSize, concurrency, timeout } = options
  const useless = Object.entries({ batched: batched || undefined, batchSize, timeout })
  const [name] = useless.find(([, value]) => typeof f === 'object' && value !== undefined) ?? []
  if (name !== undefined) {
    const advice = 'give it to the objective itself, or wrap it with timed or limited'
    throw new ZerothError(
      'invalid-option',
      `minimize.${name} is for functions; with an objective it does nothing: ${advice}`,
    )
  }
  if (!batched && batchSize !== undefined) {
    throw new ZerothError('invalid-option', 'minimize.batchSize does nothing without batched: true')
  }
  if (batched && concurrency !== undefined) {
    throw new ZerothError(
      'invalid-option',
      'minimize.concurrency does nothing with batched: true: batches follow each other',
    )
  }
}

/** An outcome that is no failure; a failure is thrown. */
export function resultOf(outcome: Outcome): Result {
  if (outcome.status === 'failed') throw outcome.error
  return outcome
}

type Maximized = PointFunction | BatchFunction | NamedFunction | NamedBatchFunction | Objective

/** Maximises a function: `target`, values and history are those of the function itself, not of its negative. */
export function maximize(
  f: PointFunction | Objective,
  start: ArrayLike<number>,
  options?: MinimizeOptions,
): Promise<Result>
export function maximize(f: BatchFunction, start: ArrayLike<number>, options: BatchedOptions): Promise<Result>
export function maximize<const Of extends Variables>(
  f: NamedFunction<Of> | Objective,
  ...given: StartAndOptions<Of, VariableOptions<Of>>
): Promise<Named<Result, Of>>
export function maximize<const Of extends Variables>(
  f: NamedBatchFunction<Of>,
  ...given: StartAndOptions<Of, BatchedVariableOptions<Of>>
): Promise<Named<Result, Of>>
export async function maximize(f: Maximized, second?: unknown, third?: unknown): Promise<Result> {
  const { start, options } = startAndOptions(second, third)
  // What is not of the right kind is left as it is, for `minimize` to refuse.
  const { target, onIteration, out } = (options ?? {}) as MinimizeOptions
  if (out !== undefined) {
    const advice = 'minimize -f: the folder would hold the negative values'
    throw new ZerothError('invalid-option', `maximize.out is not supported: ${advice}`)
  }
  const negativeOptions = {
    ...(options as MinimizeOptions),
    ...(typeof target === 'number' ? { target: -target } : {}),
    ...(typeof onIteration === 'function'
      ? { onIteration: (record: HistoryRecord, session: Session) => onIteration(turnedRecord(record), session) }
      : {}),
  }
  try {
    return turned(await minimize(negated(f) as PointFunction, start as ArrayLike<number>, negativeOptions))
  } catch (error) {
    const failure = error as { outcome?: Report }
    if (failure.outcome !== undefined) failure.outcome = turned(failure.outcome)
    throw error
  }
}

function turned<T extends Report>(report: T): T {
  const last = { ...report.last, value: -report.last.value }
  const { estimate: known } = report
  const turnedEstimate = known && { estimate: { ...known, mean: -known.mean } }
  return { ...report, value: -report.value, ...turnedEstimate, last, history: report.history.map(turnedRecord) }
}

function turnedRecord(record: HistoryRecord): HistoryRecord {
  return { ...record, value: -record.value, best: -record.best }
}

function negated(f: Maximized): unknown {
  if (typeof f === 'object' && f !== null) return negatedObjective(f)
  if (typeof f !== 'function') return f
  return (...query: unknown[]) => {
    const answer = (f as (...query: unknown[]) => unknown)(...query)
    return isPromise(answer) ? answer.then(negative) : negative(answer)
  }
}

/** Leaves what is no finite number as it is, so that the error about it shows what was really returned. */
function negative(answer: unknown): unknown {
  if (typeof answer === 'number') return Number.isFinite(answer) ? -answer : answer
  const isList = Array.isArray(answer) || ArrayBuffer.isView(answer)
  return isList ? Array.from(answer as unknown as ArrayLike<unknown>, negative) : answer
}

function negatedObjective(objective: Objective): Objective {
  const negate = (queries: Queries, into: Answers): void => {
    for (let row = 0; row < queries.rows; row++) into.values[row] = negative(into.values[row]) as number
  }
  return {
    dim: objective.dim,
    evaluate(queries, into, signal) {
      const work = objective.evaluate(queries, into, signal)
      return work === undefined ? negate(queries, into) : work.then(() => negate(queries, into))
    },
  }
}
