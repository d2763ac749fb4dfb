import { describe, expect, test } from 'vitest'
import { withinReach } from './pair-memory.ts'
import { randomWord } from './random.ts'
import type { RowSizes } from './row-pair.ts'
import { scalarSquash, squash, squashPair } from './squash.ts'

const uniform = (i: number, row: number): number =>
  randomWord({ seed: 5, iteration: i, row }, 'data', 0) / 4_294_967_296

/** Pixels of 8 bits and others, black and white among them. */
function pixels(length: number): Float32Array {
  return Float32Array.from({ length }, (_, i) => (i % 5 === 0 ? Math.floor(uniform(i, 9) * 256) / 255 : uniform(i, 9)))
}

/** Variables of very different sizes; of `far` of a hundred other formulas are needed. */
function variables(length: number, row: number, far: number): Float32Array {
  return Float32Array.from({ length }, (_, i) => {
    const size = 100 * uniform(i, row + 20) < far ? 40 : ([8, 1, 1e-3, 1e-20, 1e-44, 0][i % 6] as number)
    return (uniform(i, row) - 0.5) * size
  })
}

const room = (rows: number): RowSizes => ({ squares: new Float64Array(rows), largest: new Float64Array(rows) })

describe('a pair of squashed rows', () => {
  test.each([
    [1, 0],
    [2, 0],
    [3, 50],
    [7, 0],
    [64, 5],
    [1001, 5],
    [16_384, 0],
    [16_387, 1],
    [40_003, 5],
    [1000, 100],
  ])('gives the bits of the plain loops at d = %i, with %i in a hundred variables far out', (dim, far) => {
    const plain = (length: number) => new Float32Array(length)
    const ways = [
      { pair: squashPair(dim), make: plain },
      { pair: squashPair(dim), make: withinReach },
      { pair: scalarSquash(dim), make: plain },
    ]
    const results = ways.map(({ pair, make }) => {
      pair.rows.forEach((row, i) => row.set(variables(dim, i, far)))
      const into = make(2 * dim + 5).subarray(1)
      const sizes = room(6)
      pair.paint(pixels(dim), pair.rows, into, 3, sizes, 1)
      const alone = make(dim + 1)
      for (const [i, row] of pair.rows.entries()) pair.paintOne(pixels(dim), row, alone, 1, sizes, 4 + i)
      return { into, sizes, alone }
    })
    expect(results[0]).toEqual(results[2])
    expect(results[1]).toEqual(results[2])
    const { squares, largest } = results[0]?.sizes ?? room(0)
    for (const each of [squares, largest]) expect(each.subarray(4)).toEqual(each.subarray(1, 3))
    const shown = new Float64Array(dim)
    const originals = pixels(dim)
    expect(squares[1]).toBe(squash(variables(dim, 0, far), originals, shown, 0))
    expect(largest[1]).toBe(Math.max(...shown.map((pixel, i) => Math.abs(pixel - (originals[i] as number)))))
  })

  test('takes infinite variables for black and white, and says nothing of a row with one that is no number', () => {
    for (const pair of [squashPair(5), scalarSquash(5)]) {
      pair.rows[0].set([-Infinity, 0, 0, 0, Infinity])
      pair.rows[1].set([0, -0.5, Number.NaN, 0, 1])
      const into = new Float32Array(10)
      const sizes = room(3)
      pair.paint(new Float32Array(5).fill(0.5), pair.rows, into, 0, sizes, 0)
      expect(into[7]).toBeNaN()
      expect(into[0]).toBe(0)
      expect([into[1], into[4]]).toEqual([0.5, 1])
      expect([sizes.squares[0], sizes.largest[0]]).toEqual([expect.closeTo(0.5, 5), expect.closeTo(0.5, 5)])
      expect([sizes.squares[1], sizes.largest[1]]).toEqual([Number.NaN, Number.NaN])
      pair.paintOne(new Float32Array(5), pair.rows[1], into, 5, sizes, 2)
      expect([sizes.squares[2], sizes.largest[2]]).toEqual([Number.NaN, Number.NaN])
    }
  })
})
