import { logarithm } from '../../kernels/functions.ts'
import { boxMinimum } from '../../numerics/box-minimum.ts'
import { type Domain, same } from './domain.ts'
import type { GaussianProcess } from './gaussian-process.ts'
import { logExpectedGain, logProbabilityBelow, slopeOfGain, slopeOfProbability } from './normal.ts'

/** What the models say of the points of a run. */
export interface Models {
  readonly domain: Domain
  readonly objective: GaussianProcess
  /** One for each constraint, to be at most 0. */
  readonly constraints: readonly GaussianProcess[]
  /** What covariances with the data are multiplied by to give the share of failures nearby; undefined where none failed. */
  readonly failures: Float64Array | undefined
}

/** No place is written off where queries failed. */
const leastSuccess = 0.02

/**
 * The logarithm of the expected gain below a value, times the probability that the query is answered and all constraints hold.
 * Where there is no such value, because nothing feasible is known, the probability alone.
 */
export class Acquisition {
  readonly models: Models
  readonly #best: number | undefined

  constructor(models: Models, best: number | undefined) {
    this.models = models
    this.#best = best
  }

  values(at: readonly Float64Array[]): number[] {
    const { objective, constraints, failures } = this.models
    const { beliefs, extras } = objective.predict(at, failures)
    const all = beliefs.map(({ mean, deviation }, i) => {
      const gain =
        this.#best === undefined ? 0 : logExpectedGain((this.#best - mean) / deviation) + logarithm(deviation)
      return (
        gain + (failures === undefined ? 0 : logarithm(Math.min(Math.max(1 - (extras[i] as number), leastSuccess), 1)))
      )
    })
    for (const each of constraints) {
      each.predict(at).beliefs.forEach(({ mean, deviation }, i) => {
        all[i] = (all[i] as number) + logProbabilityBelow(-mean / deviation)
      })
    }
    return all
  }

  value(at: Float64Array): number {
    return this.values([at])[0] as number
  }

  /** The value but for failures, and its slopes. */
  slopes(at: Float64Array, into: Float64Array): number {
    const { objective, constraints } = this.models
    into.fill(0)
    let value = 0
    if (this.#best !== undefined) {
      const { mean, deviation, meanSlopes, deviationSlopes } = objective.slopes(at)
      const z = (this.#best - mean) / deviation
      const gain = logExpectedGain(z)
      const share = slopeOfGain(z, gain)
      value = gain + logarithm(deviation)
      for (let i = 0; i < into.length; i++) {
        const byDeviation = (deviationSlopes[i] as number) / deviation
        into[i] = share * (-(meanSlopes[i] as number) / deviation - z * byDeviation) + byDeviation
      }
    }
    for (const each of constraints) {
      const { mean, deviation, meanSlopes, deviationSlopes } = each.slopes(at)
      const z = -mean / deviation
      const share = slopeOfProbability(z)
      value += logProbabilityBelow(z)
      for (let i = 0; i < into.length; i++) {
        const along = (-(meanSlopes[i] as number) - z * (deviationSlopes[i] as number)) / deviation
        into[i] = (into[i] as number) + share * along
      }
    }
    return value
  }
}

/** A place and what the acquisition says of it. */
export interface Candidate {
  readonly place: Float64Array
  readonly value: number
}

/** How a candidate may be moved. */
interface Room {
  readonly lower: Float64Array
  readonly upper: Float64Array
  /** Whether a place was asked before, and is not worth another query. */
  isAsked(place: Float64Array): boolean
}

/** Evaluations of one climb. */
const climbEvaluations = 20

/** Climbs along the numbers, and steps along levels and categories, twice each. */
export function refine(acquisition: Acquisition, from: Candidate, room: Room): Candidate {
  const { domain } = acquisition.models
  const { discrete } = domain
  let best = from
  for (const withLevels of [true, false]) {
    const climbed = climb(acquisition, best.place, room, withLevels)
    if (climbed !== undefined && climbed.value > best.value) best = climbed
    if (discrete.length === 0) break
    best = step(acquisition, best, room)
  }
  return best
}

function climb(
  acquisition: Acquisition,
  from: Float64Array,
  { lower, upper }: Room,
  withLevels: boolean,
): Candidate | undefined {
  const { domain } = acquisition.models
  const { isCategory, continuous } = domain
  const free = withLevels ? Int32Array.from(from.keys()).filter((i) => isCategory[i] === 0) : continuous
  if (free.length === 0) return undefined
  const part = (x: Float64Array): Float64Array => Float64Array.from(free, (i) => x[i] as number)
  const whole = (z: Float64Array): Float64Array => {
    const x = from.slice()
    free.forEach((i, k) => {
      x[i] = z[k] as number
    })
    return x
  }
  const all = new Float64Array(from.length)
  const found = boxMinimum(
    (z, slopes) => {
      const value = acquisition.slopes(whole(z), all)
      free.forEach((i, k) => {
        slopes[k] = -(all[i] as number)
      })
      return -value
    },
    part(from),
    { lower: part(lower), upper: part(upper) },
    { evaluations: climbEvaluations },
  )
  const place = domain.snapped(whole(found.point))
  return { place, value: acquisition.value(place) }
}

/** Steps to the best of the places beside, along one discrete coordinate each, as long as that is better. */
function step(acquisition: Acquisition, from: Candidate, room: Room): Candidate {
  const { domain } = acquisition.models
  let best = from
  for (let steps = 0; steps < 6; steps++) {
    const here = best.place
    const beside = Array.from(domain.discrete).flatMap((i) =>
      domain
        .beside(here, i)
        .slice(0, 12)
        .map((each) => domain.snapped(withEntry(here, i, each))),
    )
    const places = beside.filter((place) => !room.isAsked(place))
    const values = acquisition.values(places)
    const top = values.reduce((a, value, i) => (value > (values[a] as number) ? i : a), 0)
    const limit = room.isAsked(here) ? -Infinity : best.value
    if (places.length === 0 || !((values[top] as number) > limit)) return best
    best = { place: places[top] as Float64Array, value: values[top] as number }
  }
  return best
}

/** A copy of a place with another entry. */
export function withEntry(place: Float64Array, i: number, entry: number): Float64Array {
  const copy = place.slice()
  copy[i] = entry
  return copy
}

/** Whether two places are the same. */
export function isSamePlace(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  for (let i = 0; i < a.length; i++) if (Math.abs((a[i] as number) - (b[i] as number)) > same * 1e-3) return false
  return true
}
