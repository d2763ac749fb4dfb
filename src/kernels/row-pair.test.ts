import { describe, expect, test } from 'vitest'
import { randomWord } from './random.ts'
import { rowPair, scalarPair } from './row-pair.ts'

/** Numbers of very different sizes, zeros and odd ones among them. */
function numbers(length: number, row: number): Float32Array {
  return Float32Array.from({ length }, (_, i) => {
    const word = randomWord({ seed: 5, iteration: i, row }, 'data', 0)
    const size = [1, 1e-3, 1e-20, 1e-44, 0, 1e30][word % 6] as number
    return (word / 2 ** 32 - 0.5) * size
  })
}

describe('a pair of rows', () => {
  test.each([1, 2, 3, 4, 7, 64, 1001, 8192, 20_003])('gives the bits of the plain loops at d = %i', (dim) => {
    const results = [rowPair(dim), scalarPair(dim)].map((pair) => {
      pair.rows.forEach((row, i) => row.set(numbers(dim, i)))
      const into = new Float32Array(2 * dim + 5)
      const squares = new Float64Array(2)
      pair.addTo(numbers(dim, 9), pair.rows, into, 3, squares)
      const alone = new Float32Array(dim + 1)
      return { into, squares, one: pair.addOne(numbers(dim, 9), pair.rows[0], alone, 1), alone }
    })
    expect(results[0]).toEqual(results[1])
    expect(results[0]?.one).toBe(results[0]?.squares[0])
    expect(results[0]?.into.subarray(0, 3)).toEqual(new Float32Array(3))
  })

  test('keeps infinities and what is no number', () => {
    const pair = rowPair(5)
    pair.rows[0].set([Infinity, 0, 0, 0, 0])
    pair.rows[1].set([0, 0, Number.NaN, 0, 1])
    const into = new Float32Array(10)
    const squares = new Float64Array(2)
    pair.addTo(new Float32Array(5).fill(1), pair.rows, into, 0, squares)
    expect([...into]).toEqual([Infinity, 1, 1, 1, 1, 1, 1, Number.NaN, 1, 2])
    expect([...squares]).toEqual([Infinity, Number.NaN])
  })
})
