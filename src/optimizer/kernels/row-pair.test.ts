import { describe, expect, test } from 'vitest'
import { randomWord } from './random.ts'
import {
  memoryOf,
  type RowSizes,
  rowPair,
  scalarPair,
  scalarScale,
  scalarSquash,
  scale,
  squash,
  squashPair,
  withinReach,
} from './row-pair.ts'

describe('row pair', () => {
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
})

describe('squash', () => {
  const uniform = (i: number, row: number): number =>
    randomWord({ seed: 5, iteration: i, row }, 'data', 0) / 4_294_967_296

  /** Pixels of 8 bits and others, black and white among them. */
  function pixels(length: number): Float32Array {
    return Float32Array.from({ length }, (_, i) =>
      i % 5 === 0 ? Math.floor(uniform(i, 9) * 256) / 255 : uniform(i, 9),
    )
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
})

describe('scaled', () => {
  /** Numbers of very different sizes, zeros and odd ones among them. */
  function numbers(length: number): Float32Array {
    return Float32Array.from({ length }, (_, i) => {
      const word = randomWord({ seed: 5, iteration: i, row: 0 }, 'data', 0)
      const size = [1, 1e-3, 1e-20, 1e-44, 0, 1e30, -0, Infinity, Number.NaN][word % 9] as number
      return (word / 2 ** 32 - 0.5) * size
    })
  }

  test.each([1, 255, 256, 257, 16_384, 16_387, 40_003])(
    'the kernel gives the bits of the plain loop at length %i',
    (length) => {
      for (const [factor, shift] of [
        [1.99, -1],
        [1 / 0.229, -0.485 / 0.229],
        [255, 0],
        [-1e-40, 1e-41],
      ] as const) {
        const [fast, plain, near] = [numbers(length + 9), numbers(length + 9), withinReach(length + 9)]
        near.set(plain)
        scale(near.subarray(2), 3, length, factor, shift)
        scale(fast, 5, length, factor, shift)
        scalarScale(plain, 5, length, factor, shift)
        expect(fast).toEqual(plain)
        expect(near).toEqual(plain)
        expect(fast.subarray(0, 5)).toEqual(numbers(5))
        expect(fast.subarray(5 + length)).toEqual(numbers(length + 9).subarray(5 + length))
      }
    },
  )
})

describe('pair memory', () => {
  test('a vector within reach is a zeroed one of that length, in memory of its own', () => {
    const vectors = [withinReach(5), withinReach(100_000)]
    for (const [i, length] of [5, 100_000].entries()) expect(vectors[i]).toEqual(new Float32Array(length))
    expect(vectors[0]?.buffer).not.toBe(vectors[1]?.buffer)
  })

  test('the memory is found by any part of the vector, and of no other vector', () => {
    const vector = withinReach(20)
    expect(memoryOf(vector)?.linked.buffer).toBe(vector.buffer)
    expect(memoryOf(vector.subarray(7, 9))).toBe(memoryOf(vector))
    expect(memoryOf(new Float32Array(20))).toBeUndefined()
  })
})
