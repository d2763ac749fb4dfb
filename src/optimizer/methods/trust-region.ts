import { ZerothError } from '../core/errors.ts'
import { optional, positive, table, withDefault } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { Memory, RunContext, Solver, Vector } from '../core/types.ts'
import {
  addCurvature,
  emptyInterpolation,
  exchange,
  type Fitted,
  type Interpolation,
  type Lagrange,
  lagrange,
  leastQuadratic,
  ownCurvature,
  recenter,
  star,
} from '../numerics/interpolation.ts'
import { boxTrustStep, geometrySteps } from '../numerics/trust-steps.ts'
import { dot, largest, mean, median, multiply, norm } from '../numerics/vectors.ts'
import { scaleOf, scaleOption } from './points.ts'
import { type Batch, type Stage, type StagedMethod, stagedSolver } from './staged/staged-search.ts'
import { type Frame, type FrameSettings, frameOf } from './trust-region-frame.ts'

/** Quadratic models through 2 d + 1 points in a trust region, as in BOBYQA: few queries, for up to about 100 variables. */
export const trustRegion = definePart({
  kind: 'solver',
  name: 'trust-region',
  summary: 'Quadratic models in a trust region (BOBYQA), for smooth functions of up to about 100 variables.',
  options: table({
    /**
     * First radius, in the units of the variables; if left out, a tenth of scale, of the box or of the largest
     * variable. Above 0.
     */
    radius: optional(positive),
    /** Radius at which it ends, as a share of the first. Above 0; default 1e-7. */
    finalShare: withDefault(positive, 1e-7),
    /** The usual size of the variables, one for all or one each; if left out, max(|x|, 1), or the width of a narrower box. */
    scale: scaleOption,
  }),
  examples: () => [{}, { radius: 0.5, finalShare: 1e-5 }, { scale: 2 }],
  make: ({ scale, ...options }): Solver =>
    stagedSolver((at) => {
      checkDimension(at)
      const { maxQueries, isDefault } = at.budget
      // Where the user limits the queries, all of them are used.
      const restarts = maxQueries !== undefined && isDefault !== true
      const settings = { ...options, scale: scaleOf('trust-region', scale, at.dim), restarts }
      return new ModelTrustRegion(at, settings)
    }, 'star'),
})

const most = 1000
const usual = 100

function checkDimension({ dim, warn }: RunContext): void {
  if (dim > most) {
    const message = `trust-region takes at most ${most} variables, got ${dim}: its model needs about 8 d^2 numbers and 2 d queries to begin with`
    throw new ZerothError(
      'invalid-option',
      `${message}. Use quasi-newton, or zo-adamm where the budget is a few times d`,
    )
  }
  if (dim > usual) {
    warn(`trust-region is meant for up to ${usual} variables, this run has ${dim}: quasi-newton is faster`)
  }
}

/** What a run of the method is given beside its beginning. */
interface TrustRegionSettings extends FrameSettings {
  /** The radius at which it ends, as a share of the first. */
  readonly finalShare: number
  /** Whether it begins again with a larger radius where it has ended, instead of being done. */
  readonly restarts: boolean
}

type Name = 'star' | 'step' | 'check'

/**
 * BOBYQA (Powell, 2009): quadratic models of least change through 2 d + 1 points, minimised in a trust region and a box.
 * Beside it: each variable in its own unit, values that vary, and restarts (Cartis, Fiala, Marteau and Roberts, 2019).
 */
class ModelTrustRegion implements StagedMethod<Name> {
  readonly point: Vector
  readonly memory: Memory
  readonly stages = { star: () => this.#star(), step: () => this.#step(), check: () => this.#check() }
  readonly #frame: Frame
  readonly #settings: TrustRegionSettings
  readonly #set: Interpolation
  readonly #values: Float64Array
  /** The model: its gradient at the best point, and its second derivatives. */
  readonly #gradient: Float64Array
  readonly #hessian: Float64Array
  /** The point to ask next, as an offset, and what `exchange` needs to take it in. */
  readonly #trial: Float64Array
  readonly #lagrange: Lagrange
  readonly #state
  /** The best point as an offset, and the bounds of steps from there. Like all that follows, made anew when needed. */
  readonly #center: Float64Array
  readonly #below: Float64Array
  readonly #above: Float64Array
  readonly #step1: Float64Array
  readonly #product: Float64Array
  readonly #residuals: Float64Array
  readonly #fitted: Fitted
  readonly #scratch: Float64Array

  constructor(at: RunContext, settings: TrustRegionSettings) {
    const frame = frameOf(at, settings)
    const set = emptyInterpolation(frame.dim)
    const { dim, count } = set
    const zeros = (n: number): Float64Array => new Float64Array(n)
    this.#frame = frame
    this.#settings = settings
    this.#set = set
    this.point = frame.point
    this.#values = zeros(count)
    this.#gradient = zeros(dim)
    this.#hessian = zeros(dim * dim)
    this.#trial = zeros(dim)
    this.#lagrange = { values: zeros(count + dim), beta: 0 }
    this.#center = zeros(dim)
    this.#below = zeros(dim)
    this.#above = zeros(dim)
    this.#step1 = zeros(dim)
    this.#product = zeros(dim)
    this.#residuals = zeros(count)
    this.#fitted = { weights: zeros(count), gradient: zeros(dim) }
    this.#scratch = zeros(count + 3 * dim)
    this.#state = beginning(at)
    this.memory = {
      vectors: {
        base: frame.base,
        units: frame.units,
        offsets: set.offsets,
        b: set.b,
        z: set.z,
        values: this.#values,
        gradient: this.#gradient,
        hessian: this.#hessian,
        trial: this.#trial,
        lagrange: this.#lagrange.values,
      },
      state: this.#state,
    }
  }

  get noisy(): boolean {
    return this.#state.isNoisy
  }

  /** Asks two points along each variable, and the point between them where its value is not known. */
  *#star(): Stage<Name> {
    const state = this.#state
    const { dim, count } = this.#set
    this.#look()
    const base = this.#frame.moved(this.#center)
    const { first, second } = this.#frame.arms(base, state.delta)
    const isKnown = !Number.isNaN(state.value)
    const from = isKnown ? 1 : 0
    const offset = new Float64Array(dim)
    if (from === count) return 'converged'
    const told = yield this.#frame.batch(count - from, base, (row) => {
      offset.fill(0)
      const k = row + from
      if (k > dim) offset[k - 1 - dim] = second[k - 1 - dim] as number
      else if (k > 0) offset[k - 1] = first[k - 1] as number
      return offset
    })
    if (told.every(Number.isNaN)) {
      state.delta *= isKnown ? 0.25 : 1
      return state.delta < this.#leastRadius() ? 'converged' : 'star'
    }
    this.#frame.base.set(base)
    star(this.#set, first, second)
    this.#values[0] = state.value
    this.#values.set(told, from)
    fillFailed(this.#values)
    if (Number.isNaN(state.valueAtStart)) state.valueAtStart = this.#values[0] as number
    this.#beginModel()
    state.rho = Math.min(state.rho, state.delta)
    state.stepsSinceStar = 0
    return dim === 0 ? 'converged' : this.#plan()
  }

  /** The model through the points of a star; it changes the second derivatives that are there as little as can be. */
  #beginModel(): void {
    const state = this.#state
    const { dim, count, offsets } = this.#set
    if (!state.keepsHessian) this.#hessian.fill(0)
    this.#gradient.fill(0)
    this.#center.fill(0)
    for (let k = 0; k < count; k++) {
      const y = offsets.subarray(k * dim, k * dim + dim)
      multiply(this.#hessian, y, this.#product)
      this.#residuals[k] = (this.#values[k] as number) - (this.#values[0] as number) - 0.5 * dot(y, this.#product)
    }
    state.best = 0
    this.#correct()
    this.#moveToLowest()
  }

  /** Asks the trial point, takes it in and decides what to ask next. */
  *#step(): Stage<Name> {
    const told = (yield this.#frame.batch(1, this.#frame.base, () => this.#trial))[0] as number
    const state = this.#state
    const value = Number.isNaN(told) ? failedValue(this.#values) : Math.min(told, 1e30)
    this.#look()
    state.stepsSinceStar++
    if (state.kind === 'last') {
      if (value < state.value) {
        this.#replace(state.out, value)
        state.best = state.out
      }
      return this.#end()
    }
    const before = state.value
    const { predicted } = this.#absorb(value)
    if (state.kind === 'geometry') return this.#plan()
    this.#compareWithLeast()
    if (value <= before + 0.1 * predicted) return this.#plan()
    const far = this.#farthest(Math.max(2 * state.delta, 10 * state.rho))
    if (far >= 0) return this.#planGeometry(far)
    if (state.ratio > 0 || Math.max(state.delta, state.length) > state.rho) return this.#plan()
    return this.#shrink()
  }

  /** Brings radius, set and model up to date with the value of the trial point. */
  #absorb(value: number): { predicted: number } {
    const state = this.#state
    const d = this.#stepTaken()
    multiply(this.#hessian, d, this.#product)
    const predicted = dot(this.#gradient, d) + 0.5 * dot(d, this.#product)
    const miss = value - state.value - predicted
    Object.assign(state, { miss3: state.miss2, miss2: state.miss1, miss1: Math.abs(miss) })
    state.sinceLong = state.length > state.rho ? 0 : state.sinceLong + 1
    const isLower = value < state.value
    if (state.kind === 'trust') {
      this.#adapt((value - state.value) / predicted)
      if (isLower) state.out = this.#worst(this.#trial, -1) ?? state.out
    }
    this.#lagrange.beta = state.beta
    exchange(this.#set, state.out, this.#lagrange, this.#scratch)
    this.#residuals.fill(0)
    this.#residuals[state.out] = miss
    this.#replace(state.out, value)
    this.#correct()
    if (isLower) this.#moveBest(state.out)
    return { predicted }
  }

  /** Section 1 of the paper: the radius after a step. */
  #adapt(ratio: number): void {
    const state = this.#state
    state.ratio = ratio
    if (ratio <= 0.1) state.delta = Math.min(0.5 * state.delta, state.length)
    else state.delta = Math.max(0.5 * state.delta, (ratio <= 0.7 ? 1 : 2) * state.length)
    if (state.delta <= 1.5 * state.rho) state.delta = state.rho
  }

  #replace(k: number, value: number): void {
    this.#set.offsets.set(this.#trial, k * this.#set.dim)
    this.#values[k] = value
    if (value < this.#state.value) {
      this.#state.value = value
      this.#frame.write(this.#trial)
    }
  }

  /** Adds the quadratic through the residuals to the model. */
  #correct(): void {
    leastQuadratic(this.#set, this.#residuals, this.#center, this.#fitted)
    add(this.#gradient, this.#fitted.gradient)
    addCurvature(this.#set, this.#fitted.weights, this.#hessian)
  }

  /** Makes point k the best one: the gradient goes there, too. */
  #moveBest(k: number): void {
    const { dim, offsets } = this.#set
    for (let i = 0; i < dim; i++) this.#step1[i] = (offsets[k * dim + i] as number) - (this.#center[i] as number)
    multiply(this.#hessian, this.#step1, this.#product)
    add(this.#gradient, this.#product)
    this.#state.best = k
    this.#look()
  }

  #moveToLowest(): void {
    const state = this.#state
    let best = state.best
    this.#values.forEach((value, k) => {
      if (value < (this.#values[best] as number)) best = k
    })
    if (best !== state.best) this.#moveBest(best)
    state.value = this.#values[state.best] as number
    this.#frame.write(this.#center)
  }

  /** Takes the model of least second derivatives itself where it has promised more three times in a row. */
  #compareWithLeast(): void {
    const state = this.#state
    this.#values.forEach((value, k) => {
      this.#residuals[k] = value - state.value
    })
    leastQuadratic(this.#set, this.#residuals, this.#center, this.#fitted)
    const isSteeper = this.#descent(this.#gradient) >= 10 * this.#descent(this.#fitted.gradient)
    state.steeper = isSteeper ? state.steeper + 1 : 0
    if (state.steeper < 3) return
    state.steeper = 0
    this.#gradient.set(this.#fitted.gradient)
    this.#hessian.fill(0)
    addCurvature(this.#set, this.#fitted.weights, this.#hessian)
  }

  /** The square of a gradient, less what leads out of the box. */
  #descent(gradient: Float64Array): number {
    let sum = 0
    for (let i = 0; i < gradient.length; i++) {
      const g = gradient[i] as number
      if ((this.#below[i] === 0 && g > 0) || (this.#above[i] === 0 && g < 0)) continue
      sum += g * g
    }
    return sum
  }

  /** Chooses a step that minimises the model, or what to do where it would be too short to learn from. */
  #plan(): Name | 'converged' {
    const state = this.#state
    this.#look()
    if (!this.#gradient.every(Number.isFinite) || !this.#hessian.every(Number.isFinite)) return this.#rebuild(false)
    const { step, slope, curvature } = boxTrustStep({
      gradient: this.#gradient,
      hessian: this.#hessian,
      below: this.#below,
      above: this.#above,
      radius: state.delta,
    })
    this.#aim(step)
    state.length = Math.min(state.delta, norm(this.#stepTaken()))
    if (state.length < 0.5 * state.rho) return this.#afterShort(slope, curvature)
    if (this.#needsNewBase()) return this.#shift()
    this.#seeLagrange()
    const out = this.#worst(this.#center, state.best)
    if (out === undefined) return this.#rebuild(true)
    Object.assign(state, { kind: 'trust', out })
    return 'step'
  }

  /** The model is at its end with this radius: its points may be too far away, or the radius too large. */
  #afterShort(slope: Float64Array, curvature: number): Name | 'converged' {
    const state = this.#state
    const isGood = state.sinceLong > 2 && this.#isPrecise(slope, curvature)
    const far = isGood ? -1 : this.#farthest(10 * state.rho)
    if (far < 0) return this.#shrink(true)
    state.delta = Math.min(0.1 * state.delta, 0.5 * this.#distance(far, this.#center))
    if (state.delta <= 1.5 * state.rho) state.delta = state.rho
    return this.#planGeometry(far)
  }

  /** Whether the last errors of the model are small beside what it says about steps of length rho (section 2). */
  #isPrecise(slope: Float64Array, curvature: number): boolean {
    const { miss1, miss2, miss3, rho } = this.#state
    const miss = Math.max(miss1, miss2, miss3)
    if (curvature > 0 && miss > 0.125 * rho * rho * curvature) return false
    const allowed = miss / rho
    return slope.every((g, i) => {
      const moved = (this.#trial[i] as number) - (this.#center[i] as number)
      const inward = moved === this.#below[i] ? g : moved === this.#above[i] ? -g : allowed
      if (inward >= allowed) return true
      return inward + 0.5 * rho * (this.#hessian[i * slope.length + i] as number) >= allowed
    })
  }

  /** Replaces a point that is far away by one that makes the set determine its quadratic better. */
  #planGeometry(out: number): Name | 'converged' {
    const state = this.#state
    const far = this.#distance(out, this.#center)
    const radius = Math.max(Math.min(0.1 * far, state.delta), state.rho)
    this.#look()
    if (radius * radius <= 1e-3 * dot(this.#center, this.#center)) this.#recenter()
    const limits = { below: this.#below, above: this.#above, radius }
    const { line, free, cauchy, alpha } = geometrySteps(this.#set, state.best, out, limits)
    const denominator = (): number => {
      this.#seeLagrange()
      const tau = this.#lagrange.values[out] as number
      return tau * tau + alpha * state.beta
    }
    this.#aim(line)
    let found = denominator()
    if (cauchy > 0 && found < cauchy) {
      this.#aim(free)
      found = denominator()
    }
    const tau = this.#lagrange.values[out] as number
    if (!(found > 0.5 * tau * tau)) return this.#rebuild(true)
    Object.assign(state, { kind: 'geometry', out, length: norm(this.#stepTaken()) })
    return 'step'
  }

  /** Rounding has spoiled the set: a new star. */
  #rebuild(keepsHessian: boolean): Name | 'converged' {
    const state = this.#state
    if (state.stepsSinceStar === 0) return this.#reduce()
    state.keepsHessian = keepsHessian
    state.delta = Math.max(state.delta, state.rho)
    return 'star'
  }

  /** This rho is done with. The first time, and always under noise, a look at how much values vary comes first. */
  #shrink(isShort = false): Name | 'converged' {
    this.#state.isShort = isShort
    if (!this.#state.isChecked || this.#state.isNoisy) return 'check'
    return this.#reduce()
  }

  #reduce(): Name | 'converged' {
    const state = this.#state
    const least = this.#leastRadius()
    if (state.rho > least) {
      const ratio = state.rho / least
      const half = 0.5 * state.rho
      state.rho = ratio <= 16 ? least : ratio <= 250 ? Math.sqrt(ratio) * least : 0.1 * state.rho
      state.delta = Math.max(half, state.rho)
      state.sinceLong = 0
      return this.#plan()
    }
    if (!state.isShort) return this.#end()
    // The step was too short to improve the model, but may lower the value.
    Object.assign(state, { kind: 'last', isShort: false, out: this.#farthest(0) })
    return 'step'
  }

  #leastRadius(): number {
    return Math.max(this.#settings.finalShare, this.#frame.finest())
  }

  /** The radius is as small as it shall be: done, or again with the first one, as long as that helps. */
  #end(): Name | 'converged' {
    const state = this.#state
    const gain = state.valueAtEnd - state.value
    if (!this.#settings.restarts || gain <= 1e-10 * (state.valueAtStart - state.value)) return 'converged'
    return this.#restart(1)
  }

  #restart(radius: number): Name {
    const state = this.#state
    Object.assign(state, { valueAtEnd: state.value, rho: radius, delta: radius, keepsHessian: false })
    Object.assign(state, { miss1: 0, miss2: 0, miss3: 0, sinceLong: 0, steeper: 0 })
    return 'star'
  }

  /** Asks the best point again: whether, and by how much, its value varies. */
  *#check(): Stage<Name> {
    const state = this.#state
    const here = this.#set.offsets.slice(state.best * this.#set.dim, (state.best + 1) * this.#set.dim)
    const again = (rows: number): Batch => this.#frame.batch(rows, this.#frame.base, () => here)
    let told = yield again(state.isNoisy ? 4 : 1)
    if (!state.isNoisy) {
      if (Number.isNaN(told[0]) || told[0] === state.value) {
        state.isChecked = true
        return this.#reduce()
      }
      const more = yield again(3)
      told = Float64Array.of(told[0] as number, ...more)
    }
    state.isChecked = true
    state.isNoisy = true
    this.#look()
    return this.#afterNoise(told.filter((value) => !Number.isNaN(value)))
  }

  /** Takes the mean for the value, and asks whether the model still sees more than noise. */
  #afterNoise(told: Float64Array): Name | 'converged' {
    const state = this.#state
    if (told.length > 1) {
      const average = mean(told)
      const squares = told.reduce((sum, each) => sum + (each - average) * (each - average), 0)
      state.sigma = Math.sqrt(squares / (told.length - 1))
      this.#residuals.fill(0)
      this.#residuals[state.best] = average - state.value
      this.#values[state.best] = average
      this.#correct()
      this.#moveToLowest()
    }
    const seen = median(this.#values.map((value) => Math.abs(value - state.value)))
    if (seen > 3 * state.sigma && state.rho > this.#leastRadius()) return this.#reduce()
    if (!this.#settings.restarts) return 'converged'
    const { dim } = this.#set
    const curvature = median(
      Float64Array.from({ length: dim }, (_, i) => Math.abs(this.#hessian[i * dim + i] as number)),
    )
    const wanted = Math.sqrt((30 * state.sigma) / Math.max(curvature, 1e-300))
    return this.#restart(Math.min(Math.max(wanted, 3 * state.rho), 1))
  }

  /** The trial point: a step from the best one, as the box and rounding leave it. */
  #aim(step: Float64Array): void {
    this.#frame.place(this.#center, step, this.#trial)
  }

  #stepTaken(): Float64Array {
    const d = this.#step1
    for (let i = 0; i < d.length; i++) d[i] = (this.#trial[i] as number) - (this.#center[i] as number)
    return d
  }

  #seeLagrange(): void {
    lagrange(this.#set, this.#state.best, this.#stepTaken(), this.#scratch, this.#lagrange)
    this.#state.beta = this.#lagrange.beta
  }

  /** The point to give up for the trial: far from `from`, and with a large denominator; undefined where all are too small. */
  #worst(from: Float64Array, except: number): number | undefined {
    const { beta, delta } = this.#state
    let [out, most, largestValue] = [-1, 0, 0]
    for (let k = 0; k < this.#set.count; k++) {
      if (k === except) continue
      const tau = this.#lagrange.values[k] as number
      const denominator = beta * ownCurvature(this.#set, k) + tau * tau
      const share = this.#distance(k, from) / delta
      const weight = Math.max(1, share * share * share * share)
      if (weight * denominator > most) [out, most] = [k, weight * denominator]
      largestValue = Math.max(largestValue, weight * tau * tau)
    }
    return most > 0.5 * largestValue && out >= 0 ? out : undefined
  }

  #distance(k: number, from: Float64Array): number {
    const { dim, offsets } = this.#set
    let sum = 0
    for (let i = 0; i < dim; i++) {
      const each = (offsets[k * dim + i] as number) - (from[i] as number)
      sum += each * each
    }
    return Math.sqrt(sum)
  }

  /** The point farthest from the best one, if it is farther than that; -1 if none is. */
  #farthest(than: number): number {
    let [out, most] = [-1, than]
    for (let k = 0; k < this.#set.count; k++) {
      const each = this.#distance(k, this.#center)
      if (each > most) [out, most] = [k, each]
    }
    return out
  }

  /** Whether steps have become short beside the offsets, so that rounding would spoil their products. */
  #needsNewBase(): boolean {
    const { length } = this.#state
    return length * length <= 1e-3 * dot(this.#center, this.#center)
  }

  #shift(): Name | 'converged' {
    this.#recenter()
    return this.#plan()
  }

  #recenter(): void {
    this.#frame.rebase(this.#center)
    recenter(this.#set, this.#state.best)
    this.#look()
  }

  /** Makes what follows from the memory: where the best point is, and how far the bounds are. */
  #look(): void {
    const { dim, offsets } = this.#set
    const { best } = this.#state
    this.#center.set(offsets.subarray(best * dim, best * dim + dim))
    this.#frame.limits(this.#center, this.#below, this.#above)
  }
}

function beginning({ startValue }: RunContext) {
  return {
    value: startValue ?? Number.NaN,
    best: 0,
    /** Radii in units of the variables: of the region, and the bound below it that only falls. */
    delta: 1,
    rho: 1,
    kind: 'trust' as 'trust' | 'geometry' | 'last',
    /** The point that the trial replaces. */
    out: 0,
    length: 0,
    beta: 0,
    ratio: 0,
    miss1: 0,
    miss2: 0,
    miss3: 0,
    /** Queries since the last step longer than rho. */
    sinceLong: 0,
    steeper: 0,
    isShort: false,
    stepsSinceStar: 0,
    keepsHessian: false,
    isChecked: false,
    isNoisy: false,
    sigma: 0,
    /** The value of the first point that has one, and when the last restart began. */
    valueAtStart: startValue ?? Number.NaN,
    valueAtEnd: Infinity,
  }
}

function add(into: Float64Array, more: Float64Array): void {
  for (let i = 0; i < into.length; i++) into[i] = (into[i] as number) + (more[i] as number)
}

/** What a failed query counts as: worse than all that was seen, by the range of that. */
function failedValue(values: Float64Array): number {
  const seen = values.filter((value) => !Number.isNaN(value))
  const most = Math.max(...seen)
  const range = most - Math.min(...seen)
  return Math.min(most + (range > 0 ? range : Math.max(1, largest([most]))), 1e30)
}

function fillFailed(values: Float64Array): void {
  const failed = failedValue(values)
  for (let k = 0; k < values.length; k++)
    values[k] = Math.min(Number.isNaN(values[k]) ? failed : (values[k] as number), 1e30)
}
