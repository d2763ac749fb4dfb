import type { Output } from '../core/option-type.ts'
import type { Objective } from '../core/types.ts'
import { workersObjective } from '../objectives/index.ts'
import { type QueueObjectiveOptions, queueObjective, type Served, servedBy } from '../queue/index.ts'
import type { CompiledObjective } from './compile-objective.ts'
import { readPart } from './compile-part.ts'
import { type Place, within } from './place.ts'
import { isObject, type Json, type JsonObject } from './plain-data.ts'
import type { specOptions } from './spec.ts'

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
