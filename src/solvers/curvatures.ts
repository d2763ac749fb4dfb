import { largest } from '../algebra/vectors.ts'

/** Whether curvatures differ so much that one number for all coordinates would not do. */
export function isUneven(curvatures: Float64Array): boolean {
  let [least, most] = [Infinity, 0]
  for (const each of curvatures) {
    least = Math.min(least, each)
    most = Math.max(most, each)
  }
  return most > 100 * Math.max(least, 1e-300)
}

/** Magnitudes, none below a share of the largest. */
export function atLeast(values: Float64Array, share: number): Float64Array {
  const least = share * Math.max(largest(values), 1e-300)
  return values.map((value) => Math.max(Math.abs(value), least))
}
