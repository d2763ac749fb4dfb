import { dot } from '../algebra/vectors.ts'
import type { Memory } from '../core/types.ts'
import { type Coordinates, longestStep, settle, shorten, sizeOf } from '../staged/coordinates.ts'
import { differences } from '../staged/differences.ts'
import type { NoiseLevel } from '../staged/noise-level.ts'
import { type Batch, onlyPoint } from '../staged/staged-search.ts'
import type { Curvature } from './curvature.ts'

/** What the methods for noisy functions share. */
export interface NoisyGround {
  readonly at: Coordinates
  readonly noise: NoiseLevel
  readonly curvature: Curvature
  /** Where the method at work is. */
  readonly center: Float64Array
  /** The mean of the answers there, and how many there were. */
  readonly state: { value: number; answers: number }
  /** Queries that the method at work may still ask. */
  left(): number
}

/** A second difference of central pairs, in standard deviations of the noise; of single ones. */
const centralBend = 30
const forwardBend = 3

/** Slopes from one side serve while an iteration gains this many standard deviations per coordinate. */
const largeGain = 50

/** Tries for an interval that shows more than noise. */
const intervalTries = 4
const searchTries = 8

/**
 * BFGS under noise: intervals such that the second difference stands out from the noise, Armijo's rule relaxed by it. Ends
 * at the second iteration that gains less than the noise. Each of its generators changes what it knows after its last batch.
 */
export class NoisyQuasiNewton {
  readonly memory: Memory
  readonly #ground: NoisyGround
  readonly #intervals: Float64Array
  readonly #slopes: Float64Array
  readonly #step: Float64Array
  /** Where the last gradient was taken, and that gradient. */
  readonly #before: Float64Array
  readonly #slopesBefore: Float64Array
  readonly #state = { hasBefore: false, isCentral: true, stalls: 0 }

  constructor(ground: NoisyGround) {
    const { dim } = ground.at
    this.#ground = ground
    this.#intervals = new Float64Array(dim)
    this.#slopes = new Float64Array(dim)
    this.#step = new Float64Array(dim)
    this.#before = new Float64Array(dim)
    this.#slopesBefore = new Float64Array(dim)
    this.memory = {
      vectors: {
        intervals: this.#intervals,
        slopes: this.#slopes,
        step: this.#step,
        before: this.#before,
        slopesBefore: this.#slopesBefore,
      },
      state: this.#state,
    }
  }

  /** Begins a turn at the center of the ground. */
  begin(): void {
    const { at, center } = this.#ground
    for (let i = 0; i < at.dim; i++) this.#intervals[i] = 0.05 * sizeOf(at, center, i)
    Object.assign(this.#state, { hasBefore: false, isCentral: true, stalls: 0 })
  }

  /** Asks the center once more: its value becomes surer, and so does the noise level. */
  *confirm(): Generator<Batch, void, Float64Array> {
    const { center, state, noise } = this.#ground
    const again = (yield onlyPoint(center))[0] as number
    if (Number.isNaN(again)) return
    noise.add([state.value, again])
    state.value = (state.answers * state.value + again) / (state.answers + 1)
    state.answers++
  }

  /** Slopes at the center, and the step that follows from them; false where the queries do not suffice. */
  *gradient(): Generator<Batch, boolean, Float64Array> {
    const { at, curvature, center } = this.#ground
    const { isCentral, stalls, hasBefore } = this.#state
    const found = isCentral ? yield* this.#centralSlopes() : yield* this.#forwardSlopes()
    if (found === null) return false
    this.#slopes.set(found.slopes)
    this.#intervals.set(found.intervals)
    if (!curvature.isKnown) curvature.begin(found.curvatures)
    else if (hasBefore) {
      curvature.learn(
        this.#before.map((each, i) => (center[i] as number) - each),
        this.#slopesBefore.map((each, i) => (this.#slopes[i] as number) - each),
      )
    }
    if (stalls > 0 && isCentral) curvature.blend(found.curvatures)
    this.#step.set(curvature.step(this.#slopes, center) ?? this.#simpleStep())
    // Nothing says before the first step that it has the right length.
    shorten(at, center, this.#step, hasBefore ? longestStep : 1)
    return true
  }

  /** Searches along the step; false at the end of the turn. */
  *search(): Generator<Batch, boolean, Float64Array> {
    const { at, state, noise, center } = this.#ground
    const own = this.#state
    const sigma = noise.at(state.value)
    const found = yield* this.#line(sigma)
    if (found === null) {
      own.hasBefore = false
      if (own.isCentral) own.stalls++
      own.isCentral = true
    } else {
      const gain = state.value - found.value
      this.#before.set(center)
      this.#slopesBefore.set(this.#slopes)
      own.hasBefore = true
      center.set(found.point)
      state.value = found.value
      state.answers = 1
      own.stalls = gain < sigma ? own.stalls + 1 : 0
      own.isCentral = gain < largeGain * at.dim * sigma
    }
    return own.stalls < 2
  }

  *#line(sigma: number): Generator<Batch, { point: Float64Array; value: number } | null, Float64Array> {
    const { at, state, center } = this.#ground
    const { value } = state
    const slope = dot(this.#slopes, this.#step)
    const allowance = this.#state.stalls > 0 ? 0 : 2 * sigma
    let best = { value: Infinity, distance: 0, point: center }
    let t = 1
    for (let tries = 0; tries < searchTries && this.#ground.left() > 0; tries++) {
      const step = t
      const point = settle(
        at,
        this.#step.map((each, i) => (center[i] as number) + step * each),
      )
      const answer = (yield onlyPoint(point))[0] as number
      const found = Number.isNaN(answer) ? Infinity : answer
      if (found < best.value) best = { value: found, distance: t, point }
      const bend = found - value - t * slope
      const lowest = bend > 0 ? (-slope * t * t) / (2 * bend) : Infinity
      if (found <= value + 1e-4 * t * slope + allowance) {
        const next = Math.min(lowest, 4 * t)
        const gain = -(slope * next + (bend / (t * t)) * next * next) - (value - found)
        const isLarge = value - found > 5 * sigma && gain > Math.max(0.1 * (value - found), 5 * sigma)
        if (!(tries < 3 && isLarge && Math.abs(next / t - 1) > 0.1 && best.distance === t)) return best
        t = next
        continue
      }
      if (best.value < value - 2 * sigma) return best
      t = Math.min(Math.max(lowest, 0.1 * t), 0.5 * t)
      if (-t * slope < 0.1 * sigma) break
    }
    return null
  }

  *#forwardSlopes(): Generator<Batch, Slopes | null, Float64Array> {
    const { at, center, state, left } = this.#ground
    if (left() < at.dim) return null
    const intervals = this.#wanted(forwardBend)
    const step = (i: number): number => intervals[i] as number
    const { slopes } = yield* differences(at, { x: center, value: state.value, step, central: false })
    return { slopes, curvatures: new Float64Array(at.dim), intervals }
  }

  /** Slopes from pairs. Where the noise level allows no judgement, or the first matrix depends on it, intervals are tried. */
  *#centralSlopes(): Generator<Batch, Slopes | null, Float64Array> {
    const { at, center, state, noise, curvature, left } = this.#ground
    const sigma = noise.at(state.value)
    const intervals = this.#wanted(centralBend)
    const [slopes, curvatures] = [new Float64Array(at.dim), new Float64Array(at.dim)]
    const tries = !curvature.isKnown || this.#state.stalls > 0 ? intervalTries : 1
    let along = Array.from({ length: at.dim }, (_, i) => i)
    for (let t = 0; t < tries && along.length > 0; t++) {
      if (left() < 2 * along.length) {
        if (t === 0) return null
        break
      }
      const step = (i: number): number => intervals[i] as number
      const found = yield* differences(at, { x: center, value: state.value, along, step, central: true })
      along = along.filter((i, j) => {
        slopes[i] = found.slopes[j] as number
        curvatures[i] = found.curvatures[j] as number
        const factor = this.#better(i, {
          t,
          sigma,
          slope: slopes[i],
          bend: curvatures[i],
          step: found.steps[j] as number,
        })
        if (factor !== 1) intervals[i] = (intervals[i] as number) * factor
        return factor !== 1
      })
    }
    for (let i = 0; i < at.dim; i++) {
      const h = intervals[i] as number
      curvatures[i] = Math.max(Math.abs(curvatures[i] as number), (2 * sigma) / (h * h))
    }
    return { slopes, curvatures, intervals }
  }

  /** What to multiply an interval by: above 1 where all it shows may be noise, below 1 where it is far from quadratic. */
  #better(i: number, seen: { t: number; sigma: number; slope: number; bend: number; step: number }): number {
    const { bounds } = this.#ground.at
    const { sigma, slope, step } = seen
    const second = Math.abs(seen.bend) * step * step
    const hasRoom =
      bounds === undefined || Math.abs(step) < 0.2499 * ((bounds.upper[i] as number) - (bounds.lower[i] as number))
    if (second < 8 * sigma && Math.abs(2 * slope * step) < 15 * sigma && hasRoom) return 3
    return !this.#ground.curvature.isKnown && second > 3000 * sigma && seen.t < intervalTries - 1 ? 0.2 : 1
  }

  /** Intervals by the curvature, where it is known. */
  #wanted(bend: number): Float64Array {
    const { at, center, curvature, noise, state } = this.#ground
    const sigma = noise.at(state.value)
    return this.#intervals.map((interval, i) => {
      const along = curvature.isKnown ? curvature.along(i) : 0
      if (!(along > 0)) return interval
      const size = sizeOf(at, center, i)
      return Math.min(Math.max(Math.sqrt((bend * sigma) / along), Math.max(1e-7, 1000 * at.unit) * size), 0.5 * size)
    })
  }

  /** Down the slopes, each coordinate by its own curvature. */
  #simpleStep(): Float64Array {
    const { at, center, curvature } = this.#ground
    curvature.simplify()
    const to = this.#slopes.map((slope, i) => (center[i] as number) - slope / curvature.along(i))
    return settle(at, to).map((each, i) => each - (center[i] as number))
  }
}

interface Slopes {
  readonly slopes: Float64Array
  readonly curvatures: Float64Array
  readonly intervals: Float64Array
}
