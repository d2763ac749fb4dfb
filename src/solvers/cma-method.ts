// Over 250 lines because the steps of one generation are read as one page.
import { dot } from '../algebra/vectors.ts'
import type { Begin, Key, Memory, Vector } from '../core/types.ts'
import { exponential } from '../kernels/exponential.ts'
import { randomUniform } from '../kernels/random.ts'
import type { Stage, StagedMethod } from '../staged/staged-search.ts'
import { type CovarianceKind, type Strategy, strategyOf, usualPopulation } from './cma-strategy.ts'
import { type CovarianceModel, covarianceModel, follow } from './covariance-models.ts'
import { copyOf } from './current-point.ts'
import { GenerationHistory } from './generation-history.ts'
import { PopulationRows } from './population-rows.ts'
import { meansOf, rankChange, repeatsOf } from './repeated-values.ts'
import { type SearchDomain, searchDomain } from './search-domain.ts'

/** What a run of CMA-ES is given beside its beginning. */
export interface CmaSettings {
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
}

type Name = 'generation'

/** The highest dimension with a full matrix by default. */
const mostFull = 200

const constantWarning =
  'all values of several generations were equal: the function may be constant around the start, or stepSize too small'

/** CMA-ES with restarts and growing populations, a generation per stage. */
export function cmaMethod(at: Begin, settings: CmaSettings): StagedMethod<Name> {
  return new CmaMethod(at, settings)
}

class CmaMethod implements StagedMethod<Name> {
  readonly point: Vector
  readonly memory: Memory
  readonly stages = { generation: (key: Key) => this.#generation(key) }
  readonly #at: Begin
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
  #latestStrategy: Strategy | undefined

  constructor(at: Begin, settings: CmaSettings) {
    const { dim } = at
    this.#at = at
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
    const population = settings.population ?? usualPopulation(dim)
    this.#history = new GenerationHistory(Math.min(5000, stagnationWindow(dim, population)))
    this.#state = {
      stepSize: settings.stepSize ?? 0.3,
      firstStepSize: settings.stepSize ?? 0.3,
      /** The unit of variables without two bounds. */
      unit: settings.stepSize === undefined ? Math.max(1, Math.sqrt(dot(at.start, at.start) / dim)) : 1,
      firstPopulation: population,
      population,
      generation: 0,
      restarts: 0,
      asked: 0,
      hasStart: false,
      noisy: settings.noisy === true,
      /** How often each point is asked under noise, and how much of the order is noise beyond what is tolerated. */
      copies: 1,
      noise: 0,
      /** How far the values of the first generation lay apart; generations and runs without any difference. */
      firstRange: 0,
      flatGenerations: 0,
      flatRuns: 0,
    }
    this.memory = {
      vectors: { point: this.point, mean, origin, path },
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
    const repeats = state.noisy ? repeatsOf(population) : 0
    const points = population + repeats
    const starts = state.hasStart ? 0 : this.#startQueries
    const rows = starts + points * Math.floor(state.copies)
    this.#rows.begin(key, population)
    const given = yield {
      rows,
      write: (row, into, offset) => {
        if (row < starts) into.set(this.point, offset)
        else this.#domain.write(this.#place(((row - starts) % points) % population), into, offset)
      },
    }
    state.asked += rows
    if (!state.hasStart) this.#seeStart(given.subarray(0, starts))
    const values = this.#measured(meansOf(given.subarray(starts), points), population)
    const isUseless = values.every(Number.isNaN)
    if (isUseless) return 'generation'
    const order = this.#ranked(values)
    this.#move(order)
    this.#remember(values, order)
    if (!this.#isOver(values, order)) return 'generation'
    return this.#restart(key)
  }

  /** Free coordinates of a row of the population. */
  #place(row: number): Float64Array {
    const { step } = this.#rows.read(row)
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

  /** The value of each point; under noise it is decided how often points are asked from now on. */
  #measured(means: Float64Array, population: number): Float64Array {
    const values = means.slice(0, population)
    const repeated = means.subarray(population)
    if (repeated.length === 0) return values
    const state = this.#state
    const excess = rankChange(values, repeated) - toleratedNoise
    state.noise = 0.7 * state.noise + 0.3 * excess
    // The factors of pycma's NoiseHandler: many copies are bought fast and given up slowly.
    const factor = 1 + 2 / (this.#at.dim + 10)
    const points = population + repeated.length
    const left = (this.#at.budget.maxQueries ?? Infinity) - state.asked
    if (state.noise > 0) {
      state.copies = Math.max(1, Math.min(state.copies * factor, mostCopies, left / (20 * points)))
      state.stepSize *= factor
    } else state.copies = Math.max(1, state.copies / Math.sqrt(Math.sqrt(factor)))
    repeated.forEach((again, i) => {
      const first = values[i] as number
      if (Number.isNaN(first)) values[i] = again
      else if (!Number.isNaN(again)) values[i] = (first + again) / 2
    })
    return values
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
    return longest < 1e-11 * firstStepSize
  }

  /** Begins again with twice the population, somewhere else: anywhere between bounds, or around the start. */
  #restart(key: Key): Name | 'converged' {
    const state = this.#state
    state.flatRuns = state.flatGenerations === state.generation ? state.flatRuns + 1 : 0
    if (state.flatRuns > 0) this.#at.warn(constantWarning)
    const { maxQueries = 0, isUsual } = this.#at.budget
    const left = isUsual === true ? 0 : maxQueries - state.asked
    const isEnd = state.restarts >= this.#settings.restarts || left <= state.firstPopulation || state.flatRuns > 2
    if (isEnd || state.noisy) return 'converged'
    // Large populations need some generations to be of use.
    state.population = Math.max(state.firstPopulation, Math.min(2 * state.population, Math.floor(left / 30)))
    state.restarts++
    state.stepSize = state.firstStepSize
    state.generation = 0
    state.flatGenerations = 0
    this.#covariance.reset()
    this.#history.reset()
    this.#path.fill(0)
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
const restartRow = 2 ** 31 - 1

/** Where rank changes are 1 if the order is all noise. */
const toleratedNoise = 0.4

/** Copies of a point that are asked at most. */
const mostCopies = 100

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
