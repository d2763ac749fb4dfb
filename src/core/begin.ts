import type { Kernels } from '../kernels/kernels.ts'
import { scalarKernels } from '../kernels/scalar.ts'
import { checkCheckpointVersion } from './check-checkpoint-version.ts'
import type { Checkpoint } from './checkpoint.ts'
import { show, ZerothError } from './errors.ts'
import { copyVector, resumeSearch } from './memory.ts'
import type { Output } from './option-type.ts'
import { described } from './part.ts'
import { defaultMaxQueries, type sessionOptions } from './session-table.ts'
import type { Begin, Budget, ImageShape, Precision, Search, Solver } from './types.ts'

type Options = Output<typeof sessionOptions>

/** Checks the start, brings it into the set, and gathers what the parts of a run are given. */
export function makeBegin(given: ArrayLike<number>, options: Options, warn: (message: string) => void): Begin {
  const { set, seed, precision, trackBest, population, shape, attack } = options
  checkStart(given, precision)
  set.check(given.length)
  if (shape !== undefined) checkShape(shape, given.length)
  const open = options.solver.openKernels ?? plainKernels
  const kernels = open(options.kernels, given.length, precision)
  const point = kernels.allocate(given.length, precision)
  point.set(given)
  if (!set.contains(point)) {
    set.project(point, null, new Float64Array(set.scratchSize(point.length)))
    // A point on the edge may leave the set when it is rounded to float32: that is no reason to alarm anybody.
    if (!set.contains(Float64Array.from(given))) warn('the start was outside the set and has been projected onto it')
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
    shape,
    attack,
    warn,
  }
}

/** The kernels of a method that does not open any: WebAssembly would be worth its bytes in a bundle to hot loops only. */
function plainKernels(choice: Kernels | 'fastest' | 'scalar'): Kernels {
  return typeof choice === 'object' ? choice : scalarKernels
}

function checkStart(given: ArrayLike<number>, precision: Precision): void {
  const isList = Array.isArray(given) || (ArrayBuffer.isView(given) && !(given instanceof DataView))
  if (!isList) throw new ZerothError('invalid-start', `the start must be a list of numbers, got ${show(given)}`)
  if (given.length === 0) throw new ZerothError('invalid-start', 'the start has no coordinates; it needs at least one')
  for (let i = 0; i < given.length; i++) {
    const value: unknown = given[i]
    if (typeof value !== 'number' || !Number.isFinite(value)) {
      throw new ZerothError('invalid-start', `start[${i}] must be a finite number, got ${show(value)}`)
    }
    if (precision === 'float32' && !Number.isFinite(Math.fround(value))) {
      throw new ZerothError('invalid-start', `start[${i}] must fit into float32, got ${value}`)
    }
  }
}

function checkShape({ channels, height, width }: ImageShape, dim: number): void {
  if (channels * height * width === dim) return
  const given = `${channels} x ${height} x ${width} = ${channels * height * width}`
  throw new ZerothError('invalid-option', `session.shape must have as many pixels as variables, ${dim}, got ${given}`)
}

/** A run without any limit would never end: then the default number of queries applies. */
function budgetOf({ maxQueries, maxIterations, maxTime, target }: Options): Budget {
  const unlimited = maxQueries === undefined && maxIterations === undefined && maxTime === undefined
  return {
    maxQueries: unlimited ? defaultMaxQueries : maxQueries,
    isUsual: unlimited,
    maxIterations,
    maxTime,
    target,
  }
}

/** What a checkpoint remembers of the parts of its run, to refuse another run's options. */
export function partsOf(options: Options): { solver: string; set: string } {
  return { solver: described(options.solver), set: described(options.set) }
}

/** Begins a search, where a checkpoint left it if there is one; refuses a checkpoint of another run. */
export function beginSearch(
  solver: Solver,
  at: Begin,
  parts: { solver: string; set: string },
  saved: Checkpoint | undefined,
): Search {
  if (saved === undefined) return solver.begin(at)
  checkSame(at, parts, saved)
  const search = resumeSearch(solver, at, saved.memory)
  copyVector('best.point', at.start.slice(), saved.best.point)
  search.iteration = saved.iteration
  return search
}

/** Bare rates of these solvers decayed in early checkouts; since then they are never kept as bare numbers. */
const bareRate = /\b(zo-adamm|zo-normalized)\(learningRate: ([\d.e+-]+)/g
const decayed = '$1(learningRate: {value: $2, decay: sqrt}'

function checkSame(at: Begin, parts: { solver: string; set: string }, saved: Checkpoint): void {
  checkCheckpointVersion(saved.version)
  const expected = { format: 'zeroth-checkpoint', ...parts, seed: at.seed, dim: at.dim, precision: at.precision }
  for (const [name, value] of Object.entries(expected)) {
    const found = name === 'solver' ? saved.solver.replace(bareRate, decayed) : saved[name as keyof typeof expected]
    if (found !== value) {
      throw new ZerothError('invalid-checkpoint', `resume.${name} is ${found}, but this run has ${value}`)
    }
  }
}
