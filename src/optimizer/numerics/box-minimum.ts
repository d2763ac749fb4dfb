import { dampedUpdate, quadraticStep } from './matrices.ts'
import { dot, largest } from './vectors.ts'

/** A function with its gradient: returns the value and writes the slopes. */
export type Smooth = (x: Float64Array, slopes: Float64Array) => number

/** A point and its value. */
export interface Found {
  readonly point: Float64Array
  readonly value: number
}

const maxHalvings = 8

/**
 * A local minimum of a smooth function in a box, with at most so many evaluations: BFGS with projected Newton steps, the first
 * of a given length; a quarter of the widest side if left out. For functions that are cheap beside a query, such as models.
 */
export function boxMinimum(
  f: Smooth,
  from: ArrayLike<number>,
  bounds: { readonly lower: ArrayLike<number>; readonly upper: ArrayLike<number> },
  { evaluations, firstStep = 0.25 * widest(bounds) }: { evaluations: number; firstStep?: number },
): Found {
  const { lower, upper } = bounds
  const n = from.length
  const clipped = (x: Float64Array): Float64Array =>
    x.map((each, i) => Math.min(Math.max(each, lower[i] as number), upper[i] as number))
  let x = clipped(Float64Array.from(from))
  let slopes = new Float64Array(n)
  let value = f(x, slopes)
  const matrix = new Float64Array(n * n)
  let isFresh = true
  let left = evaluations - 1
  while (left > 0 && Number.isFinite(value)) {
    if (isFresh) fill(matrix, n, Math.max(largest(slopes) / firstStep, 1e-300))
    const here = x
    const step = quadraticStep(matrix, slopes, {
      below: x.map((each, i) => (lower[i] as number) - each),
      above: x.map((each, i) => (upper[i] as number) - each),
    })
    if (step === null) break
    const slope = dot(step, slopes)
    if (!(-slope > 1e-15 * Math.abs(value))) break
    const there = new Float64Array(n)
    const next = search((t) => clipped(here.map((each, i) => each + t * (step[i] as number))), f, there, {
      value,
      slope,
      left,
    })
    left -= next.asked
    if (next.point === null) {
      if (isFresh) break
      isFresh = true
      continue
    }
    const s = next.point.map((each, i) => each - (here[i] as number))
    const y = there.map((each, i) => each - (slopes[i] as number))
    const sy = dot(s, y)
    if (isFresh && sy > 0) fill(matrix, n, dot(y, y) / sy)
    dampedUpdate(matrix, s, y)
    isFresh = false
    x = next.point
    value = next.value
    slopes = there
  }
  return { point: x, value }
}

/** The first of shorter and shorter steps that is good enough; writes the slopes there. */
function search(
  at: (t: number) => Float64Array,
  f: Smooth,
  slopes: Float64Array,
  { value, slope, left }: { value: number; slope: number; left: number },
): { point: Float64Array | null; value: number; asked: number } {
  let t = 1
  for (let asked = 1; asked <= Math.min(left, maxHalvings); asked++) {
    const point = at(t)
    const found = f(point, slopes)
    if (found <= value + 1e-4 * t * slope) return { point, value: found, asked }
    const bend = found - value - t * slope
    const lowest = bend > 0 ? (-slope * t * t) / (2 * bend) : 0.5 * t
    t = Math.min(Math.max(lowest, 0.1 * t), 0.5 * t)
  }
  return { point: null, value, asked: Math.min(left, maxHalvings) }
}

function widest({ lower, upper }: { lower: ArrayLike<number>; upper: ArrayLike<number> }): number {
  let width = 0
  for (let i = 0; i < lower.length; i++) width = Math.max(width, (upper[i] as number) - (lower[i] as number))
  return width
}

function fill(matrix: Float64Array, n: number, curvature: number): void {
  matrix.fill(0)
  for (let i = 0; i < n; i++) matrix[i * n + i] = curvature
}
