import { ZerothError } from '../../core/errors.ts'
import { option } from '../../core/options.ts'
import { wholeFrom } from '../../core/schema.ts'
import { randomUniform } from '../../kernels/random.ts'

/** The seed of generated data: the same seed gives the same problem everywhere. */
export const dataSeedOption = option(wholeFrom(0), 'determines the generated data', 0)

/** One row of generated data: numbers drawn uniformly from [-1, 1). */
export function uniformRow(seed: number, row: number, length: number): Float64Array {
  return Float64Array.from({ length }, (_, i) => 2 * randomUniform({ seed, iteration: 0, row }, 'data', i) - 1)
}

/** Numbers of generated data at most: more would fill the memory before the first query. */
const mostData = 20_000_000

/** Refuses data that would not fit into memory. */
export function checkDataSize(owner: string, dim: number, population: number): void {
  if (dim * population <= mostData) return
  const given = `${dim} variables and ${population} terms`
  throw new ZerothError('invalid-option', `${owner}: dim times population must be at most ${mostData}, got ${given}`)
}

/** a'b. */
export function inner(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number)
  return sum
}
