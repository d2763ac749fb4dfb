import type { Vector } from './types.ts'

/** Whether two vectors of the same length have a coordinate that is not the same. */
export function differ(a: Vector, b: Vector): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return true
  return false
}
