import type { Vector } from '../core/types.ts'
import type { Batch } from './staged-search.ts'

/** Where differences are taken. */
interface Around {
  readonly x: Vector
  readonly value: number
  /** The step on a coordinate. */
  step(i: number): number
  /** Brings a point into the set, rounded, in place. */
  enter(x: Vector): void
}

/** Sweeps over the points that were brought back, at most; each is a projection per point. */
const maxSweeps = 12

/**
 * The gradient for any convex set, from one batch of points that lie in it. A point that would leave the set is brought back;
 * of the two sides of x the one is taken on which more of the step remains. Where it remains whole, this is an ordinary
 * difference. For the others, g is the solution of step_i' g = f(x + step_i) - f(x) by Gauss and Seidel: the Jacobian of a
 * projection is symmetric and positive semidefinite, and what a thin set such as a simplex leaves open is of no use in it.
 */
export function* projectedDifferences(around: Around): Generator<Batch, Float64Array, Float64Array> {
  const { x, value } = around
  const point = x.slice()
  const place = (i: number, step: number): void => {
    point.set(x)
    point[i] = (x[i] as number) + step
    around.enter(point)
  }
  const moved = (i: number, step: number): number => {
    place(i, step)
    return Math.abs((point[i] as number) - (x[i] as number))
  }
  const steps = Float64Array.from(x, (_, i) => {
    const step = around.step(i)
    const ahead = moved(i, step)
    if (ahead >= 0.99 * step) return step
    const behind = moved(i, -step)
    return Math.max(ahead, behind) < 0.01 * step ? 0 : ahead >= behind ? step : -step
  })
  const moving = Array.from(x.keys()).filter((i) => steps[i] !== 0)
  const slopes = new Float64Array(x.length)
  if (moving.length === 0) return slopes
  const values = yield {
    rows: moving.length,
    write(row, into, offset) {
      const i = moving[row] as number
      place(i, steps[i] as number)
      into.set(point, offset)
    },
  }
  const broughtBack: number[] = []
  moving.forEach((i, row) => {
    place(i, steps[i] as number)
    const change = (values[row] as number) - value
    slopes[i] = finite(change / ((point[i] as number) - (x[i] as number)))
    if (Number.isFinite(change) && othersMoved(point, x, i)) broughtBack.push(row)
  })
  for (let sweep = 0; sweep < maxSweeps && broughtBack.length > 0; sweep++) {
    let [largestChange, largestSlope] = [0, 0]
    for (const row of broughtBack) {
      const i = moving[row] as number
      place(i, steps[i] as number)
      const rest = (values[row] as number) - value - along(slopes, point, x)
      const change = finite(rest / ((point[i] as number) - (x[i] as number)))
      slopes[i] = (slopes[i] as number) + change
      largestChange = Math.max(largestChange, Math.abs(change))
      largestSlope = Math.max(largestSlope, Math.abs(slopes[i] as number))
    }
    if (largestChange <= 1e-7 * largestSlope) break
  }
  return slopes
}

function othersMoved(point: Vector, x: Vector, i: number): boolean {
  return point.some((value, j) => j !== i && value !== x[j])
}

/** g'(point - x). */
function along(slopes: Float64Array, point: Vector, x: Vector): number {
  let sum = 0
  for (let i = 0; i < x.length; i++) sum += (slopes[i] as number) * ((point[i] as number) - (x[i] as number))
  return sum
}

function finite(slope: number): number {
  return Number.isFinite(slope) ? slope : 0
}
