import type { Vector } from '../core/types.ts'

/**
 * into[offset + i] = x_i + scale u_(i - first) for the `length` coordinates from `first` on, rounded to the precision of x
 * after every operation, as the kernels do.
 */
export function writeStep(
  x: Vector,
  scale: number,
  u: Float64Array,
  first: number,
  length: number,
  into: Vector,
  offset: number,
): void {
  if (x instanceof Float32Array) {
    const { fround } = Math
    const s = fround(scale)
    for (let i = 0; i < length; i++) {
      into[offset + first + i] = fround((x[first + i] as number) + fround(s * fround(u[i] as number)))
    }
  } else for (let i = 0; i < length; i++) into[offset + first + i] = (x[first + i] as number) + scale * (u[i] as number)
}
