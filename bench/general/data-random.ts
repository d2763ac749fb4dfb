import { randomUniform } from '../../src/optimizer/kernels/random.ts'
import { order } from './bbob-random.ts'

/** A number from text, to draw different data for different things (FNV-1a). */
export function textHash(text: string): number {
  let hash = 2166136261
  for (const letter of text) hash = Math.imul(hash ^ (letter.codePointAt(0) as number), 16777619)
  return hash >>> 0
}

/** The uniform number in [0, 1) that belongs to a purpose, a size and an index. */
export function dataUniform(purpose: string, size: number, index: number): number {
  return randomUniform({ seed: textHash(purpose), iteration: size, row: 0 }, 'data', index)
}

/** Standard normal numbers of a purpose and a size, by Box and Muller. */
export function dataNormals(purpose: string, size: number, count: number): Float64Array {
  return Float64Array.from({ length: count }, (_, i) =>
    boxMuller(dataUniform(purpose, size, 2 * i), dataUniform(purpose, size, 2 * i + 1)),
  )
}

/** A random order of `count` indices. */
export function dataOrder(purpose: string, size: number, count: number): number[] {
  return order(Array.from({ length: count }, (_, i) => dataUniform(purpose, size, i)))
}

/** A standard normal number from two uniform ones in [0, 1). */
export function boxMuller(u: number, v: number): number {
  return Math.sqrt(-2 * Math.log(1 - u)) * Math.cos(2 * Math.PI * v)
}
