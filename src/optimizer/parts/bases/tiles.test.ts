import { describe, expect, test } from 'vitest'
import { vectorsOf } from '../../../../test/conformance/basis.ts'
import { beginning } from '../../../../test/conformance/directions.ts'
import { blocks, givenBasis, tiles } from './tiles.ts'

describe('tiles', () => {
  const begin = (channels: number, height: number, width: number, size: number) => {
    const at = beginning(channels * height * width, { shape: { channels, height, width } })
    return { at, span: tiles({ size }).start(at) }
  }

  test('every tile is one vector of length 1 that is even on its tile', () => {
    const { at, span } = begin(2, 4, 4, 2)
    expect(vectorsOf(span, at)[5]).toEqual([
      ...new Array(16).fill(0),
      ...[0, 0, 0.5, 0.5, 0, 0, 0.5, 0.5],
      ...new Array(8).fill(0),
    ])
  })

  test('uneven sides give tiles that differ by a pixel', () => {
    const { at, span } = begin(1, 3, 5, 2)
    const sizes = vectorsOf(span, at).map((vector) => vector.filter((each) => each !== 0).length)
    expect(sizes).toEqual([2, 3, 4, 6])
  })

  test('cuts every tile in four when it grows, down to pixels', () => {
    const { span } = begin(1, 10, 28, 4)
    const sizes = [span.dim]
    while (span.grow?.() === true) sizes.push(span.dim)
    expect(sizes).toEqual([16, 64, 10 * 16, 10 * 28])
  })

  test('has 14 x 14 tiles on an image of 28 x 28 unless told otherwise', () => {
    const at = beginning(784, { shape: { channels: 1, height: 28, width: 28 } })
    expect(tiles().start(at).dim).toBe(196)
    expect(() => tiles().start(beginning(784))).toThrow('tiles needs to know the size of the image')
  })
})

describe('blocks', () => {
  /** Which coordinates the block of an iteration has. */
  function chosen(options: Parameters<typeof blocks>[0], dim: number, iteration: number, seed = 0): number[] {
    const span = blocks(options).start(beginning(dim))
    const into = new Float64Array(dim)
    span.expand(
      Float64Array.from({ length: span.dim }, (_, j) => j + 1),
      into,
      { seed, iteration },
    )
    return Array.from({ length: span.dim }, (_, j) => into.indexOf(j + 1))
  }

  test('takes block after block, going round', () => {
    expect([1, 2, 3, 4, 5].map((iteration) => chosen({ count: 3 }, 7, iteration))).toEqual([
      [0, 1, 2],
      [3, 4, 5],
      [6, 0, 1],
      [2, 3, 4],
      [5, 6, 0],
    ])
  })

  test.each(['cyclic', 'random'] as const)('takes every coordinate equally often in %s order', (order) => {
    const counts = new Float64Array(7)
    for (let iteration = 1; iteration <= 700; iteration++) {
      for (const i of chosen({ count: 3, order }, 7, iteration)) counts[i] = (counts[i] as number) + 1
    }
    // Five standard errors of 700 draws with chance 3/7.
    const tolerance = order === 'cyclic' ? 0 : 5 * Math.sqrt((700 * 12) / 49)
    for (const count of counts) expect(Math.abs(count - 300)).toBeLessThanOrEqual(tolerance)
  })

  test('the seed decides which block is taken at random, and nothing else', () => {
    const list = (seed: number) =>
      [1, 2, 3, 4, 5].map((each) => chosen({ count: 10, order: 'random' }, 1000, each, seed)[0])
    expect(list(1)).toEqual(list(1))
    expect(list(1)).not.toEqual(list(2))
  })

  test('without a key it is the first block', () => {
    const into = new Float64Array(4)
    blocks({ count: 2 }).start(beginning(4)).expand(Float64Array.of(5, 6), into)
    expect(Array.from(into)).toEqual([5, 6, 0, 0])
  })

  test('there are no more blocks than variables', () => {
    expect(() => blocks({ count: 5 }).start(beginning(4))).toThrow(
      'blocks.count must be at most the number of variables, 4, got 5',
    )
  })
})

describe('given basis', () => {
  const vectors = (given: ArrayLike<number>[], dim: number): number[][] => {
    const at = beginning(dim)
    return vectorsOf(givenBasis({ vectors: given }).start(at), at)
  }

  test('makes the vectors orthonormal in their order', () => {
    const [first, second] = vectors([[3, 4, 0], Float32Array.of(5, 0, 2)], 3)
    const expected = [3.2, -2.4, 2]
    expect(first).toEqual([0.6, 0.8, 0])
    second?.forEach((each, i) => {
      expect(each).toBeCloseTo((expected[i] as number) / Math.hypot(3.2, 2.4, 2), 14)
    })
  })

  test('keeps nearly dependent vectors orthogonal to 12 digits', () => {
    const [u = [], v = []] = vectors(
      [
        [1, 1, 1],
        [1, 1, 1 + 1e-7],
      ],
      3,
    )
    expect(Math.abs(u.reduce((sum, each, i) => sum + each * (v[i] as number), 0))).toBeLessThan(1e-12)
  })

  test('takes vectors of any length', () => {
    const [u = []] = vectors([[3e300, 4e300]], 2)
    expect([u[0], u[1]].map((each) => each?.toFixed(12))).toEqual(['0.600000000000', '0.800000000000'])
  })

  test.each([
    [[[0, 0]], 'given-basis.vectors[0] is 0; the vectors must be independent'],
    [
      [
        [1, 0],
        [0, 1],
        [1, 1],
      ],
      'given-basis.vectors[2] is a combination of those before it, or 0 (there are 2 variables); the vectors must be independent',
    ],
    [[[1, 2], [1]], 'given-basis.vectors[1] must have an entry for each of 2 variables, got 1'],
    [[[1, Infinity]], 'given-basis.vectors[0][1] must be a finite number, got Infinity'],
  ])('refuses %j', (given, message) => {
    expect(() => vectors(given, 2)).toThrow(message)
  })

  test('refuses no vectors, and what is not a list of numbers', () => {
    expect(() => givenBasis({ vectors: [] })).toThrow('given-basis.vectors must hold at least 1, got Array(0)')
    expect(() => givenBasis({ vectors: [[1, 'two' as never]] })).toThrow('must hold numbers only (entry 1 is not one)')
  })
})
