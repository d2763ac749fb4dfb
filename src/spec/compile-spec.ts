import type { Output } from '../core/option-type.ts'
import type { SessionOptions } from '../core/session-options.ts'
import { defaultMaxQueries } from '../core/session-table.ts'
import type { ConvexSet, Objective } from '../core/types.ts'
import type { TestProblem } from '../index.ts'
import { type CompiledObjective, compileObjective, wrapObjective } from './compile-objective.ts'
import { compileObject, compilePart } from './compile-part.ts'
import { fillObject, fillPart, jsonOf, resolvedKeys } from './fill-in.ts'
import { below, failAt, type Locate, type Place, parseAt, wholeSpec, within } from './place.ts'
import { checkPlainData, isObject, type Json, type JsonObject } from './plain-data.ts'
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
  readonly written: Json
  /** The key that says it. */
  readonly key: string
}

/** What a start depends on. */
interface StartSurroundings {
  readonly dim: number
  readonly set: ConvexSet
  readonly problem: TestProblem | undefined
  readonly place: Place
}

type Options = Output<typeof specOptions>

/** Keys that stand for another one, which a resolved spec has instead. */
const shortKeys = ['$schema', 'bounds', 'timeout', 'jobs', 'batch']

/** Makes a run of a spec. Every error says what is wrong, at which place, and what is allowed there. */
export function compileSpec(spec: Spec | JsonObject, given: CompileOptions = {}): CompiledSpec {
  const { folder = process.cwd(), locate } = given
  const place = wholeSpec(locate)
  checkPlainData(spec, place)
  if (!isObject(spec)) throw failAt(place, ' must be an object of keys and values')
  if (spec.objective === undefined) throw failAt(below(place, 'objective'), ' is required: what to minimise')
  checkBounds(spec.bounds, below(place, 'bounds'))
  const filled = endingOnce(fillObject(specOptions.shape, withSwitches(spec), folder))
  const options = parseAt(place, specOptions, compileObject(specOptions.shape, filled, place))
  const area = areaOf(filled, options, { folder, place })
  const box = compileObjective(filled.objective as Json, options, { folder, place })
  return assemble(filled, options, area, box, place)
}

function assemble(
  filled: JsonObject,
  options: Options,
  { set, written, key }: Area,
  box: CompiledObjective,
  place: Place,
): CompiledSpec {
  const { dim } = box.objective
  within(below(place, key), () => set.check(dim))
  const surroundings = { dim, set, problem: box.problem, place }
  const start = options.start ?? standardStart(surroundings)
  const session = sessionOf(options, set)
  const { maxQueries } = session
  // The number of variables stands beside the objective, once.
  const { dim: _, ...objective } = box.written
  const own = { objective: objective as JsonObject, dim, start: jsonOf(start), set: written, maxQueries }
  return {
    objective: wrapObjective(box.objective, options),
    dim,
    start: startPoint(start, surroundings),
    session,
    log: options.log,
    resolved: resolvedKeys(specOptions.shape, { ...filled, ...own }, shortKeys),
  }
}

/** Wrappers that are switched on with `true` have all their defaults; those that are switched off are not there. */
function withSwitches(spec: JsonObject): JsonObject {
  const switched = Object.entries(spec).flatMap(([key, value]): [string, Json][] => {
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

/** Says what bounds are where they are something else, as one pair per variable. */
function checkBounds(bounds: unknown, place: Place): void {
  if (!Array.isArray(bounds) || bounds.length === 2) return
  const allowed = 'a number for all variables, or a list with one per variable'
  throw failAt(place, ` must be [lower, upper], each ${allowed}; got a list of ${bounds.length}`)
}

/** Where points may lie: the set, the box that is meant by bounds, or everywhere. */
function areaOf(filled: JsonObject, { set, bounds }: Options, at: { folder: string; place: Place }): Area {
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

function sessionOf(options: Options, set: ConvexSet): SessionOptions {
  const { solver, seed, precision, maxQueries, maxIterations, maxTime, target } = options
  const { failures, trackBest, population, shape } = options
  const unlimited = maxQueries === undefined && maxIterations === undefined && maxTime === undefined
  return {
    solver,
    set,
    seed,
    precision,
    maxQueries: unlimited ? defaultMaxQueries : maxQueries,
    maxIterations,
    maxTime,
    target,
    failures,
    trackBest,
    population,
    shape,
  }
}

/** Where a run begins: in numbers, or by what it is. */
type StartOption = number | Float64Array | 'own' | 'middle'

/** What a start is when it is left out. */
function standardStart({ problem, set }: StartSurroundings): StartOption {
  if (problem !== undefined) return 'own'
  return set.bounds === undefined ? 0 : 'middle'
}

/** The point itself. */
function startPoint(start: StartOption, { dim, set, problem, place }: StartSurroundings): Float64Array {
  if (typeof start === 'number') return new Float64Array(dim).fill(start)
  if (typeof start === 'object') return start
  if (start === 'own' && problem !== undefined) return problem.start.slice()
  if (start === 'middle' && set.bounds !== undefined) return middle(set.bounds(dim), dim)
  const missing = start === 'own' ? 'only test problems have a start of their own' : 'the set is not a box'
  throw failAt(below(place, 'start'), ` must be a number or a list of numbers, got ${start}: ${missing}`)
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
