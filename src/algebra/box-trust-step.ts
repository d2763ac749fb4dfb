// Over 250 lines because it is one procedure: TRSBOX of BOBYQA (Powell, 2009, section 3), on an explicit Hessian.
import { dot, multiply } from './vectors.ts'

/** A quadratic g'd + d'Hd / 2, bounds on d (which 0 keeps), and how long d may be. */
export interface BoxedModel {
  readonly gradient: Float64Array
  readonly hessian: Float64Array
  readonly below: Float64Array
  readonly above: Float64Array
  readonly radius: number
}

export interface TrustStep {
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
