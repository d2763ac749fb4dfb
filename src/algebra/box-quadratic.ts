import { cholesky, solveLower, solveUpper } from './cholesky.ts'
import { dot, largest, multiply } from './vectors.ts'

/** How far a step may go on each coordinate: below[i] <= p_i <= above[i]. */
export interface StepBounds {
  readonly below: Float64Array
  readonly above: Float64Array
}

/**
 * The p that minimises g'p + p'Bp / 2 within bounds, for a positive definite B; null where B is not, or p is no descent.
 * Without bounds it is the Newton step; with them, projected Newton steps on the free coordinates (Bertsekas, 1982).
 */
export function quadraticStep(b: Float64Array, g: Float64Array, bounds: StepBounds | undefined): Float64Array | null {
  const p = bounds === undefined ? newtonStep(b, g, allOf(g.length)) : boxStep(b, g, bounds)
  return p?.every(Number.isFinite) && dot(p, g) < 0 ? p : null
}

const maxSteps = 60
const maxHalvings = 20

function boxStep(b: Float64Array, g: Float64Array, { below, above }: StepBounds): Float64Array | null {
  const n = g.length
  const clipped = (z: Float64Array): Float64Array =>
    z.map((value, i) => Math.min(Math.max(value, below[i] as number), above[i] as number))
  const slope = new Float64Array(n)
  const model = (z: Float64Array): number => {
    multiply(b, z, slope)
    return dot(g, z) + 0.5 * dot(z, slope)
  }
  const tolerance = 1e-12 * (largest(g) + 1e-300)
  let p = clipped(new Float64Array(n))
  for (let step = 0; step < maxSteps; step++) {
    const value = model(p)
    const q = slope.map((each, i) => each + (g[i] as number))
    const free = freeOf(p, q, below, above)
    if (free.every((i) => Math.abs(q[i] as number) <= tolerance)) break
    const s = newtonStep(b, q, free)
    if (s === null) return null
    const next = descend(p, s, (z) => model(z) <= value + 1e-6 * dotDifference(q, z, p), clipped)
    if (isSame(next, p)) break
    p = next
  }
  return p
}

/** The first of p + s, p + s / 2, ... that is good enough, brought into the box. */
function descend(
  p: Float64Array,
  s: Float64Array,
  isGood: (z: Float64Array) => boolean,
  clipped: (z: Float64Array) => Float64Array,
): Float64Array {
  let z = p
  let t = 1
  for (let halving = 0; halving < maxHalvings; halving++) {
    z = clipped(p.map((value, i) => value + t * (s[i] as number)))
    if (isGood(z)) break
    t *= 0.5
  }
  return z
}

/** The coordinates that no bound holds back. */
function freeOf(p: Float64Array, q: Float64Array, below: Float64Array, above: Float64Array): number[] {
  return allOf(p.length).filter((i) => {
    const [value, slope] = [p[i] as number, q[i] as number]
    return !((value <= (below[i] as number) && slope > 0) || (value >= (above[i] as number) && slope < 0))
  })
}

/** -B^-1 q on the free coordinates, 0 on the others; null where B is not positive definite there. */
function newtonStep(b: Float64Array, q: Float64Array, free: readonly number[]): Float64Array | null {
  const n = q.length
  const m = free.length
  const part = new Float64Array(m * m)
  const z = new Float64Array(m)
  for (let i = 0; i < m; i++) {
    z[i] = -(q[free[i] as number] as number)
    for (let j = 0; j <= i; j++) part[i * m + j] = b[(free[i] as number) * n + (free[j] as number)] as number
  }
  if (!cholesky(part, m, part)) return null
  solveLower(part, m, z)
  solveUpper(part, m, z)
  const step = new Float64Array(n)
  for (let i = 0; i < m; i++) step[free[i] as number] = z[i] as number
  return step
}

function allOf(n: number): number[] {
  return Array.from({ length: n }, (_, i) => i)
}

function dotDifference(q: Float64Array, z: Float64Array, p: Float64Array): number {
  let sum = 0
  for (let i = 0; i < q.length; i++) sum += (q[i] as number) * ((z[i] as number) - (p[i] as number))
  return sum
}

function isSame(z: Float64Array, p: Float64Array): boolean {
  return z.every((value, i) => Math.abs(value - (p[i] as number)) <= 1e-14 * Math.abs(p[i] as number))
}
