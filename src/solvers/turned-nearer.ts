import type { Vector } from '../core/types.ts'
import type { Kernels } from '../kernels/kernels.ts'
import { distance } from './border-moves.ts'

/** The nearest success, the point from which distances count, and the slopes. */
interface Known {
  readonly origin: Vector
  readonly kept: Vector
  readonly gradient: Vector
}

/**
 * into = a point nearer to the origin than the best one by a share of the way, in a direction between that of the best one
 * (turn 0) and the steepest descent (turn 1).
 */
export function turnedNearer(
  kernels: Kernels,
  { origin, kept, gradient }: Known,
  { turn, nearerNow }: { readonly turn: number; readonly nearerNow: number },
  into: Vector,
): void {
  const radius = distance(kept, origin)
  const steep = Math.sqrt(kernels.dot(gradient, gradient)) || Infinity
  const [along, down] = [(1 - turn) / radius, turn / steep]
  for (let i = 0; i < into.length; i++) {
    into[i] = along * ((kept[i] as number) - (origin[i] as number)) - down * (gradient[i] as number)
  }
  const scale = ((1 - nearerNow) * radius) / (Math.sqrt(kernels.dot(into, into)) || 1)
  for (let i = 0; i < into.length; i++) into[i] = (origin[i] as number) + scale * (into[i] as number)
}
