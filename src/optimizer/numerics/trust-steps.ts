import type { Interpolation } from './interpolation.ts'
import { dot, multiply } from './vectors.ts'

/** A quadratic g'd + d'Hd / 2, bounds on d (which 0 keeps), and how long d may be. */
interface BoxedModel {
  readonly gradient: Float64Array
  readonly hessian: Float64Array
  readonly below: Float64Array
  readonly above: Float64Array
  readonly radius: number
}

interface TrustStep {
  readonly step: Float64Array
  /** The gradient of the model at the end of the step. */
  readonly slope: Float64Array
  /** The least curvature that was met; 0 where the step ends at the radius, -1 where none was met. */
  curvature: number
}

/** A step that nearly minimises the model: conjugate gradients in the free variables, then turns along the radius. */
export function boxTrustStep(model: BoxedModel): TrustStep {
  return new Work(model).run()
}

class Work {
  readonly #model: BoxedModel
  readonly #n: number
  readonly #d: Float64Array
  readonly #g: Float64Array
  readonly #s: Float64Array
  readonly #hs: Float64Array
  readonly #hd: Float64Array
  /** -1 and 1 at a bound. */
  readonly #side: Int8Array
  #fixed = 0
  /** The square of the radius, less what the fixed variables use. */
  #room: number
  #reduction = 0
  #curvature = -1

  constructor(model: BoxedModel) {
    const n = model.gradient.length
    this.#model = model
    this.#n = n
    this.#d = new Float64Array(n)
    this.#g = model.gradient.slice()
    this.#s = new Float64Array(n)
    this.#hs = new Float64Array(n)
    this.#hd = new Float64Array(n)
    this.#side = new Int8Array(n)
    this.#room = model.radius * model.radius
    for (let i = 0; i < n; i++) {
      if (model.below[i] === 0 && (this.#g[i] as number) >= 0) this.#side[i] = -1
      else if (model.above[i] === 0 && (this.#g[i] as number) <= 0) this.#side[i] = 1
      if (this.#side[i] !== 0) this.#fixed++
    }
  }

  run(): TrustStep {
    if (this.#conjugateGradients() === 'radius') {
      this.#curvature = 0
      this.#turns()
    }
    const { below, above } = this.#model
    const d = this.#d
    for (let i = 0; i < this.#n; i++) {
      const low = below[i] as number
      const high = above[i] as number
      if (this.#side[i] !== 0) d[i] = this.#side[i] === 1 ? high : low
      else d[i] = Math.min(Math.max(d[i] as number, low), high)
    }
    return { step: d, slope: this.#g, curvature: this.#curvature }
  }

  #conjugateGradients(): 'radius' | 'done' {
    const d = this.#d
    const g = this.#g
    const s = this.#s
    const hs = this.#hs
    let before = 0
    let left = this.#n - this.#fixed
    for (;;) {
      const square = this.#freeSquare()
      const turn = before === 0 ? 0 : square / before
      for (let i = 0; i < this.#n; i++) s[i] = this.#side[i] === 0 ? turn * (s[i] as number) - (g[i] as number) : 0
      const length = dot(s, s)
      if (length === 0 || square * this.#room <= 1e-4 * this.#reduction * this.#reduction) return 'done'
      if (before === 0) left = this.#n - this.#fixed
      multiply(this.#model.hessian, s, hs)
      const { longest, curved } = this.#limits(length)
      if (!(longest > 0)) return 'radius'
      const wanted = curved > 0 ? Math.min(longest, square / curved) : longest
      const { t, hit } = this.#upToBounds(wanted)
      const gain = Math.max(t * (square - 0.5 * t * curved), 0)
      if (t > 0) {
        left--
        if (hit < 0 && curved > 0) {
          const met = curved / length
          this.#curvature = this.#curvature === -1 ? met : Math.min(this.#curvature, met)
        }
        for (let i = 0; i < this.#n; i++) {
          g[i] = (g[i] as number) + t * (hs[i] as number)
          if (this.#side[i] === 0) d[i] = (d[i] as number) + t * (s[i] as number)
        }
        this.#reduction += gain
      }
      before = square
      if (hit >= 0) {
        this.#fix(hit, (s[hit] as number) < 0 ? -1 : 1)
        before = 0
        if (this.#room <= 0) return 'radius'
      } else if (!(t < longest)) return 'radius'
      else if (left <= 0 || gain <= 0.01 * this.#reduction) return 'done'
    }
  }

  #freeSquare(): number {
    let sum = 0
    for (let i = 0; i < this.#n; i++) if (this.#side[i] === 0) sum += (this.#g[i] as number) * (this.#g[i] as number)
    return sum
  }

  /** How far s may be followed within the radius, and s'Hs. */
  #limits(length: number): { longest: number; curved: number } {
    let rest = this.#room
    let ds = 0
    let curved = 0
    for (let i = 0; i < this.#n; i++) {
      if (this.#side[i] !== 0) continue
      const di = this.#d[i] as number
      const si = this.#s[i] as number
      rest -= di * di
      ds += si * di
      curved += si * (this.#hs[i] as number)
    }
    if (rest <= 0) return { longest: 0, curved }
    const root = Math.sqrt(length * rest + ds * ds)
    return { longest: ds < 0 ? (root - ds) / length : rest / (root + ds), curved }
  }

  /** The part of a step along s that keeps the bounds, and the variable that ends it (-1: none). */
  #upToBounds(wanted: number): { t: number; hit: number } {
    const { below, above } = this.#model
    let t = wanted
    let hit = -1
    for (let i = 0; i < this.#n; i++) {
      const si = this.#s[i] as number
      const di = this.#d[i] as number
      if (si === 0) continue
      const most = ((si > 0 ? (above[i] as number) : (below[i] as number)) - di) / si
      if (most < t) {
        t = Math.max(most, 0)
        hit = i
      }
    }
    return { t, hit }
  }

  #fix(i: number, side: 1 | -1): void {
    this.#side[i] = side
    this.#fixed++
    const at = (side === 1 ? this.#model.above[i] : this.#model.below[i]) as number
    this.#d[i] = at
    this.#room -= at * at
  }

  /** Turns the free part of d towards the steepest descent, within their plane, at the same length. */
  #turns(): void {
    const n = this.#n
    let isFresh = true
    for (let round = 0; round < 4 * n + 10 && this.#fixed < n - 1; round++) {
      if (isFresh) this.#curve()
      isFresh = false
      let dd = 0
      let dg = 0
      let gg = 0
      for (let i = 0; i < n; i++) {
        if (this.#side[i] !== 0) continue
        const di = this.#d[i] as number
        const gi = this.#g[i] as number
        dd += di * di
        dg += di * gi
        gg += gi * gi
      }
      const area = gg * dd - dg * dg
      if (!(area > 1e-4 * this.#reduction * this.#reduction)) return
      const root = Math.sqrt(area)
      for (let i = 0; i < n; i++) {
        this.#s[i] = this.#side[i] === 0 ? (dg * (this.#d[i] as number) - dd * (this.#g[i] as number)) / root : 0
      }
      const { angle, hit, side } = this.#widestTurn()
      if (hit >= 0 && angle <= 0) {
        this.#fix(hit, side)
        isFresh = true
        continue
      }
      const { gain, isWhole } = this.#turn(angle, dg, -root)
      if (!(gain > 0)) return
      this.#reduction += gain
      if (hit >= 0 && isWhole) {
        this.#fix(hit, side)
        isFresh = true
      } else if (gain <= 0.01 * this.#reduction) return
    }
  }

  /** hd = H times the free part of d. */
  #curve(): void {
    for (let i = 0; i < this.#n; i++) this.#s[i] = this.#side[i] === 0 ? (this.#d[i] as number) : 0
    multiply(this.#model.hessian, this.#s, this.#hd)
  }

  /** The largest turn within the bounds, as the tangent of half its angle, at most 1. */
  #widestTurn(): { angle: number; hit: number; side: 1 | -1 } {
    const { below, above } = this.#model
    let angle = 1
    let hit = -1
    let side: 1 | -1 = 1
    for (let i = 0; i < this.#n; i++) {
      if (this.#side[i] !== 0) continue
      const d = this.#d[i] as number
      const s = this.#s[i] as number
      for (const towards of [-1, 1] as const) {
        // Mirrored where it is the lower bound, so that the bound is above d.
        const bound = towards === 1 ? (above[i] as number) : -(below[i] as number)
        if (bound === Infinity) continue
        const left = bound - towards * d
        const over = d * d + s * s - bound * bound
        const reach = left <= 0 ? Infinity : over > 0 ? towards * s + Math.sqrt(over) : 0
        if (angle * reach > left) {
          angle = left <= 0 ? 0 : left / reach
          hit = i
          side = towards
        }
      }
    }
    return { angle, hit, side }
  }

  /** The best of some turns up to the widest; takes it. */
  #turn(widest: number, dg: number, sg: number): { gain: number; isWhole: boolean } {
    multiply(this.#model.hessian, this.#s, this.#hs)
    let shs = 0
    let dhs = 0
    let dhd = 0
    for (let i = 0; i < this.#n; i++) {
      if (this.#side[i] !== 0) continue
      const di = this.#d[i] as number
      const si = this.#s[i] as number
      shs += si * (this.#hs[i] as number)
      dhs += di * (this.#hs[i] as number)
      dhd += di * (this.#hd[i] as number)
    }
    const gainAt = (t: number): number => {
      const sine = (2 * t) / (1 + t * t)
      return sine * (t * dg - sg - 0.5 * sine * (shs + t * (t * dhd - 2 * dhs)))
    }
    const parts = Math.trunc(17 * widest + 3.1)
    let best = 0
    let most = 0
    for (let i = 1; i <= parts; i++) {
      const gain = gainAt((widest * i) / parts)
      if (gain > most) [best, most] = [i, gain]
    }
    if (best === 0) return { gain: 0, isWhole: false }
    let t = widest
    if (best < parts) {
      const before = gainAt((widest * (best - 1)) / parts)
      const after = gainAt((widest * (best + 1)) / parts)
      t = (widest * (best + (0.5 * (after - before)) / (2 * most - before - after))) / parts
    }
    this.#take(t)
    return { gain: gainAt(t), isWhole: best === parts }
  }

  #take(t: number): void {
    const cosine = (1 - t * t) / (1 + t * t)
    const sine = (2 * t) / (1 + t * t)
    for (let i = 0; i < this.#n; i++) {
      const hd = this.#hd[i] as number
      const hs = this.#hs[i] as number
      this.#g[i] = (this.#g[i] as number) + (cosine - 1) * hd + sine * hs
      this.#hd[i] = cosine * hd + sine * hs
      if (this.#side[i] === 0) this.#d[i] = cosine * (this.#d[i] as number) + sine * (this.#s[i] as number)
    }
  }
}

// ALTMOV of BOBYQA (Powell, 2009, section 3): where to put a point so that the set determines its quadratic well.

/** Bounds of a step from the best point, and how long it may be. */
interface StepLimits {
  readonly below: Float64Array
  readonly above: Float64Array
  readonly radius: number
}

/** Two steps from the best point that make the Lagrange function of a point large; `cauchy` is that of the second, squared. */
interface GeometrySteps {
  readonly line: Float64Array
  readonly free: Float64Array
  readonly cauchy: number
  /** The second derivative of the Lagrange function in its own direction. */
  readonly alpha: number
}

/** Steps for replacing point `out`: along a line through another point, and down or up the Lagrange function. */
export function geometrySteps(on: Interpolation, best: number, out: number, limits: StepLimits): GeometrySteps {
  const { weights, gradient } = lagrangeFunction(on, best, out)
  const alpha = weights[out] as number
  const line = lineStep(on, { best, out, gradient, alpha }, limits)
  const [down, up] = [1, -1].map((sign) => {
    const slope = gradient.map((each) => sign * each)
    const curve = (d: Float64Array): number => sign * curvatureAlong(on, weights, d)
    return cauchyStep(slope, curve, limits)
  }) as [Cauchy, Cauchy]
  const better = down.square > up.square ? down : up
  return { line, free: better.step, cauchy: better.square, alpha }
}

/** The Lagrange function of a point: the weights of its second derivatives, and its gradient at the best point. */
function lagrangeFunction(on: Interpolation, best: number, out: number) {
  const { dim, count, offsets, b, z } = on
  const weights = new Float64Array(count)
  for (let j = 0; j < dim; j++) {
    const own = z[j * count + out] as number
    if (own === 0) continue
    for (let k = 0; k < count; k++) weights[k] = (weights[k] as number) + own * (z[j * count + k] as number)
  }
  const gradient = b.slice(out * dim, out * dim + dim)
  for (let k = 0; k < count; k++) {
    let inner = 0
    for (let i = 0; i < dim; i++) inner += (offsets[k * dim + i] as number) * (offsets[best * dim + i] as number)
    const weight = inner * (weights[k] as number)
    for (let i = 0; i < dim; i++) gradient[i] = (gradient[i] as number) + weight * (offsets[k * dim + i] as number)
  }
  return { weights, gradient }
}

interface LagrangeLine {
  readonly best: number
  readonly out: number
  readonly gradient: Float64Array
  readonly alpha: number
}

/** The step along a line through the best and another point that promises the largest denominator (section 3, eq. 3.11). */
function lineStep(on: Interpolation, { best, out, gradient, alpha }: LagrangeLine, limits: StepLimits): Float64Array {
  const { dim, count, offsets } = on
  const direction = new Float64Array(dim)
  const chosen = new Float64Array(dim)
  let most = 0
  for (let k = 0; k < count; k++) {
    if (k === best) continue
    let slope = 0
    let square = 0
    for (let i = 0; i < dim; i++) {
      const each = (offsets[k * dim + i] as number) - (offsets[best * dim + i] as number)
      direction[i] = each
      slope += each * (gradient[i] as number)
      square += each * each
    }
    const { least, longest } = reach(direction, limits, limits.radius / Math.sqrt(square))
    const { t, value } = k === out ? peakThere(slope, least, longest) : peakBetween(slope, least, longest)
    const bend = t * (1 - t) * square
    const promise = value * value * (value * value + 0.5 * alpha * bend * bend)
    if (promise > most) {
      most = promise
      for (let i = 0; i < dim; i++) {
        const low = limits.below[i] as number
        const high = limits.above[i] as number
        chosen[i] = Math.min(Math.max(t * (direction[i] as number), low), high)
      }
    }
  }
  return chosen
}

/** From where to where a direction may be followed; as far as its own point in any case, where that is near. */
function reach(direction: Float64Array, { below, above }: StepLimits, radius: number) {
  const sure = Math.min(1, radius)
  let least = -radius
  let longest = radius
  for (let i = 0; i < direction.length; i++) {
    const each = direction[i] as number
    if (each === 0) continue
    const low = below[i] as number
    const high = above[i] as number
    least = Math.max(least, (each > 0 ? low : high) / each)
    longest = Math.max(sure, Math.min(longest, (each > 0 ? high : low) / each))
  }
  return { least, longest }
}

/** Where t (slope - t (slope - 1)), which is 1 at the point itself, is largest. */
function peakThere(slope: number, least: number, longest: number) {
  const bend = slope - 1
  const at = (t: number) => ({ t, value: t * (slope - t * bend) })
  const ends = larger(at(least), at(longest))
  const top = slope / (2 * bend)
  return top > least && top < longest ? larger(ends, at(top)) : ends
}

/** Where slope t (1 - t), which is 0 at the other point, is largest. */
function peakBetween(slope: number, least: number, longest: number) {
  const at = (t: number) => ({ t, value: slope * t * (1 - t) })
  const ends = larger(at(least), at(longest))
  return longest > 0.5 ? larger(ends, at(0.5)) : ends
}

type Peak = { t: number; value: number }

function larger(a: Peak, b: Peak): Peak {
  return Math.abs(b.value) > Math.abs(a.value) ? b : a
}

type Cauchy = { step: Float64Array; square: number }

/** A step straight down a slope, cut at the bounds, as long as the limit or to where the function turns. */
function cauchyStep(slope: Float64Array, curve: (d: Float64Array) => number, limits: StepLimits): Cauchy {
  const step = downhill(slope, limits)
  let fall = 0
  for (let i = 0; i < step.length; i++) fall += (slope[i] as number) * (step[i] as number)
  if (!(fall < 0)) return { step, square: 0 }
  const curvature = curve(step)
  if (curvature > -fall && curvature < -(1 + Math.SQRT2) * fall) {
    const part = -fall / curvature
    for (let i = 0; i < step.length; i++) step[i] = part * (step[i] as number)
    return { step, square: 0.5 * fall * part * (0.5 * fall * part) }
  }
  const change = fall + 0.5 * curvature
  return { step, square: change * change }
}

/** -t slope, cut at the bounds, with the t that makes it as long as the limit, if the bounds allow that. */
function downhill(slope: Float64Array, { below, above, radius }: StepLimits): Float64Array {
  const n = slope.length
  const step = new Float64Array(n)
  const isFree = Array.from(slope, (each, i) =>
    each > 0 ? (below[i] as number) < 0 : each < 0 && (above[i] as number) > 0,
  )
  let used = 0
  for (;;) {
    let square = 0
    for (let i = 0; i < n; i++) if (isFree[i]) square += (slope[i] as number) * (slope[i] as number)
    const left = radius * radius - used
    if (square === 0 || left <= 0) return step
    const t = Math.sqrt(left / square)
    let hits = 0
    for (let i = 0; i < n; i++) {
      if (!isFree[i]) continue
      const wanted = -t * (slope[i] as number)
      const bound = (wanted < 0 ? below[i] : above[i]) as number
      const isHit = Math.abs(wanted) >= Math.abs(bound)
      step[i] = isHit ? bound : wanted
      if (!isHit) continue
      isFree[i] = false
      used += bound * bound
      hits++
    }
    if (hits === 0) return step
  }
}

/** d'Hd for the second derivatives that the weights give. */
function curvatureAlong({ dim, count, offsets }: Interpolation, weights: Float64Array, d: Float64Array): number {
  let sum = 0
  for (let k = 0; k < count; k++) {
    let inner = 0
    for (let i = 0; i < dim; i++) inner += (offsets[k * dim + i] as number) * (d[i] as number)
    sum += (weights[k] as number) * inner * inner
  }
  return sum
}
