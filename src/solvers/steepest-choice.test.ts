import { expect, test } from 'vitest'
import { LocalCosines } from '../bases/local-cosines.ts'
import { steepestChoice } from './steepest-choice.ts'

const cosines = new LocalCosines({ channels: 3, height: 32, width: 24 }, 8)
const { dim } = cosines

/** Steep in one block of the image, and there in the low frequencies of brightness most of all. */
const slopeOf = (vector: number): number => {
  const [channel, y, x] = [Math.floor(vector / 768), Math.floor((vector % 768) / 24), vector % 24]
  const isThere = y >= 8 && y < 16 && x >= 8 && x < 16
  return isThere ? (channel === 0 ? 3 : 1) / (1 + (y % 8) + (x % 8)) : 0.01
}

/** Takes that many slopes, ten at a time; returns the vectors in their order. */
function take(count: number): number[] {
  const choose = steepestChoice(1, cosines)
  const known = { slopes: new Float64Array(dim), taken: new Float64Array(dim) }
  const all: number[] = []
  while (all.length < count) {
    const chosen = choose(known, all.length, Math.min(10, count - all.length))
    for (const vector of chosen) {
      known.slopes[vector] = slopeOf(vector)
      all.push(vector)
      known.taken[vector] = all.length
    }
  }
  return all
}

const energy = (vectors: readonly number[]): number =>
  vectors.reduce((sum, vector) => sum + slopeOf(vector) * slopeOf(vector), 0)
const whole = energy(Array.from({ length: dim }, (_, i) => i))

test('a tenth of the vectors finds most of a gradient that has its place and its frequencies', () => {
  // Chance would find a tenth.
  expect(energy(take(Math.round(dim / 10))) / whole).toBeGreaterThan(0.7)
})

test('no vector comes again soon, and steep ones come again first', () => {
  expect(new Set(take(150)).size).toBe(150)
  const all = take(2 * dim)
  const again = all.slice(dim, dim + 200)
  expect(energy(again) / again.length).toBeGreaterThan((2 * whole) / dim)
})

test('the same is known, the same is chosen', () => {
  expect(take(200)).toEqual(take(200))
})
