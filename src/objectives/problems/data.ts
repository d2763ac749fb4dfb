import { z } from 'zod'
import { randomUniform } from '../../kernels/random.ts'

/** The seed of generated data: the same seed gives the same problem everywhere. */
export const dataSeedOption = z.int().min(0).default(0).describe('determines the generated data')

/** One row of generated data: numbers drawn uniformly from [-1, 1). */
export function uniformRow(seed: number, row: number, length: number): Float64Array {
  return Float64Array.from({ length }, (_, i) => 2 * randomUniform({ seed, iteration: 0, row }, 'data', i) - 1)
}

/** a'b. */
export function inner(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number)
  return sum
}
