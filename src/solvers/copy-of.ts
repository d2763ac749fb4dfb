import type { Begin, Vector } from '../core/types.ts'

/** A vector of the run with the entries of another. */
export function copyOf({ kernels, dim, precision }: Begin, from: Vector): Vector {
  const made = kernels.allocate(dim, precision)
  made.set(from)
  return made
}
