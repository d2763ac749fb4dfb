// ALTMOV of BOBYQA (Powell, 2009, section 3): where to put a point so that the set determines its quadratic well.
import type { Interpolation } from './interpolation.ts'

/** Bounds of a step from the best point, and how long it may be. */
export interface StepLimits {
  readonly below: Float64Array
  readonly above: Float64Array
  readonly radius: number
}

/** Two steps from the best point that make the Lagrange function of a point large; `cauchy` is that of the second, squared. */
export interface GeometrySteps {
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
