import type { z } from 'zod'
import type { Checkpoint } from './checkpoint.ts'
import { show, ZerothError } from './errors.ts'
import { openKernels } from './open-kernels.ts'
import { originOf } from './part.ts'
import { defaultMaxQueries, type sessionOptions } from './session-options.ts'
import type { Begin, Budget, Precision, Search, Vector } from './types.ts'

type Options = z.output<typeof sessionOptions>

/** Checks the start, brings it into the set, and gathers what the parts of a run are given. */
export function makeBegin(given: ArrayLike<number>, options: Options, warn: (message: string) => void): Begin {
  const { set, seed, precision, trackBest, population } = options
  const start = checkedStart(given, precision)
  set.check(start.length)
  const kernels = openKernels(options.kernels, start.length, precision)
  const point = kernels.allocate(start.length, precision)
  point.set(start)
  if (!set.contains(point)) {
    set.project(point, null, new Float64Array(set.scratchSize(point.length)))
    warn('the start was outside the set and has been projected onto it')
  }
  return {
    dim: point.length,
    seed,
    start: point,
    set,
    precision,
    kernels,
    budget: budgetOf(options),
    trackBest,
    population,
    warn,
  }
}

function checkedStart(given: ArrayLike<number>, precision: Precision): Float64Array {
  const isList = Array.isArray(given) || (ArrayBuffer.isView(given) && !(given instanceof DataView))
  if (!isList) throw new ZerothError('invalid-start', `the start must be a list of numbers, got ${show(given)}`)
  if (given.length === 0) throw new ZerothError('invalid-start', 'the start has no coordinates; it needs at least one')
  const start = new Float64Array(given.length)
  for (let i = 0; i < given.length; i++) {
    const value: unknown = given[i]
    if (typeof value !== 'number' || !Number.isFinite(value)) {
      throw new ZerothError('invalid-start', `start[${i}] must be a finite number, got ${show(value)}`)
    }
    if (precision === 'float32' && !Number.isFinite(Math.fround(value))) {
      throw new ZerothError('invalid-start', `start[${i}] must fit into float32, got ${value}`)
    }
    start[i] = value
  }
  return start
}

/** A run without any limit would never end: then the default number of queries applies. */
function budgetOf({ maxQueries, maxIterations, maxTime, target }: Options): Budget {
  const unlimited = maxQueries === undefined && maxIterations === undefined && maxTime === undefined
  return { maxQueries: unlimited ? defaultMaxQueries : maxQueries, maxIterations, maxTime, target }
}

/** The name under which a checkpoint remembers its solver. */
export function solverName(options: Options): string {
  return originOf(options.solver)?.name ?? 'unnamed'
}

/** Puts a search where a checkpoint left it; refuses a checkpoint of another run. */
export function restore(search: Search, at: Begin, solver: string, saved: Checkpoint): void {
  const expected = {
    format: 'zeroth-checkpoint',
    version: 1,
    solver,
    seed: at.seed,
    dim: at.dim,
    precision: at.precision,
  }
  for (const [name, value] of Object.entries(expected)) {
    const found = saved[name as keyof typeof expected]
    if (found !== value) {
      throw new ZerothError('invalid-checkpoint', `resume.${name} is ${show(found)}, but this run has ${show(value)}`)
    }
  }
  const memory = search.memory
  for (const name of new Set([...Object.keys(memory), ...Object.keys(saved.memory)])) {
    copyVector(`memory.${name}`, memory[name], saved.memory[name])
  }
  copyVector('best.point', at.start.slice(), saved.best.point)
  search.iteration = saved.iteration
}

function copyVector(name: string, into: Vector | undefined, from: Vector | undefined): void {
  if (into === undefined || from === undefined || into.length !== from.length) {
    const found = `${from?.length ?? 'no'} entries in the checkpoint, ${into?.length ?? 'none'} in this run`
    throw new ZerothError('invalid-checkpoint', `resume.${name} does not fit: ${found}`)
  }
  into.set(from)
}
