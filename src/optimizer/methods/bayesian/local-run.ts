import type { Memory, SavedMemory } from '../../core/types.ts'
import { exponential } from '../../kernels/functions.ts'
import { quadraticSize } from '../../numerics/quadratics.ts'
import { ascending, mean, sum } from '../../numerics/vectors.ts'
import type { Archive } from './archive.ts'
import { type Domain, isSameCell } from './domain.ts'
import { LocalModel, unitOf } from './local-model.ts'

/** The radius of the first run, of later ones, and the largest; a run of a smaller one than the last is over. */
const radii = { first: 0.3, later: 0.15, most: 0.5, least: 1e-7 }
/** A model is made of points within so many radii, if those are enough, and of so many at most. */
const modelReach = 6
const mostPoints = 150

/** Models around the centre of a run, and how many points lie within two radii. */
export interface Surrounding {
  readonly model: LocalModel
  readonly constraints: readonly LocalModel[]
  readonly near: number
}

/** What a step of a run promised. */
export interface Step {
  /** The mean of the model there; undefined where another model made the step. */
  readonly expected: number | undefined
  /** Its length in radii, along the coordinate where it is longest. */
  readonly length: number
  /** Points within two radii of the centre before it. */
  readonly near: number
}

/** One search around a centre, in a region of which the radius shrinks and grows. */
export class LocalRun {
  readonly #domain: Domain
  readonly centre: Float64Array
  #gains: Float64Array
  readonly state = {
    /** Whether there is one now. */
    isOn: false,
    value: 0,
    radius: radii.first,
    /** Steps, and those in a row that gained nothing; those of another model since the radius shrank. */
    steps: 0,
    fails: 0,
    misses: 0,
    /** Whether it was handed to the quasi-Newton method before. */
    wasPolished: false,
  }

  constructor(domain: Domain, saved: SavedMemory | undefined) {
    this.#domain = domain
    this.centre = new Float64Array(domain.dim)
    this.#gains = new Float64Array(saved?.vectors['method.run.gains']?.length ?? 0)
  }

  get memory(): Memory {
    return { vectors: { centre: this.centre, gains: this.#gains }, state: this.state }
  }

  begin(centre: Float64Array, value: number, radius: number): void {
    this.centre.set(centre)
    this.#gains = new Float64Array(0)
    Object.assign(this.state, { isOn: true, value, radius, steps: 0, fails: 0, misses: 0, wasPolished: false })
  }

  /** Begins elsewhere because a point of another search is better there. */
  beginAt(centre: Float64Array, value: number): void {
    this.begin(centre, value, Math.max(radii.first / 2, this.state.isOn ? this.state.radius : 0))
  }

  beginFirst(centre: Float64Array, value: number): void {
    this.begin(centre, value, radii.first)
  }

  beginLater(centre: Float64Array, value: number): void {
    this.begin(centre, value, radii.later)
  }

  moveTo(centre: Float64Array, value: number): void {
    this.centre.set(centre)
    this.state.value = value
  }

  /** Takes in what came of a step, where `best` is the lowest of all values; false where the run is over. */
  learn(place: Float64Array, value: number, step: Step, all: { best: number; scale: number }): boolean {
    const { state } = this
    const d = this.#domain.continuous.length
    const gain = state.value - value
    const promised =
      step.expected === undefined ? Math.max(gain, 1e-300) : Math.max(state.value - step.expected, 1e-300)
    state.steps++
    const grown = new Float64Array(Math.min(this.#gains.length + 1, 2 * d + 2))
    grown.set(this.#gains.subarray(this.#gains.length + 1 - grown.length))
    grown[grown.length - 1] = Math.max(gain, 0)
    this.#gains = grown
    if (gain > 0) {
      this.moveTo(place, value)
      state.fails = 0
      if (gain > 0.5 * promised && step.length > 0.9) state.radius = Math.min(2 * state.radius, radii.most)
      else if (gain < 0.1 * promised) state.radius *= 0.7
    } else {
      state.fails++
      state.misses++
      if (step.near >= 1.5 * d + 1 && (step.expected !== undefined || state.misses >= 0.5 * d)) {
        state.radius *= 0.5
        state.misses = 0
      }
    }
    const isStill = this.#gains.length === 2 * d + 2 && sum(this.#gains) < 1e-9 * all.scale
    if (state.radius < radii.least || isStill) return false
    return !(state.value > all.best && state.steps > d && state.value - 3 * sum(this.#gains.slice(-d - 1)) > all.best)
  }

  /** The region in radii, cut at the sides of the cube, along the continuous coordinates. */
  get region(): { lower: Float64Array; upper: Float64Array } {
    const { radius } = this.state
    const centre = Float64Array.from(this.#domain.continuous, (i) => this.centre[i] as number)
    return {
      lower: centre.map((each) => Math.max(-1, -each / radius)),
      upper: centre.map((each) => Math.min(1, (1 - each) / radius)),
    }
  }

  /** The place at so many radii from the centre along the continuous coordinates. */
  placeAt(z: Float64Array): Float64Array {
    const place = this.centre.slice()
    this.#domain.continuous.forEach((i, k) => {
      place[i] = Math.min(Math.max((place[i] as number) + this.state.radius * (z[k] as number), 0), 1)
    })
    return place
  }

  /** How far a region of the model of the whole space reaches: further where its lengths are longer. */
  reach(lengths: Float64Array): Float64Array {
    const { isCategory } = this.#domain
    const numbers = lengths.filter((_, i) => isCategory[i] === 0)
    const usual = numbers.length === 0 ? 0 : mean(numbers)
    return lengths.map((each, i) => {
      const longer = isCategory[i] === 1 ? 1 : exponential(each - usual)
      return this.state.radius * Math.min(Math.max(longer, 1 / 3), 3)
    })
  }

  /** Models of values, constraints and failures around the centre; undefined where too few points have its levels and categories. */
  model(archive: Archive, constraintCount: number, isNoisy: boolean): Surrounding | undefined {
    const { continuous } = this.#domain
    const d = continuous.length
    const { radius } = this.state
    const same = Array.from(archive.places.keys()).filter((i) =>
      isSameCell(this.#domain, archive.places[i] as Float64Array, this.centre),
    )
    if (same.length < Math.max(3, (d >> 1) + 1)) return undefined
    const places = same.map((i) => {
      const place = archive.places[i] as Float64Array
      return Float64Array.from(continuous, (j) => ((place[j] as number) - (this.centre[j] as number)) / radius)
    })
    const distances = Float64Array.from(places, (z) => Math.sqrt(sum(z.map((each) => each * each)) / d))
    const nearest = ascending(distances).slice(0, Math.min(Math.max(2 * quadraticSize(d), 3 * d + 5), mostPoints))
    const inside = nearest.filter((k) => (distances[k] as number) <= modelReach)
    const chosen = inside.length >= 2 * d + 2 ? inside : nearest
    const drawnIn = chosen.map((k) => {
      const by = Math.max(1, (distances[k] as number) / 8)
      return (places[k] as Float64Array).map((each) => each / by)
    })
    const of = (values: Float64Array, highShare: number, from = chosen.keys()): LocalModel | undefined => {
      const those = [...from]
      const own = Float64Array.from(those, (k) => values[same[chosen[k] as number] as number] as number)
      const far = Float64Array.from(those, (k) => distances[chosen[k] as number] as number)
      const variances = doubts(own, far, highShare)
      return LocalModel.fit({ places: those.map((k) => drawnIn[k] as Float64Array), values: own, variances, isNoisy })
    }
    const isFailed = (k: number): boolean => archive.isFailed(same[chosen[k] as number] as number)
    const answered = [...chosen.keys()].filter((k) => !isFailed(k))
    const hasFailures = answered.length < chosen.length
    if (hasFailures && answered.length < 3) return undefined
    const model = of(constraintCount > 0 ? archive.filled : archive.scores, 0.01, answered.values())
    const constraints = Array.from({ length: constraintCount }, (_, j) => of(archive.filledConstraint(j), 0))
    if (hasFailures) constraints.push(of(archive.failures, 0))
    if (model === undefined || !constraints.every((each) => each !== undefined)) return undefined
    return { model, constraints, near: chosen.filter((k) => (distances[k] as number) <= 2).length }
  }
}

/** Variances for points that are far away, and for values that are high. */
function doubts(values: Float64Array, distances: Float64Array, highShare: number): Float64Array {
  const lowest = values.reduce((a, b) => Math.min(a, b))
  const unit = unitOf(values, lowest)
  return values.map((value, k) => {
    const far = Math.max(0.5 * (distances[k] as number) - 1, 0)
    const high = (highShare * (value - lowest)) / unit
    return far * far * far * far * 1e-3 + high * high
  })
}
