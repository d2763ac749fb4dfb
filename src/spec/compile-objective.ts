import { show } from '../core/errors.ts'
import type { NamedVariables } from '../core/named-variables.ts'
import type { Output } from '../core/option-type.ts'
import type { Objective } from '../core/types.ts'
import { functionObjective, type TestProblem } from '../index.ts'
import { cached } from '../wrappers/cached.ts'
import { callLogFile } from '../wrappers/call-log-file.ts'
import { logged } from '../wrappers/logged.ts'
import { noisy } from '../wrappers/noisy.ts'
import { rateLimited } from '../wrappers/rate-limited.ts'
import { retried } from '../wrappers/retried.ts'
import { compilePart, readPart, type WrittenPart } from './compile-part.ts'
import { fillPart } from './fill-in.ts'
import { below, failAt, type Place } from './place.ts'
import type { Json, JsonObject } from './plain-data.ts'
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
    ...namesWish({ part, options }, wishes.variables, below(at, 'names')),
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
function agreedDim(options: JsonObject, { dim, start, variables }: ObjectiveWishes, place: Place): number | undefined {
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

/** The names of the variables as an option of the objective, where it has one. */
function namesWish({ part, options }: WrittenPart, variables: NamedVariables | undefined, place: Place): JsonObject {
  if (variables === undefined || part.definition.options.shape.names === undefined) return {}
  const { names } = variables
  if (options.names === undefined || JSON.stringify(options.names) === JSON.stringify(names)) return { names }
  throw failAt(place, ` must be those of spec.variables, ${names.join(', ')}, and can be left out`)
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
