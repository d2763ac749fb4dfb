import { functionObjective, type TestProblem } from '../../index.ts'
import { andThen } from '../../optimizer/core/async.ts'
import { show } from '../../optimizer/core/errors.ts'
import type { Output } from '../../optimizer/core/options.ts'
import type { Answers, Objective, Queries } from '../../optimizer/core/types.ts'
import type { NamedVariables } from '../../optimizer/core/variable-types.ts'
import { around } from '../../optimizer/wrappers/around.ts'
import { cached } from '../../optimizer/wrappers/cached.ts'
import { callLogFile } from '../../optimizer/wrappers/call-log-file.ts'
import { rateLimited } from '../../optimizer/wrappers/limits.ts'
import { logged } from '../../optimizer/wrappers/logged.ts'
import { noisy } from '../../optimizer/wrappers/noisy.ts'
import { retried } from '../../optimizer/wrappers/retried.ts'
import { type QueueObjectiveOptions, queueObjective, type Served, servedBy } from '../executors/queue/index.ts'
import { workersObjective } from '../objectives/index.ts'
import { compilePart, fillPart, readPart, type WrittenPart } from './compile-part.ts'
import { below, failAt, type Place, within } from './place.ts'
import { isObject, type Json, type JsonObject } from './plain-data.ts'
import { refuseSecrets } from './secrets.ts'
import { maxDim, type specOptions } from './spec.ts'

/** What the rest of a spec says about its objective. */
interface ObjectiveWishes {
  readonly dim?: number | undefined
  readonly start?: unknown
  readonly variables?: NamedVariables | undefined
  readonly timeout?: number | undefined
  readonly jobs?: number | undefined
  readonly batch?: number | undefined
  /** Number of terms, where a test problem is to be asked term by term. */
  readonly population?: number | undefined
}

/** The black box of a spec. */
export interface CompiledObjective {
  readonly objective: Objective
  /** The test problem behind it, where it is one. */
  readonly problem: TestProblem | undefined
  /** How a spec writes it, with every option filled in. */
  readonly written: JsonObject
}

/** Short keys of a spec, and the options of objectives that they stand for. */
const shortFor = {
  timeout: ['timeout'],
  jobs: ['processes', 'workers', 'threads', 'concurrency'],
  batch: ['batchSize', 'batch'],
} as const

/** Makes the objective of a spec: a test problem, or a black box. */
export function compileObjective(
  given: Json,
  wishes: ObjectiveWishes,
  { folder, place }: { readonly folder: string; readonly place: Place },
): CompiledObjective {
  const at = below(place, 'objective')
  const { part, options } = readPart('objective', given, at)
  refuseSecrets(part.definition.options.shape, options, at)
  const dim = agreedDim(options, wishes, place)
  const complete = {
    ...withWishes({ part, options }, wishes, place),
    ...dimOption({ part, options }, dim, place),
    ...variablesWish({ part, options }, wishes.variables, below(at, 'variables')),
  }
  const written = fillPart('objective', { name: part.definition.name, ...complete }, folder) as JsonObject
  const made = compilePart('objective', written, at) as unknown as Objective | TestProblem
  if (dim !== undefined && made.dim !== dim) {
    throw failAt(below(place, 'dim'), ` is ${dim}, but ${part.definition.name} has ${made.dim} variables`)
  }
  if ('evaluate' in made) return { objective: made, problem: undefined, written }
  return { objective: problemObjective(made, wishes.population, place), problem: made, written }
}

/** The number of variables, as far as the spec says it; two that differ are an error. */
export function agreedDim(
  options: JsonObject,
  { dim, start, variables }: ObjectiveWishes,
  place: Place,
): number | undefined {
  const own = options.dim
  const said = [
    { what: 'spec.dim', at: below(place, 'dim'), dim },
    {
      what: 'spec.objective.dim',
      at: below(place, 'objective', 'dim'),
      dim: typeof own === 'number' ? own : undefined,
    },
    { what: 'the number of spec.variables', at: below(place, 'variables'), dim: variables?.names.length },
    { what: 'the length of spec.start', at: below(place, 'start'), dim: lengthOf(start) },
  ].filter((each) => each.dim !== undefined)
  const [first, ...others] = said
  if (first?.dim === undefined) return undefined
  const other = others.find((each) => each.dim !== first.dim)
  if (other !== undefined) throw failAt(first.at, ` is ${first.dim}, but ${other.what} is ${other.dim}`)
  if (first.dim > maxDim) throw failAt(first.at, ` must be at most ${maxDim}, got ${first.dim}`)
  return first.dim
}

function lengthOf(start: unknown): number | undefined {
  return ArrayBuffer.isView(start) ? (start as Float64Array).length : undefined
}

/** The number of variables as an option of the objective, where it has one. */
function dimOption({ part, options }: WrittenPart, dim: number | undefined, place: Place): { dim?: Json } {
  const schema = part.definition.options.shape.dim
  if (schema === undefined || 'dim' in options) return {}
  if (dim !== undefined) return { dim }
  if (schema.optional) return {}
  throw failAt(below(place, 'dim'), ` is required: the number of variables of ${part.definition.name}`)
}

/** The variables as an option of the objective, where it has one. */
function variablesWish(
  { part, options }: WrittenPart,
  variables: NamedVariables | undefined,
  place: Place,
): JsonObject {
  if (variables === undefined || part.definition.options.shape.variables === undefined) return {}
  if (options.variables === undefined) return { variables: variables.declared as unknown as JsonObject }
  throw failAt(place, ' must be left out: they are those of spec.variables')
}

/** The options of the objective with what the spec's short keys stand for. */
function withWishes({ part, options }: WrittenPart, wishes: ObjectiveWishes, place: Place): JsonObject {
  const { name, options: schema } = part.definition
  const extended: Record<string, Json> = { ...options }
  for (const [key, candidates] of Object.entries(shortFor)) {
    const wish = wishes[key as keyof typeof shortFor]
    if (wish === undefined) continue
    const option = candidates.find((candidate) => Object.hasOwn(schema.shape, candidate))
    if (option === undefined) {
      throw failAt(below(place, key), ` does nothing for ${name}: it has no option ${candidates.join(' or ')}`)
    }
    const own = extended[option]
    if (own !== undefined && own !== wish) {
      throw failAt(below(place, key), ` is ${wish}, but spec.objective.${option} is ${show(own)}: give one of them`)
    }
    extended[option] = wish
  }
  return extended
}

/** A test problem as a black box: as a whole, or term by term where it is a finite sum and that is asked for. */
function problemObjective(problem: TestProblem, population: number | undefined, place: Place): Objective {
  const { dim, terms, value } = problem
  if (population === undefined) return functionObjective(value, { dim })
  if (terms === undefined) throw failAt(below(place, 'population'), ': this objective is not a sum of terms')
  if (terms.count !== population) {
    throw failAt(below(place, 'population'), ` must be ${terms.count}, the number of its terms, got ${population}`)
  }
  return functionObjective((x, { sample }) => terms.value(x, sample), { dim })
}

type Wrappers = Pick<Output<typeof specOptions>, 'rate' | 'retry' | 'noise' | 'cache'>

/**
 * Puts the wrappers of a spec around its objective. From the inside out: every attempt keeps to the rate; attempts
 * are made until there is a value; noise belongs to the value; what is known is not asked at all.
 */
export function wrapObjective(objective: Objective, { rate, retry, noise, cache }: Wrappers): Objective {
  let wrapped = objective
  if (rate !== undefined) wrapped = rateLimited(wrapped, rate)
  if (isOn(retry)) wrapped = retried(wrapped, retry)
  if (noise !== undefined) wrapped = noisy(wrapped, noise)
  if (isOn(cache)) wrapped = cached(wrapped, cache)
  return wrapped
}

/** Iterations and variables up to which the points of a run are kept in its journal. */
const keptIterations = 10_000
const keptVariables = 1000

/**
 * Writes the point of every row, in own units, before what the objective notes of it, so that the journal of a run whose
 * variables have names tells what was tried.
 */
export function pointsKept(objective: Objective): Objective {
  const { dim } = objective
  const keep = (queries: Queries, into: Answers): void => {
    const { rows } = queries
    if (queries.key.iteration > keptIterations || dim > keptVariables) return
    const beside = into.notes ?? new Float64Array(0)
    const details = beside.length % rows === 0 ? beside.length / rows : 0
    const notes = new Float64Array(rows * (dim + details))
    for (let row = 0; row < rows; row++) {
      queries.write(row, notes, row * (dim + details))
      notes.set(beside.subarray(row * details, (row + 1) * details), row * (dim + details) + dim)
    }
    into.notes = notes
  }
  return around(objective, (queries, into, signal) =>
    andThen(objective.evaluate(queries, into, signal), () => keep(queries, into)),
  )
}

/** Saves every query to a file, one line of JSON each; the file is closed with the objective. */
export function callsLogged(objective: Objective, file: string): Objective {
  const log = callLogFile(file)
  const wrapped = logged(objective, { write: log.write })
  return {
    ...wrapped,
    async close() {
      await objective.close?.()
      log.close()
    },
  }
}

function isOn<Options extends object>(given: boolean | Options | undefined): given is Options {
  return typeof given === 'object'
}

/** An objective, and what it is to workers and runs elsewhere. */
export interface ServedObjective {
  readonly objective: Objective
  readonly serves: Served
}

type Options = Pick<Output<typeof specOptions>, 'population'>

/** The objective of a spec: itself or, where the spec has a queue, the workers who evaluate it. */
export function queuedObjective(
  box: CompiledObjective,
  queue: Json | undefined,
  options: Options,
  place: Place,
): Objective {
  if (!isObject(queue)) return box.objective
  // As it was written: what was read of its address may be out of sight.
  const { serves = servedIn(box, options), ...how } = queue as unknown as Omit<QueueObjectiveOptions, 'dim'>
  return within(place, () => queueObjective({ ...how, dim: box.objective.dim, serves }))
}

/** What an objective is to others. A test problem that is asked term by term is another than the whole. */
export function servedIn({ written, problem }: CompiledObjective, { population }: Options): Served {
  return servedBy(problem === undefined || population === undefined ? written : { ...written, population })
}

/** Options of objectives that say how much is done at once. */
const laneOptions = ['processes', 'workers', 'threads', 'concurrency']

/**
 * An objective as a worker serves it: as much at once as the worker has jobs. A module is called in threads, so that a slow
 * function does not keep its worker from saying that it is alive.
 */
export function asServed(objective: Json, lanes: number, place: Place): Json {
  const { part, options } = readPart('objective', objective, place)
  const { name } = part.definition
  const { shape } = (name === 'module' ? workersObjective : part).definition.options
  const own = Object.entries(options).filter(([key]) => !laneOptions.includes(key))
  const lane = laneOptions.find((key) => Object.hasOwn(shape, key))
  const many = lane === undefined ? {} : { [lane]: lanes }
  return { ...(Object.fromEntries(own) as JsonObject), ...many, name: name === 'module' ? 'workers' : name }
}
