import type { TestProblem } from '../../index.ts'
import { show } from '../../optimizer/core/errors.ts'
import type { Output } from '../../optimizer/core/options.ts'
import { defaultMaxQueries, type SessionOptions } from '../../optimizer/core/session-options.ts'
import { mixedProblem } from '../../optimizer/core/space.ts'
import type { ConvexSet, Objective, Solver } from '../../optimizer/core/types.ts'
import type { NamedVariables, Start } from '../../optimizer/core/variable-types.ts'
import { variablesProblem } from '../../optimizer/core/variables.ts'
import { knowAllParts } from './all-parts.ts'
import {
  agreedDim,
  asServed,
  type CompiledObjective,
  compileObjective,
  pointsKept,
  queuedObjective,
  type ServedObjective,
  servedIn,
  wrapObjective,
} from './compile-objective.ts'
import { compileObject, compilePart, fillObject, fillPart, jsonOf, knownParts, resolvedKeys } from './compile-part.ts'
import { below, failAt, type Locate, type Place, parseAt, wholeSpec, within } from './place.ts'
import { checkPlainData, isObject, type Json, type JsonObject } from './plain-data.ts'
import { refuseSecrets } from './secrets.ts'
import { type Spec, specOptions } from './spec.ts'

/** What a spec is compiled in. */
export interface CompileOptions {
  /** Relative paths begin here: the folder of the spec. The current one if left out. */
  readonly folder?: string | undefined
  /** Says where in a text something stands: that of `readSpec` and `parseSpec`. */
  readonly locate?: Locate | undefined
}

/** A spec made ready to run: `minimize(objective, start, session)`. */
export interface CompiledSpec {
  /** The black box with its wrappers. The caller closes it. */
  readonly objective: Objective
  readonly dim: number
  readonly start: Float64Array
  readonly session: SessionOptions
  /** Whether every query is to be saved: `callsLogged` does it. */
  readonly log: boolean
  /** The spec with every default filled in: plain JSON that gives the same run again. */
  readonly resolved: JsonObject
}

/** The set of a spec. */
interface Area {
  readonly set: ConvexSet
  /** Undefined where it is that of the variables. */
  readonly written: Json | undefined
  /** The key that says it. */
  readonly key: string
}

/** What a start depends on. */
interface StartSurroundings {
  readonly dim: number
  readonly set: ConvexSet
  readonly problem: TestProblem | undefined
  readonly variables: NamedVariables | undefined
  readonly place: Place
}

type Options = Output<typeof specOptions>

/** Keys that stand for another one, which a resolved spec has instead. */
const shortKeys = ['$schema', 'bounds', 'timeout', 'jobs', 'batch']

/** What all of a spec is read from. */
interface ReadSpec {
  readonly filled: JsonObject
  readonly options: Options
  readonly folder: string
  readonly place: Place
}

/** Makes a run of a spec. Every error says what is wrong, at which place, and what is allowed there. */
export function compileSpec(spec: Spec | JsonObject, given: CompileOptions = {}): CompiledSpec {
  const { filled, options, folder, place } = readOptions(spec, given)
  const area = areaOf(filled, options, { folder, place })
  const box = compileObjective(filled.objective as Json, options, { folder, place })
  return assemble(filled, options, area, box, place)
}

/** Keys of a spec about how its objective is asked: they say nothing where the caller evaluates. */
const askingKeys = [
  'objective',
  'timeout',
  'jobs',
  'batch',
  'retry',
  'rate',
  'noise',
  'cache',
  'queue',
  'log',
  'population',
]

/** Makes a session of a spec without an objective: the caller asks it, evaluates, and tells it the answers. */
export function compileAsked(
  spec: Spec | JsonObject,
  given: CompileOptions = {},
): Omit<CompiledSpec, 'objective' | 'log'> {
  const place = wholeSpec(given.locate)
  const useless = askingKeys.find((key) => isObject(spec) && Object.hasOwn(spec, key))
  if (useless !== undefined) throw failAt(below(place, useless), ' does nothing here: who asks evaluates, too')
  const { filled, options, folder } = readOptions({ ...(spec as JsonObject), objective: 'asked' }, given)
  const dim = agreedDim({}, options, place)
  if (dim === undefined) {
    throw failAt(
      below(place, 'dim'),
      ' is required: the number of variables, unless start is a list or variables have names',
    )
  }
  const objective: Objective = { dim, evaluate: () => undefined }
  const box = { objective, problem: undefined, written: { name: 'asked' } }
  const {
    objective: _,
    log: __,
    ...compiled
  } = assemble(filled, options, areaOf(filled, options, { folder, place }), box, place)
  return compiled
}

/** The objective of a spec alone, as a worker with so many lanes needs it; without wrappers, which belong to the run. */
export function compileServed(spec: Spec | JsonObject, lanes: number, given: CompileOptions = {}): ServedObjective {
  const { filled, options, folder, place } = readOptions(spec, given)
  const written = asServed(filled.objective as Json, lanes, below(place, 'objective'))
  const box = compileObjective(written, { ...options, jobs: undefined }, { folder, place })
  return { objective: box.objective, serves: servedIn(box, options) }
}

function readOptions(spec: Spec | JsonObject, { folder = process.cwd(), locate }: CompileOptions): ReadSpec {
  const place = wholeSpec(locate)
  knowAllParts()
  checkPlainData(spec, place)
  if (!isObject(spec)) throw failAt(place, ' must be an object of keys and values')
  if (spec.objective === undefined) throw failAt(below(place, 'objective'), ' is required: what to minimise')
  checkBounds(spec.bounds, below(place, 'bounds'))
  checkVariables(spec.variables, below(place, 'variables'))
  const filled = concurrent(endingOnce(fillObject(specOptions.shape, withSwitches(spec), folder)))
  if (isObject(filled.queue)) refuseSecrets({}, filled.queue, below(place, 'queue'))
  const options = parseAt(place, specOptions, compileObject(specOptions.shape, filled, place))
  return { filled, options, folder, place }
}

function assemble(
  filled: JsonObject,
  options: Options,
  { set, written, key }: Area,
  box: CompiledObjective,
  place: Place,
): CompiledSpec {
  const { dim } = box.objective
  const asked = queuedObjective(box, filled.queue, options, below(place, 'queue'))
  within(below(place, key), () => set.check(dim))
  const odd = mixedProblem(options.solver, set, options.variables?.names)
  if (odd !== undefined) throw failAt(below(place, 'solver'), `: ${odd} (these take all: ${mixedSolvers()})`)
  const surroundings = { dim, set, problem: box.problem, variables: options.variables, place }
  const start = options.start ?? standardStart(surroundings)
  const session = sessionOf(options, options.variables === undefined ? set : undefined)
  const { maxQueries } = session
  // The variables and their number stand beside the objective, once.
  const { dim: _, variables, ...rest } = box.written
  const objective = variables === undefined || options.variables !== undefined ? rest : { ...rest, variables }
  const own = { objective: objective as JsonObject, dim, start: jsonOf(start), set: written, maxQueries }
  const wrapped = wrapObjective(asked, options)
  return {
    objective: options.variables === undefined ? wrapped : pointsKept(wrapped),
    dim,
    start: startPoint(start, surroundings),
    session,
    log: options.log,
    resolved: resolvedKeys(specOptions.shape, { ...filled, ...own }, shortKeys),
  }
}

/** A queue that is its address alone has no other options. Wrappers that are switched on with `true` have all their defaults; those that are switched off are not there. */
function withSwitches(spec: JsonObject): JsonObject {
  const switched = Object.entries(spec).flatMap(([key, value]): [string, Json][] => {
    if (key === 'queue' && typeof value === 'string') return [[key, { url: value }]]
    if ((key !== 'retry' && key !== 'cache') || typeof value !== 'boolean') return [[key, value]]
    return value ? [[key, {}]] : []
  })
  return Object.fromEntries(switched)
}

/** Where nothing limits a run, the method that chooses for itself ends at the first minimum: said here, so that it is stored. */
function endingOnce(filled: JsonObject): JsonObject {
  const { solver } = filled
  const isLimited = ['maxQueries', 'maxIterations', 'maxTime'].some((key) => filled[key] !== undefined)
  if (isLimited || !isObject(solver) || solver.name !== 'auto' || solver.once !== undefined) return filled
  return { ...filled, solver: { ...solver, once: true } }
}

/** Several jobs are of use to a method that can have several queries under way. */
function concurrent(filled: JsonObject): JsonObject {
  const { jobs, concurrency } = filled
  return typeof jobs === 'number' && jobs > 1 && concurrency === undefined ? { ...filled, concurrency: jobs } : filled
}

/** Says what bounds are where they are something else, as one pair per variable. */
function checkBounds(bounds: unknown, place: Place): void {
  if (!Array.isArray(bounds) || bounds.length === 2) return
  const allowed = 'a number for all variables, or a list with one per variable'
  throw failAt(place, ` must be [lower, upper], each ${allowed}; got a list of ${bounds.length}`)
}

/** Says what is wrong with variables in words of their own, where a table of options would have fewer. */
function checkVariables(variables: Json | undefined, place: Place): void {
  const problem = variables === undefined ? undefined : variablesProblem(variables)
  if (problem === undefined) return
  const at = problem.path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown>)[key], variables)
  throw failAt(below(place, ...problem.path), ` ${problem.text}, got ${show(at)}`)
}

/** Where points may lie: the set, the box that is meant by bounds, or everywhere. */
function areaOf(filled: JsonObject, { set, bounds, variables }: Options, at: { folder: string; place: Place }): Area {
  const other = set === undefined ? 'bounds' : 'set'
  if (variables !== undefined && (set ?? bounds) !== undefined) {
    const advice = 'each variable has its own bounds, from and to'
    throw failAt(below(at.place, other), ` and spec.variables exclude each other: ${advice}`)
  }
  if (variables !== undefined) return { set: variables.set, written: undefined, key: 'variables' }
  if (set !== undefined && bounds !== undefined) {
    throw failAt(below(at.place, 'bounds'), ' and spec.set exclude each other: there are sets with bounds of their own')
  }
  if (set !== undefined) return { set, written: filled.set as Json, key: 'set' }
  const [lower, upper] = (filled.bounds ?? []) as readonly Json[]
  const meant = lower === undefined || upper === undefined ? 'whole-space' : { name: 'box', lower, upper }
  const written = fillPart('set', meant, at.folder)
  const made = compilePart('set', written, below(at.place, 'bounds')) as unknown as ConvexSet
  return { set: made, written, key: 'bounds' }
}

/** The methods for variables of all kinds, by what they say of themselves. */
function mixedSolvers(): string {
  const plain = knownParts('solver').filter(({ definition }) =>
    Object.values(definition.options.shape).every((option) => option.optional),
  )
  return plain
    .filter((each) => (each({}) as unknown as Solver).takesMixed)
    .map(({ definition }) => definition.name)
    .join(', ')
}

function sessionOf(options: Options, set: ConvexSet | undefined): SessionOptions {
  const { solver, seed, precision, maxQueries, maxIterations, maxTime, target, patience } = options
  const { failures, trackBest, population, shape, variables, concurrency } = options
  const unlimited = maxQueries === undefined && maxIterations === undefined && maxTime === undefined
  return {
    solver,
    set,
    variables,
    seed,
    precision,
    maxQueries: unlimited ? defaultMaxQueries : maxQueries,
    maxIterations,
    maxTime,
    target,
    patience,
    failures,
    trackBest,
    population,
    shape,
    concurrency,
  }
}

/** Where a run begins: in numbers, or by what it is. */
type StartOption = number | Float64Array | 'own' | 'middle' | Readonly<Record<string, Json>>

/** What a start is when it is left out. */
function standardStart({ problem, set, variables }: StartSurroundings): StartOption {
  if (problem !== undefined && variables === undefined) return 'own'
  return set.bounds === undefined ? 0 : 'middle'
}

/** The point itself. */
function startPoint(start: StartOption, surroundings: StartSurroundings): Float64Array {
  const { dim, set, problem, variables, place } = surroundings
  if (variables !== undefined) return namedStart(start, variables, below(place, 'start'))
  if (typeof start === 'number') return new Float64Array(dim).fill(start)
  if (start instanceof Float64Array) return start
  if (typeof start === 'object') throw failAt(below(place, 'start'), ' has names, but there are no spec.variables')
  if (start === 'own' && problem !== undefined) return problem.start.slice()
  if (start === 'middle' && set.bounds !== undefined) return middle(set.bounds(dim), dim)
  const missing = start === 'own' ? 'only test problems have a start of their own' : 'the set is not a box'
  throw failAt(below(place, 'start'), ` must be a number or a list of numbers, got ${start}: ${missing}`)
}

/** The start of variables with names; the middle is what they begin with unless told otherwise. */
function namedStart(start: StartOption, variables: NamedVariables, place: Place): Float64Array {
  if (start === 'own') throw failAt(place, ' must be middle or numbers where variables have names, got own')
  if (start === 'middle') return variables.ownStart(undefined)
  const given = typeof start === 'number' ? new Float64Array(variables.names.length).fill(start) : start
  return within(place, () => variables.ownStart(given as Start))
}

function middle({ lower, upper }: { lower: ArrayLike<number>; upper: ArrayLike<number> }, dim: number): Float64Array {
  const at = (bound: ArrayLike<number>, i: number): number => bound[bound.length === 1 ? 0 : i] as number
  return Float64Array.from({ length: dim }, (_, i) => between(at(lower, i), at(upper, i)))
}

/** The middle of two bounds; where one of them is infinite, the number nearest to 0 between them. */
function between(low: number, high: number): number {
  if (Number.isFinite(low) && Number.isFinite(high)) return low / 2 + high / 2
  return Math.min(Math.max(0, low), high)
}
