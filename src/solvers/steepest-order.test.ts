import { expect, test } from 'vitest'
import { beginning } from '../../test/conformance/directions.ts'
import { LocalCosines } from '../bases/local-cosines.ts'
import { restoreMemory, saveMemory } from '../core/memory.ts'
import { steepestFirst } from './steepest-order.ts'

const shape = { channels: 3, height: 32, width: 24 }
const dim = 3 * 32 * 24
const inOrder = (length: number): Int32Array => Int32Array.from({ length }, (_, i) => i)
const open = () => steepestFirst(beginning(dim, { shape }), new LocalCosines(shape, 8, inOrder).layout)

/** Steep in one block of the image, and there in the low frequencies of brightness most of all. */
const slopeOf = (vector: number): number => {
  const [channel, y, x] = [Math.floor(vector / 768), Math.floor((vector % 768) / 24), vector % 24]
  const isThere = y >= 8 && y < 16 && x >= 8 && x < 16
  return isThere ? (channel === 0 ? 3 : 1) / (1 + (y % 8) + (x % 8)) : 0.01
}

/** Takes that many slopes, ten at a time; returns the vectors in their order. */
function take(order: ReturnType<typeof open>, count: number): number[] {
  const taken: number[] = []
  for (let asked = 0; asked < count; asked += 10) {
    const size = Math.min(10, count - asked)
    const vectors = Array.from({ length: size }, (_, i) => order.vectorAt(i))
    vectors.forEach((vector, i) => order.found(i, slopeOf(vector)))
    order.advance(size)
    taken.push(...vectors)
  }
  return taken
}

const energy = (vectors: readonly number[]): number =>
  vectors.reduce((sum, vector) => sum + slopeOf(vector) * slopeOf(vector), 0)
const whole = energy(Array.from({ length: dim }, (_, i) => i))

test('a tenth of the vectors finds most of a gradient that has its place and its frequencies', () => {
  const tenth = take(open(), Math.round(dim / 10))
  // Ten times as much as chance would find.
  expect(energy(tenth) / whole).toBeGreaterThan(0.7)
})

test('every vector comes once in a round, and then all come again', () => {
  const order = open()
  const first = take(order, dim)
  expect(new Set(first).size).toBe(dim)
  expect(order.round).toBe(1)
  expect(new Set(take(order, dim)).size).toBe(dim)
})

test('what comes next depends on its memory alone', () => {
  const order = open()
  take(order, 130)
  const saved = saveMemory(order.memory)
  const resumed = open()
  restoreMemory(resumed.memory, saved)
  expect(take(resumed, 200)).toEqual(take(order, 200))
})
