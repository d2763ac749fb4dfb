import type { Vector } from '../core/types.ts'
import type { Kernels } from '../kernels/kernels.ts'

/** What is known at the border: where the run began, the best point that succeeds, and the slopes just outside. */
interface Known {
  readonly origin: Vector
  readonly kept: Vector
  readonly gradient: Vector
}

/** into = from, a step of that length down the slopes; where there are none, from itself. */
export function stepDown(kernels: Kernels, from: Vector, gradient: Vector, length: number, into: Vector): void {
  const scale = length / (Math.sqrt(kernels.dot(gradient, gradient)) || Infinity)
  for (let i = 0; i < into.length; i++) into[i] = (from[i] as number) - scale * (gradient[i] as number)
}

/** into = the middle between two points. */
export function halfWay(a: Vector, b: Vector, into: Vector): void {
  for (let i = 0; i < into.length; i++) into[i] = ((a[i] as number) + (b[i] as number)) / 2
}

/**
 * into = a point nearer to the origin than the best one by a share of the way, in a direction between that of the best one
 * (turn 0) and the steepest descent (turn 1).
 */
export function turnedNearer(
  kernels: Kernels,
  { origin, kept, gradient }: Known,
  turn: number,
  nearer: number,
  into: Vector,
): void {
  const radius = distance(kept, origin)
  const steep = Math.sqrt(kernels.dot(gradient, gradient)) || Infinity
  const [along, down] = [(1 - turn) / radius, turn / steep]
  for (let i = 0; i < into.length; i++) {
    into[i] = along * ((kept[i] as number) - (origin[i] as number)) - down * (gradient[i] as number)
  }
  const scale = ((1 - nearer) * radius) / (Math.sqrt(kernels.dot(into, into)) || 1)
  for (let i = 0; i < into.length; i++) into[i] = (origin[i] as number) + scale * (into[i] as number)
}

/** The Euclidean distance between two points. */
export function distance(a: Vector, b: Vector): number {
  let squares = 0
  for (let i = 0; i < a.length; i++) {
    const difference = (a[i] as number) - (b[i] as number)
    squares += difference * difference
  }
  return Math.sqrt(squares)
}
