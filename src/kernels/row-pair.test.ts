import { describe, expect, test } from 'vitest'
import { withinReach } from './pair-memory.ts'
import { randomWord } from './random.ts'
import { type RowSizes, rowPair, scalarPair } from './row-pair.ts'

/** Numbers of very different sizes, zeros and odd ones among them. */
function numbers(length: number, row: number): Float32Array {
  return Float32Array.from({ length }, (_, i) => {
    const word = randomWord({ seed: 5, iteration: i, row }, 'data', 0)
    const size = [1, 1e-3, 1e-20, 1e-44, 0, 1e30][word % 6] as number
    return (word / 2 ** 32 - 0.5) * size
  })
}

function room(rows: number): RowSizes {
  return { squares: new Float64Array(rows), largest: new Float64Array(rows) }
}

describe('a pair of rows', () => {
  test.each([1, 2, 3, 4, 7, 64, 1001, 16_384, 40_003])('gives the bits of the plain loops at d = %i', (dim) => {
    const plain = (length: number) => new Float32Array(length)
    const ways = [
      { pair: rowPair(dim), make: plain },
      { pair: rowPair(dim), make: withinReach },
      { pair: scalarPair(dim), make: plain },
    ]
    const results = ways.map(({ pair, make }) => {
      pair.rows.forEach((row, i) => row.set(numbers(dim, i)))
      const into = make(2 * dim + 5).subarray(1)
      const sizes = room(6)
      pair.paint(numbers(dim, 9), pair.rows, into, 3, sizes, 1)
      const alone = make(dim + 1)
      for (const [i, row] of pair.rows.entries()) pair.paintOne(numbers(dim, 9), row, alone, 1, sizes, 4 + i)
      return { into, sizes, alone }
    })
    expect(results[0]).toEqual(results[2])
    expect(results[1]).toEqual(results[2])
    const { squares, largest } = results[0]?.sizes ?? room(0)
    for (const each of [squares, largest]) expect(each.subarray(4)).toEqual(each.subarray(1, 3))
    expect(largest[1]).toBe(Math.max(...numbers(dim, 0).map(Math.abs)))
    expect([squares[0], squares[3]]).toEqual([0, 0])
    expect(results[0]?.into.subarray(0, 3)).toEqual(new Float32Array(3))
  })

  test('keeps infinities and what is no number', () => {
    for (const pair of [rowPair(5), scalarPair(5)]) {
      pair.rows[0].set([-Infinity, 0, 0, 0, 0])
      pair.rows[1].set([0, -0.5, Number.NaN, 0, Number.NaN])
      const into = new Float32Array(10)
      const sizes = room(3)
      pair.paint(new Float32Array(5).fill(1), pair.rows, into, 0, sizes, 0)
      expect([...into]).toEqual([-Infinity, 1, 1, 1, 1, 1, 0.5, Number.NaN, 1, Number.NaN])
      pair.paintOne(new Float32Array(5), pair.rows[1], into, 5, sizes, 2)
      expect([...into.subarray(5)]).toEqual([0, -0.5, Number.NaN, 0, Number.NaN])
      expect([...sizes.squares]).toEqual([Infinity, Number.NaN, Number.NaN])
      expect([...sizes.largest]).toEqual([Infinity, 0.5, 0.5])
    }
  })
})
