import { flag, integerFrom, oneOf, optional, positive, table, withDefault } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { Key, Memory, RunContext, SavedMemory, Solver, Vector } from '../core/types.ts'
import { exponential } from '../kernels/functions.ts'
import { tileSize } from '../kernels/normals.ts'
import { randomUniform } from '../kernels/random.ts'
import { dot, joined, median } from '../numerics/vectors.ts'
import {
  type CovarianceKind,
  type CovarianceModel,
  covarianceModel,
  follow,
  type Strategy,
  strategyOf,
  usualPopulation,
} from './cma-covariance.ts'
import { copyOf, type SearchDomain, searchDomain } from './points.ts'
import { type BesideAnswer, openStages } from './staged/open-stages.ts'
import { type OpenStages, type Stage, type StagedMethod, stagedSolver } from './staged/staged-search.ts'

/** The defaults. */
export const usualCma = { restarts: 9, tolerance: 1e-11 } as const

/** CMA-ES: populations that learn the shape of the function from ranks alone, for rugged, non-smooth and noisy functions. */
export const cmaES = definePart({
  kind: 'solver',
  name: 'cma-es',
  summary: 'Populations that learn the shape of the function from ranks, with restarts; for rugged or noisy functions.',
  options: table({
    /**
     * Standard deviation of the first population, as a share of the width for variables with two bounds; if left out, 1/6 of it
     * where all have two and the covariance is full, else 0.3 of it or of max(1, the root mean square of the start). Above 0.
     */
    stepSize: optional(positive),
    /** Points per generation before the first restart; 4 + 3 ln d if left out. At least 4. */
    population: optional(integerFrom(4)),
    /**
     * What is learned of the shape: all of it (2 d^2 numbers), a scale per variable (2 d) or the main directions (d (4
     * + 3 ln d)); "full" up to 200 variables, "limited" above, if left out.
     */
    covariance: optional(oneOf('full', 'separable', 'limited')),
    /** Restarts at most, each with twice the population; none without a limit on queries. At least 0; default 9. */
    restarts: withDefault(integerFrom(0), usualCma.restarts),
    /** A run has converged when its values differ by less than this. Above 0; default 1e-11. */
    tolerance: withDefault(positive, usualCma.tolerance),
    /** Whether answers vary; found out by asking the start twice if left out. */
    noisy: optional(flag),
  }),
  examples: () => [
    {},
    { covariance: 'separable', population: 8, stepSize: 0.5 },
    { covariance: 'limited' },
    { noisy: true },
  ],
  make: (settings): Solver => cmaSolver(() => ({ ...settings, openStages })),
})

/** The solver with settings that may depend on the run, and that a user does not give. */
export function cmaSolver(settingsFor: (at: RunContext) => CmaSettings): Solver {
  return stagedSolver((at, saved) => new CmaMethod(at, settingsFor(at), saved), 'generation')
}

/** What a run of CMA-ES is given beside its beginning. */
interface CmaSettings {
  /** The standard deviation of the first population, in shares of the width where a variable has two bounds. */
  readonly stepSize?: number | undefined
  readonly population?: number | undefined
  readonly covariance?: CovarianceKind | undefined
  /** Restarts at most. There are none without a limit on queries. */
  readonly restarts: number
  /** A run has converged when its values differ by less than this. */
  readonly tolerance: number
  /** Whether answers vary; found out by asking the start twice if left out. */
  readonly noisy?: boolean | undefined
  /** Restarts without any difference, each twice as wide as the one before, after which a function is constant; 2 if left out. */
  readonly flatRuns?: number | undefined
  /** For a run in which it has several queries under way, if that may be. */
  readonly openStages?: typeof openStages | undefined
}

type Name = 'generation'

/** The highest dimension with a full matrix by default. */
const mostFull = 200

const constantWarning = 'several generations had equal values: the function is constant, or stepSize small'

/** CMA-ES with restarts and growing populations, a generation per stage. */
class CmaMethod implements StagedMethod<Name> {
  readonly point: Vector
  readonly stages = { generation: (key: Key) => this.#generation(key) }
  readonly open: OpenStages | undefined
  readonly #at: RunContext
  readonly #settings: CmaSettings
  readonly #kind: CovarianceKind
  readonly #domain: SearchDomain
  readonly #covariance: CovarianceModel
  readonly #rows: PopulationRows
  readonly #history: GenerationHistory
  /** The mean of the population and that of the first one, in free coordinates. */
  readonly #mean: Float64Array
  readonly #origin: Float64Array
  /** The path of the step size. */
  readonly #path: Float64Array
  readonly #free: Float64Array
  readonly #normal: Float64Array
  readonly #step: Float64Array
  readonly #state
  /** Points beside the last generation and their values, one after the other: they belong to the next. */
  #beside: Float64Array
  #latestStrategy: Strategy | undefined

  constructor(at: RunContext, settings: CmaSettings, saved: SavedMemory | undefined) {
    const { dim } = at
    this.#at = at
    this.#beside = new Float64Array(saved?.vectors['method.beside']?.length ?? 0)
    this.#settings = settings
    this.#kind = settings.covariance ?? (dim <= mostFull ? 'full' : 'limited')
    this.#domain = searchDomain(at)
    this.#covariance = covarianceModel(this.#kind, dim)
    this.#rows = new PopulationRows(at, (z, into) => this.#covariance.stretch(z, into))
    this.point = copyOf(at, at.start)
    const [mean, origin, path, free, normal, step] = Array.from({ length: 6 }, () => new Float64Array(dim)) as Six
    this.#mean = mean
    this.#origin = origin
    this.#path = path
    this.#free = free
    this.#normal = normal
    this.#step = step
    this.#domain.free(at.start, mean)
    origin.set(mean)
    // With many under way, small generations would be made of what was asked before them.
    const population = settings.population ?? Math.max(usualPopulation(dim), 2 * ((at.concurrency ?? 1) - 1))
    this.#history = new GenerationHistory(Math.min(5000, stagnationWindow(dim, population)))
    const stepSize =
      settings.stepSize ?? (this.#kind === 'full' && mean.every((_, i) => this.#domain.width(i)) ? 1 / 6 : 0.3)
    this.#state = {
      stepSize,
      firstStepSize: stepSize,
      /** The unit of variables without two bounds. */
      unit: settings.stepSize === undefined ? Math.max(1, Math.sqrt(dot(at.start, at.start) / dim)) : 1,
      firstPopulation: population,
      population,
      generation: 0,
      restarts: 0,
      asked: 0,
      hasStart: false,
      noisy: settings.noisy === true,
      /** How much of the order is noise, beyond what is tolerated. */
      noise: 0,
      /** How far the values of the first generation lay apart; generations and runs without any difference. */
      firstRange: 0,
      flatGenerations: 0,
      flatRuns: 0,
    }
    const besides = {
      propose: (key: Key) => this.#sample({ ...key, row: besideRow }),
      learn: (answers: readonly BesideAnswer[], next: Name | 'converged') => this.#keepBeside(answers, next),
    }
    this.open = settings.openStages?.(at, this, besides, saved)
  }

  get memory(): Memory {
    const beside = this.#beside.length > 0 ? { beside: this.#beside } : {}
    return {
      vectors: { mean: this.#mean, origin: this.#origin, path: this.#path, ...beside },
      state: this.#state,
      parts: { covariance: this.#covariance.memory, history: this.#history.memory },
    }
  }

  get noisy(): boolean {
    return this.#state.noisy
  }

  get #strategy(): Strategy {
    const { population } = this.#state
    if (this.#latestStrategy?.population !== population) {
      this.#latestStrategy = strategyOf(this.#at.dim, population, this.#kind)
    }
    return this.#latestStrategy
  }

  *#generation(key: Key): Stage<Name> {
    const state = this.#state
    const { population } = state
    const { rows: known, values: knownValues } = this.#knownRows()
    const fresh = population - known.length
    const repeats = state.noisy ? Math.min(repeatsOf(population), fresh) : 0
    const starts = state.hasStart ? 0 : this.#startQueries
    const rows = starts + fresh + repeats
    this.#rows.begin(key, fresh, known)
    const given = yield {
      rows,
      write: (row, into, offset) => {
        if (row < starts) into.set(this.point, offset)
        else this.#domain.write(this.#place((row - starts) % fresh), into, offset)
      },
    }
    state.asked += rows
    this.#beside = new Float64Array(0)
    if (!state.hasStart) this.#seeStart(given.subarray(0, starts))
    const values = joined(this.#measured(given.subarray(starts), fresh), knownValues)
    const isUseless = values.every(Number.isNaN)
    if (isUseless) return 'generation'
    const order = this.#ranked(values)
    this.#move(order)
    if (state.noisy && repeats > 0) this.#adaptToNoise()
    this.#remember(values, order)
    if (!this.#isOver(values, order)) return 'generation'
    return this.#restart(key)
  }

  /** A point of the population at work beside its rows. */
  #sample(address: Key & { row: number }): Vector {
    const [normal, step] = [new Float64Array(this.#at.dim), new Float64Array(this.#at.dim)]
    this.#rows.normals(address, normal)
    this.#covariance.stretch(normal, step)
    const point = copyOf(this.#at, this.point)
    this.#domain.write(this.#moved(step), point, 0)
    return point
  }

  #keepBeside(answers: readonly BesideAnswer[], next: Name | 'converged'): Name | 'converged' {
    this.#state.asked += answers.length
    this.#beside = joined(this.#beside, Float64Array.from(answers.flatMap(({ point, value }) => [...point, value])))
    return next
  }

  /**
   * What was asked beside earlier generations as rows of this one, by where its population has them: the latest, at most half of all.
   * What lies too far out for a normal vector is none of them ("Injecting External Solutions Into CMA-ES", Hansen, 2011).
   */
  #knownRows(): { rows: Row[]; values: Float64Array } {
    const { dim } = this.#at
    const { stepSize, population } = this.#state
    const rows: Row[] = []
    const values: number[] = []
    for (let at = this.#beside.length - dim - 1; at >= 0 && 2 * (rows.length + 1) <= population; at -= dim + 1) {
      this.#domain.free(this.#beside.subarray(at, at + dim), this.#free)
      const step = this.#free.map((each, i) => (each - (this.#mean[i] as number)) / (stepSize * this.#scale(i)))
      const normal = this.#covariance.normalOf(step)
      const most = Math.sqrt(dim) + (2 * dim) / (dim + 2)
      if (!(dot(normal, normal) <= most * most)) continue
      rows.push({ normal, step })
      values.push(this.#beside[at + dim] as number)
    }
    return { rows, values: Float64Array.from(values) }
  }

  /** Free coordinates of a row of the population. */
  #place(row: number): Float64Array {
    return this.#moved(this.#rows.read(row).step)
  }

  #moved(step: Float64Array): Float64Array {
    const { stepSize } = this.#state
    for (let i = 0; i < step.length; i++) {
      this.#free[i] = (this.#mean[i] as number) + stepSize * this.#scale(i) * (step[i] as number)
    }
    return this.#free
  }

  #scale(i: number): number {
    return this.#domain.width(i) ?? this.#state.unit
  }

  /** How often the start is asked: once for its value, twice to see whether answers vary. */
  get #startQueries(): number {
    return (this.#at.startValue === undefined ? 1 : 0) + (this.#settings.noisy === undefined ? 1 : 0)
  }

  #seeStart(values: Float64Array): void {
    const state = this.#state
    state.hasStart = true
    const { startValue } = this.#at
    const all = startValue === undefined ? [...values] : [startValue, ...values]
    const [first, again] = all.filter((value) => !Number.isNaN(value))
    state.noisy ||= again !== undefined && first !== again
  }

  /** The value of each point, the mean where it was asked again; that tells how much of the order is noise. */
  #measured(given: Float64Array, population: number): Float64Array {
    const values = given.slice(0, population)
    const repeated = given.subarray(population)
    if (repeated.length === 0) return values
    const state = this.#state
    state.noise = 0.7 * state.noise + 0.3 * (rankChange(values, repeated) - toleratedNoise)
    repeated.forEach((again, i) => {
      const first = values[i] as number
      if (Number.isNaN(first)) values[i] = again
      else if (!Number.isNaN(again)) values[i] = (first + again) / 2
    })
    return values
  }

  /**
   * Where noise hides the order, the population grows by a fifth; where it does not, it shrinks slowly. The mean of many
   * points averages noise as well as the mean of many answers does, and learns the shape meanwhile: on noisy spheres of 20
   * variables it was 3 to 25 times lower after equal queries than with points that are asked again and again.
   */
  #adaptToNoise(): void {
    const state = this.#state
    const { population, firstPopulation } = state
    const most = ((this.#at.budget.maxQueries ?? Infinity) - state.asked) / 20
    const wanted = state.noise > 0 ? Math.ceil(Math.min(1.2 * population, most)) : Math.floor(0.955 * population)
    state.population = Math.max(firstPopulation, wanted)
  }

  /** The rows, best first; failed ones are last. Outside of a set that is no box, distance counts like the values' own spread. */
  #ranked(values: Float64Array): number[] {
    const costs = values.slice()
    if (this.#domain.excess !== undefined) {
      const weight = quartileRange(values) || 1
      const unit = this.#state.stepSize * this.#state.unit
      for (let row = 0; row < costs.length; row++) {
        const excess = this.#domain.excess(this.#place(row)) / (unit * unit * this.#at.dim)
        costs[row] = (costs[row] as number) + weight * excess
      }
    }
    const cost = (row: number): number => (Number.isNaN(costs[row]) ? Infinity : (costs[row] as number))
    const order = Array.from(costs, (_, row) => row)
    return order.sort((a, b) => (cost(a) < cost(b) ? -1 : cost(a) > cost(b) ? 1 : a - b))
  }

  /** Moves the mean, the step size and the covariance (tutorial, appendix A). */
  #move(order: readonly number[]): void {
    const state = this.#state
    const { parents, weights, muEff, cSigma } = this.#strategy
    const [normal, step, n] = [this.#normal, this.#step, this.#at.dim]
    normal.fill(0)
    for (let rank = 0; rank < parents; rank++) {
      const z = this.#rows.read(order[rank] as number).normal
      for (let i = 0; i < n; i++) normal[i] = (normal[i] as number) + (weights[rank] as number) * (z[i] as number)
    }
    this.#covariance.stretch(normal, step)
    follow(this.#path, normal, cSigma, muEff)
    const length = dot(this.#path, this.#path) / n
    for (let i = 0; i < n; i++) {
      this.#mean[i] = (this.#mean[i] as number) + state.stepSize * this.#scale(i) * (step[i] as number)
    }
    this.#covariance.learn({
      strategy: this.#strategy,
      generation: state.generation,
      normal,
      step,
      isSteady: length < (2 + 4 / (n + 1)) * (1 - power(1 - cSigma, 2 * (state.generation + 1))),
      each: (use) =>
        order.forEach((row, rank) => {
          const read = this.#rows.read(row)
          use(rank, read.normal, read.step)
        }),
    })
    state.stepSize *= exponential(Math.min(1, this.#growth(length)))
    state.generation++
    this.#domain.write(this.#mean, this.point, 0)
  }

  /** The change of the step size's logarithm, from the squared length of its path per variable. */
  #growth(length: number): number {
    const { cSigma, dSigma } = this.#strategy
    const n = this.#at.dim
    const excess = this.#kind === 'limited' ? length - 1 : Math.sqrt(length) / (1 - 1 / (4 * n) + 1 / (21 * n * n)) - 1
    return (cSigma / dSigma) * excess
  }

  #remember(values: Float64Array, order: readonly number[]): void {
    const state = this.#state
    const at = (share: number): number => values[order[Math.floor(share * (order.length - 1))] as number] as number
    const [lowest, middle, upper] = [at(0), at(0.5), at(0.75)]
    this.#history.add(lowest, Number.isNaN(middle) ? lowest : middle)
    if (state.generation === 1) state.firstRange = rangeOf(values)
    state.flatGenerations = lowest === upper ? state.flatGenerations + 1 : 0
  }

  /** Whether this run has nothing more to give (the criteria of Hansen, 2009, as pycma has them). */
  #isOver(values: Float64Array, order: readonly number[]): boolean {
    const state = this.#state
    const { population, stepSize, firstStepSize } = state
    if (!(stepSize < 1e14 * firstStepSize) || this.#covariance.condition > 1e14) return true
    if (this.#hasNoEffect()) return true
    if (state.noisy) return false
    if (state.flatGenerations > 1) return true
    const n = this.#at.dim
    const lowest = Math.abs(values[order[0] as number] as number)
    const tolerance = this.#settings.tolerance * Math.max(Math.min(1, state.firstRange), 0.01 * lowest)
    const generations = 10 + Math.ceil((30 * n) / population)
    if (rangeOf(values) < tolerance && this.#history.range(generations) < tolerance) return true
    return this.#history.isStagnant(stagnationWindow(n, population))
  }

  /** Steps have become too short to matter: on all variables beside the first ones, or on one beside its own size. */
  #hasNoEffect(): boolean {
    const { stepSize, firstStepSize } = this.#state
    const round = this.#at.precision === 'float32' ? Math.fround : (value: number) => value
    let longest = 0
    for (let i = 0; i < this.#mean.length; i++) {
      const step = stepSize * this.#covariance.deviation(i)
      longest = Math.max(longest, step)
      const mean = round(this.#mean[i] as number)
      if (round(mean + 0.2 * step * this.#scale(i)) === mean) return true
    }
    return longest < 1e-12 * firstStepSize
  }

  /** Begins again with twice the population, somewhere else: anywhere between bounds, or around the start. */
  #restart(key: Key): Name | 'converged' {
    const state = this.#state
    state.flatRuns = state.flatGenerations === state.generation ? state.flatRuns + 1 : 0
    if (state.flatRuns > 0) this.#at.warn(constantWarning)
    const { restarts, flatRuns } = this.#settings
    const { maxQueries = 0, isDefault } = this.#at.budget
    const left = isDefault === true ? 0 : maxQueries - state.asked
    const isEnd = state.restarts >= restarts || left <= state.firstPopulation || state.flatRuns > (flatRuns ?? 2)
    if (isEnd || state.noisy) return 'converged'
    // Large populations need some generations to be of use.
    state.population = Math.max(state.firstPopulation, Math.min(2 * state.population, Math.floor(left / 30)))
    state.restarts++
    state.stepSize = state.firstStepSize * (1 << state.flatRuns)
    state.generation = 0
    state.flatGenerations = 0
    this.#covariance.reset()
    this.#history.reset()
    this.#path.fill(0)
    this.#beside = new Float64Array(0)
    this.#scatter({ ...key, row: restartRow })
    this.#domain.write(this.#mean, this.point, 0)
    return 'generation'
  }

  #scatter(address: Key & { row: number }): void {
    const { stepSize, unit } = this.#state
    this.#rows.normals(address, this.#normal)
    for (let i = 0; i < this.#mean.length; i++) {
      const near = (this.#origin[i] as number) + stepSize * unit * (this.#normal[i] as number)
      this.#mean[i] = this.#domain.between(i, randomUniform(address, 'coordinates', i)) ?? near
    }
  }
}

type Six = [Float64Array, Float64Array, Float64Array, Float64Array, Float64Array, Float64Array]

/** The row of the random numbers of a restart: no population is that large. */
const restartRow = 0x7fffffff
/** That of those of a point beside a generation. */
const besideRow = 0x7ffffffe

/** Where rank changes are 1 if the order is all noise. */
const toleratedNoise = 0.4

/** Generations in which something must have become better. */
function stagnationWindow(n: number, population: number): number {
  return 100 + Math.ceil((100 * n * Math.sqrt(n)) / population)
}

function rangeOf(values: Float64Array): number {
  let [least, most] = [Infinity, -Infinity]
  for (const value of values) {
    if (Number.isNaN(value)) continue
    least = Math.min(least, value)
    most = Math.max(most, value)
  }
  return most - least
}

function quartileRange(values: Float64Array): number {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort()
  const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] as number
  return at(0.75) - at(0.25)
}

/** base^exponent for a whole exponent. */
function power(base: number, exponent: number): number {
  let result = 1
  for (let [square, left] = [base, exponent]; left > 0; left = Math.floor(left / 2), square *= square) {
    if (left % 2 === 1) result *= square
  }
  return result
}

/** Rows of a generation up to this many numbers are kept while it is asked; larger ones are made again when needed. */
const mostKept = 500_000

/** A row: its normals and the step made of them. Lent until the next is read. */
interface Row {
  readonly normal: Float64Array
  readonly step: Float64Array
}

/** The rows of a generation: normals, which follow from the key, and the steps that a covariance makes of them. */
class PopulationRows {
  readonly #at: RunContext
  readonly #stretch: (z: Float64Array, into: Float64Array) => void
  readonly #tile: Float32Array
  readonly #lent: Row
  #kept: Row[] = []
  #filled = 0
  #population = 0
  /** Rows behind those of the population. */
  #known: readonly Row[] = []
  #key: Key = { seed: 0, iteration: -1 }

  constructor(at: RunContext, stretch: (z: Float64Array, into: Float64Array) => void) {
    this.#at = at
    this.#stretch = stretch
    this.#tile = new Float32Array(Math.min(at.dim, tileSize))
    this.#lent = emptyRow(at.dim)
  }

  /** Begins a generation. */
  begin(key: Key, population: number, known: readonly Row[]): void {
    this.#key = key
    this.#population = population
    this.#known = known
    this.#filled = population * this.#at.dim <= mostKept ? population : 0
    while (this.#kept.length < this.#filled) this.#kept.push(emptyRow(this.#at.dim))
    for (let row = 0; row < this.#filled; row++) this.#fill(row, this.#kept[row] as Row)
  }

  read(row: number): Row {
    if (row >= this.#population) return this.#known[row - this.#population] as Row
    if (row < this.#filled) return this.#kept[row] as Row
    this.#fill(row, this.#lent)
    return this.#lent
  }

  #fill(row: number, { normal, step }: Row): void {
    this.normals({ ...this.#key, row }, normal)
    this.#stretch(normal, step)
  }

  /** Normals of an address, as many as there are variables. */
  normals(address: Key & { row: number }, into: Float64Array): void {
    const { dim, kernels } = this.#at
    for (let first = 0; first < dim; first += tileSize) {
      const count = Math.min(tileSize, dim - first)
      kernels.normals(address, first / tileSize, count, this.#tile)
      for (let i = 0; i < count; i++) into[first + i] = this.#tile[i] as number
    }
  }
}

function emptyRow(dim: number): Row {
  return { normal: new Float64Array(dim), step: new Float64Array(dim) }
}

/** The lowest and the middle value of the latest generations. */
export class GenerationHistory {
  readonly memory: Memory
  readonly #lowest: Float64Array
  readonly #middle: Float64Array
  readonly #state = { count: 0 }

  /** Remembers at most `capacity` generations. */
  constructor(capacity: number) {
    this.#lowest = new Float64Array(capacity)
    this.#middle = new Float64Array(capacity)
    this.memory = { vectors: { lowest: this.#lowest, middle: this.#middle }, state: this.#state }
  }

  reset(): void {
    this.#state.count = 0
  }

  add(lowest: number, middle: number): void {
    const at = this.#state.count++ % this.#lowest.length
    this.#lowest[at] = lowest
    this.#middle[at] = middle
  }

  /** How far the lowest values of the latest generations lie apart; infinite before there are that many. */
  range(generations: number): number {
    if (this.#state.count < generations) return Infinity
    let [least, most] = [Infinity, -Infinity]
    for (let back = 0; back < Math.min(generations, this.#lowest.length); back++) {
      const value = this.#at(this.#lowest, back)
      least = Math.min(least, value)
      most = Math.max(most, value)
    }
    return most - least
  }

  /** True where the later third of these generations is no better than the first, in its lowest and in its middle values. */
  isStagnant(generations: number): boolean {
    const window = Math.min(generations, this.#lowest.length)
    if (this.#state.count < window) return false
    const third = Math.floor(window / 3)
    const isWorse = (ring: Float64Array): boolean => {
      const between = (from: number) => Float64Array.from({ length: third }, (_, i) => this.#at(ring, from + i))
      return median(between(0)) >= median(between(window - third))
    }
    return isWorse(this.#middle) && isWorse(this.#lowest)
  }

  /** The entry of a generation, counted back from the latest. */
  #at(ring: Float64Array, back: number): number {
    return ring[(this.#state.count - 1 - back) % ring.length] as number
  }
}

/** Queries that tell noise from signal: in each generation this many of its points are asked again. */
export function repeatsOf(population: number): number {
  return Math.min(population, 2 + Math.floor(population / 20))
}

/**
 * How much noise changes the order of a generation: the mean change of rank from a value to its repetition, 0 where there is
 * none, about 1 where the order is all noise (in the spirit of Hansen et al., "A Method for Handling Uncertainty", 2009).
 */
export function rankChange(values: Float64Array, repeated: Float64Array): number {
  const all = [...values, ...repeated]
  const rank = (of: number): number => all.reduce((below, each) => below + (each < of ? 1 : 0), 0)
  let [sum, count] = [0, 0]
  repeated.forEach((again, i) => {
    const first = values[i] as number
    if (Number.isNaN(first) || Number.isNaN(again)) return
    sum += Math.max(0, Math.abs(rank(first) - rank(again)) - 1)
    count++
  })
  return count === 0 ? 0 : (3 * sum) / (count * all.length)
}
