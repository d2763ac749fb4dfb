import type { Output } from '../core/option-type.ts'
import type { SessionOptions } from '../core/session-options.ts'
import { defaultMaxQueries } from '../core/session-table.ts'
import type { ConvexSet, Objective } from '../core/types.ts'
import { type CompiledObjective, compileObjective } from './compile-objective.ts'
import { compileObject, compilePart } from './compile-part.ts'
import { standardStart, startPoint } from './compile-start.ts'
import { fillObject, fillPart, jsonOf } from './fill-in.ts'
import { below, failAt, type Locate, type Place, parseAt, wholeSpec, within } from './place.ts'
import { checkPlainData, isObject, type Json, type JsonObject } from './plain-data.ts'
import { type Spec, specOptions } from './spec.ts'
import { wrapObjective } from './wrap-objective.ts'

/** What a spec is compiled in. */
export interface CompileOptions {
  /** Relative paths begin here: the folder of the spec. The current one if left out. */
  readonly folder?: string | undefined
  /** Says where in a text something stands: that of `readSpec` and `parseSpec`. */
  readonly locate?: Locate | undefined
}

/** A spec made ready to run: `minimize(objective, start, session)`. */
export interface CompiledSpec {
  /** The black box with its wrappers. Whoever compiled the spec closes it. */
  readonly objective: Objective
  readonly dim: number
  readonly start: Float64Array
  readonly session: SessionOptions
  /** Whether every query is to be saved: `callsLogged` does it. */
  readonly log: boolean
  /** The spec with every default filled in: plain JSON that gives the same run again. */
  readonly resolved: JsonObject
}

type Options = Output<typeof specOptions>

/** The set of a spec. */
interface Area {
  readonly set: ConvexSet
  readonly written: Json
  /** The key that says it. */
  readonly key: string
}

/** Keys that stand for another one, which a resolved spec has instead. */
const shortKeys = ['$schema', 'bounds', 'timeout', 'jobs', 'batch']

/** Makes a run of a spec. Every error says what is wrong, at which place, and what is allowed there. */
export function compileSpec(spec: Spec | JsonObject, given: CompileOptions = {}): CompiledSpec {
  const { folder = process.cwd(), locate } = given
  const place = wholeSpec(locate)
  checkPlainData(spec, place)
  if (!isObject(spec)) throw failAt(place, ' must be an object of keys and values')
  if (spec.objective === undefined) throw failAt(below(place, 'objective'), ' is required: what to minimise')
  const filled = fillObject(specOptions.shape, withSwitches(spec), folder)
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
    resolved: inOrder({ ...filled, ...own }),
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

/** The keys in the order of the schema; those that stand for others are left out. */
function inOrder(values: Readonly<Record<string, Json | undefined>>): JsonObject {
  const kept = Object.keys(specOptions.shape).filter((key) => values[key] !== undefined && !shortKeys.includes(key))
  return Object.fromEntries(kept.map((key) => [key, values[key] as Json]))
}
