import type { Memory } from '../../core/types.ts'
import { exponential, logarithm } from '../../kernels/functions.ts'
import { ascending, mean, median, sum } from '../../numerics/vectors.ts'
import { Acquisition, type Models } from './acquisition.ts'
import { type Archive, thinned } from './archive.ts'
import type { Domain } from './domain.ts'
import { GaussianProcess } from './gaussian-process.ts'
import { unitOf } from './local-model.ts'
import { logarithmOfOnePlus } from './normal.ts'

/** Points closer together than this, times sqrt(d), are one to the model of the whole space. */
const apartShare = 1e-3
/** Points that it is made of at most, and those that its lengths are fitted to. */
const mostPoints = 250
const mostFitted = 150
/** Evaluations of the likelihood in a fit, and those while there are few points. */
const fitEvaluations = 12
const earlyEvaluations = 25
/** A warp must be so much more likely than the present one. */
const warpGain = 0.5
/** How far below the best the expected gain is reckoned, in standard deviations: with and without a local run. */
const margin = { local: 0.01, none: 0.03 }
/** A model whose foresight is less knows nothing. */
const leastForesight = 0.2

/** Values as a model sees them, and the logarithm of how much that stretched them, up to a constant. */
interface Warped {
  readonly values: Float64Array
  readonly stretch: number
}

/** What is far above the median is drawn in, from here on. */
const tail = 5

/** t -> ln(1 + t / c), with t = 1 at the median and 0 at the lowest value; the first leaves all but the upper tail as it is. */
const warps = [Infinity, 1, 0.1, 0.01, 0.001] as const

/** A place that is not in the archive yet. */
export interface OpenPlace {
  readonly place: Float64Array
  /** NaN where it failed; undefined while it is not answered. */
  readonly value: number | undefined
}

/** The models of the whole space at work: made of the points of one moment. */
export interface Fitted {
  readonly models: Models
  /** The places and the warped values that they are made of. */
  readonly places: readonly Float64Array[]
  readonly values: Float64Array
  /** What the models believe of these places, without the noise. */
  readonly means: Float64Array
}

/** Gaussian processes of the values, which are warped first, and of each constraint. */
export class GlobalModel {
  readonly #domain: Domain
  readonly #archive: Archive
  readonly #objective: GaussianProcess
  readonly #constraints: readonly GaussianProcess[]
  readonly #state = {
    /** Which of the warps is at work, the number of fits, and the number of points at which the next is due. */
    warp: 0,
    fits: 0,
    fitAt: 0,
    /** Whether the model knew nothing when it was fitted last. */
    isBlind: false,
  }

  constructor(domain: Domain, archive: Archive, constraintCount: number) {
    this.#domain = domain
    this.#archive = archive
    this.#objective = new GaussianProcess(domain)
    this.#constraints = Array.from({ length: constraintCount }, () => new GaussianProcess(domain))
  }

  get memory(): Memory {
    const constraints = this.#constraints.map(({ theta }, j): [string, Float64Array] => [`constraint${j}`, theta])
    return { vectors: { theta: this.#objective.theta, ...Object.fromEntries(constraints) }, state: this.#state }
  }

  /** The share of noise and roughness in the values; undefined before the first fit. */
  get nugget(): number | undefined {
    return this.#state.fits === 0 ? undefined : this.#objective.nugget
  }

  get isBlind(): boolean {
    return this.#state.isBlind
  }

  /** The lengths of the objective's process, in the cube. */
  get lengths(): Float64Array {
    return this.#objective.theta.subarray(0, this.#domain.dim)
  }

  /** Fits lengths, nuggets and the warp again where that is due. */
  refit(isNoisy: boolean): void {
    const state = this.#state
    const n = this.#archive.length
    if (n < state.fitAt) return
    const { scores, kept } = this.#kept(isNoisy)
    const chosen = fittedOf(kept, scores)
    const places = chosen.map((i) => this.#archive.places[i] as Float64Array)
    const own = this.#objectiveValues(chosen, scores)
    const evaluations = n < 40 ? earlyEvaluations : fitEvaluations
    const isAnew = state.fits > 0 && state.fits % 5 === 0
    this.#objective.condition(places, warped(own, state.warp).values)
    state.warp = this.#likeliestWarp(own)
    const { values } = warped(own, state.warp)
    this.#objective.fit(places, values, evaluations, isAnew)
    this.#objective.condition(places, values)
    state.isBlind = this.#objective.foresight(values) < leastForesight
    this.#constraints.forEach((each, j) => {
      each.fit(places, this.#constraintValues(j, chosen), evaluations, isAnew)
    })
    state.fits++
    state.fitAt = n + Math.max(1, Math.floor(n / 15))
  }

  #likeliestWarp(values: Float64Array): number {
    const { warp } = this.#state
    let [best, chosen] = [Infinity, warp]
    warps.forEach((_, k) => {
      const { values: tried, stretch } = warped(values, k)
      const scatter = this.#objective.scatterOf(tried)
      const unlikely = 0.5 * values.length * logarithm(scatter) - stretch + (k === warp ? 0 : warpGain)
      if (unlikely < best) {
        best = unlikely
        chosen = k
      }
    })
    return chosen
  }

  /** The models with all that is known now; what is under way is taken for answered as it is expected to be. */
  fitted(isNoisy: boolean, open: readonly OpenPlace[] = []): Fitted {
    const { scores, kept } = this.#kept(isNoisy)
    const answered = open.filter(({ value }) => value !== undefined)
    const worst = scores.reduce((a, b) => Math.max(a, b))
    const found = answered.map(({ value = Number.NaN }) => (Number.isNaN(value) ? worst : value))
    const known = kept.map((i) => this.#archive.places[i] as Float64Array)
    const { values: knownValues } = warped(
      Float64Array.from([...this.#objectiveValues(kept, scores), ...found]),
      this.#state.warp,
    )
    const { places, values } = this.#withExpected(
      [...known, ...answered.map(({ place }) => place)],
      knownValues,
      open.filter(({ value }) => value === undefined).map(({ place }) => place),
    )
    this.#constraints.forEach((each, j) => {
      each.condition(known, this.#constraintValues(j, kept))
    })
    const failed = new Float64Array(values.length)
    kept.forEach((i, k) => {
      failed[k] = this.#archive.isFailed(i) ? 1 : 0
    })
    answered.forEach(({ value }, k) => {
      failed[kept.length + k] = Number.isNaN(value) ? 1 : 0
    })
    const failures = failed.includes(1) ? this.#objective.weightsOf(failed) : undefined
    const models = { domain: this.#domain, objective: this.#objective, constraints: this.#constraints, failures }
    return { models, places, values, means: this.#objective.meansOf(values) }
  }

  /**
   * Conditions the process of the objective. What is under way gets the mean that is believed there, but none below the best: it
   * keeps other queries away and promises nothing ("kriging believer": Ginsbourger, Le Riche and Carraro, 2010).
   */
  #withExpected(
    known: readonly Float64Array[],
    values: Float64Array,
    underWay: readonly Float64Array[],
  ): { places: readonly Float64Array[]; values: Float64Array } {
    this.#objective.condition(known, values)
    if (underWay.length === 0) return { places: known, values }
    const best = lowest(values)
    const expected = this.#objective.predict(underWay).beliefs.map(({ mean: each }) => Math.max(each, best))
    const all = { places: [...known, ...underWay], values: Float64Array.from([...values, ...expected]) }
    this.#objective.condition(all.places, all.values)
    return all
  }

  /** The expected gain below the best so far, by a margin where answers do not vary. */
  acquisition({ models, places, values, means }: Fitted, of: { isNoisy: boolean; hasRun: boolean }): Acquisition {
    if (of.isNoisy) return new Acquisition(models, lowest(means))
    const by = of.hasRun ? margin.local : margin.none
    const best = this.#lowestFeasible(places, values)
    return new Acquisition(models, best === undefined ? undefined : best - by * deviationOf(values))
  }

  /** What a query is expected to gain below the best so far, as a share of the spread of values; 1 where nothing holds yet. */
  gainAt(place: Float64Array, { models, places, values, means }: Fitted): number {
    const best = this.#lowestFeasible(places, values)
    if (best === undefined) return 1
    const target = Math.max(best, lowest(means))
    return exponential(new Acquisition(models, target).value(place)) / Math.max(deviationOf(values), 1e-300)
  }

  #lowestFeasible(places: readonly Float64Array[], values: Float64Array): number | undefined {
    if (this.#constraints.length === 0) return lowest(values)
    const isFeasible = new Set(this.#archive.places.filter((_, i) => this.#archive.isFeasible(i)))
    const feasible = values.filter((_, k) => isFeasible.has(places[k] as Float64Array))
    return feasible.length === 0 ? undefined : lowest(feasible)
  }

  /** Repeats are kept where answers vary: they tell how much. */
  #kept(isNoisy: boolean): { scores: Float64Array; kept: number[] } {
    const { scores, places } = this.#archive
    const apart = isNoisy ? -1 : apartShare * Math.sqrt(this.#domain.dim)
    return { scores, kept: thinned(this.#domain, places, scores, { apart, most: mostPoints }) }
  }

  /** Values where they are known, scores where queries failed. */
  #objectiveValues(of: readonly number[], scores: Float64Array): Float64Array {
    return Float64Array.from(of, (i) => (this.#archive.isFailed(i) ? (scores[i] as number) : this.#archive.value(i)))
  }

  #constraintValues(j: number, of: readonly number[]): Float64Array {
    const all = this.#archive.constraint(j)
    return warpedConstraint(Float64Array.from(of, (i) => all[i] as number))
  }
}

/** Those that the lengths are fitted to: the best half, and the others spread by rank. */
function fittedOf(kept: readonly number[], scores: Float64Array): number[] {
  if (kept.length <= mostFitted) return [...kept]
  const order = ascending(Float64Array.from(kept, (i) => scores[i] as number))
  const half = mostFitted >> 1
  const stride = Math.max(1, Math.floor((kept.length - half) / (mostFitted - half)))
  const others = order.slice(half).filter((_, k) => k % stride === 0)
  return [...order.slice(0, half), ...others.slice(0, mostFitted - half)].map((k) => kept[k] as number)
}

function lowest(values: Float64Array): number {
  return values.reduce((a, b) => Math.min(a, b))
}

function deviationOf(values: Float64Array): number {
  const middle = mean(values)
  return Math.sqrt(sum(values.map((each) => (each - middle) * (each - middle))) / values.length)
}

/** Draws in the tail of values, the more the smaller c is. */
function warped(values: Float64Array, warp: number): Warped {
  const lowest = values.reduce((a, b) => Math.min(a, b))
  const unit = unitOf(values, lowest)
  const c = warps[warp] as number
  let stretch = 0
  const made = values.map((value) => {
    const t = (value - lowest) / unit
    if (c < Infinity) {
      stretch -= logarithm(c + t)
      return logarithmOfOnePlus(t / c)
    }
    if (!(t > tail)) return t
    const drawnIn = logarithmOfOnePlus(t - tail)
    stretch -= drawnIn
    return tail + drawnIn
  })
  return { values: made, stretch }
}

/** Constraints as models see them: the sign stays, what is large is drawn in. */
function warpedConstraint(values: Float64Array): Float64Array {
  const known = values.filter((each) => Number.isFinite(each))
  const unit = known.length === 0 ? 1 : Math.max(median(known.map(Math.abs)), 1e-300)
  return values.map((each) => {
    if (Number.isNaN(each)) return 1
    const size = logarithmOfOnePlus(Math.min(Math.abs(each) / unit, 1e300))
    return each < 0 ? -size : size
  })
}
