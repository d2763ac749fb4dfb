import { type RandomRow, randomBlock } from '../kernels/random.ts'

const rounds = 4

/**
 * A random order of 0 ... length - 1 that needs no memory: a Feistel network on the next power of 4, walked until it is back
 * inside (Black and Rogaway, 2002). The same address gives the same order; `length` is at most 2^32.
 */
export function shuffled(length: number, at: RandomRow): (index: number) => number {
  let half = 2
  let bits = 1
  while (half * half < length) {
    half *= 2
    bits++
  }
  const block = new Uint32Array(4)
  randomBlock(block, at, 'coordinates', 1, 0)
  const keys = Array.from({ length: rounds }, (_, i) => block[i] as number)
  const shift = 32 - bits
  const scramble = (index: number): number => {
    let left = Math.floor(index / half)
    let right = index % half
    for (const key of keys) {
      const next = left ^ (mixed(right ^ key) >>> shift)
      left = right
      right = next
    }
    return left * half + right
  }
  return (index) => {
    let found = scramble(index)
    while (found >= length) found = scramble(found)
    return found
  }
}

/** A word of which every bit depends on every bit of the given one (the finalizer of MurmurHash3). */
export function mixed(word: number): number {
  let h = word | 0
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}
