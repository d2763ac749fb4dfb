import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { normalTile, tileSize } from './normals.ts'
import { scalarKernels } from './scalar.ts'

const at = { seed: 1, iteration: 1, row: 0 }
const dim = 200_003

describe('the normals of a row', () => {
  const z = row(at, dim)

  test('have these bits on every platform', () => {
    // Must not change: every seeded result, on every engine and in every kernel, depends on these bytes. An
    // implementation of the same recipe in another language (Python) gave the same hash.
    const bytes = new Uint8Array(Float32Array.from(z).buffer)
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(
      '3dabf38772cb8856ac70b394f66077f77bc4695d2a52c9079032af7a1a477baa',
    )
  })

  test('have the moments of the normal distribution', () => {
    const moment = (power: number) =>
      z.reduce((sum, each) => sum + new Array<number>(power).fill(each).reduce((product, z) => product * z), 0) / dim
    // Four standard errors: Var z^k = E z^2k - (E z^k)^2 with E z^2 = 1, E z^4 = 3, E z^6 = 15, E z^8 = 105.
    const bound = (variance: number) => 4 * Math.sqrt(variance / dim)
    expect(Math.abs(moment(1))).toBeLessThan(bound(1))
    expect(Math.abs(moment(2) - 1)).toBeLessThan(bound(2))
    expect(Math.abs(moment(3))).toBeLessThan(bound(15))
    expect(Math.abs(moment(4) - 3)).toBeLessThan(bound(96))
  })

  test.each([
    [1, 0.31731050786291415],
    [2, 0.04550026389635842],
    [3, 0.0026997960632601866],
    [4, 6.334248366623993e-5],
  ])('lie beyond %i standard deviations as often as they should', (limit, probability) => {
    const share = z.filter((each) => Math.abs(each) > limit).length / dim
    expect(Math.abs(share - probability)).toBeLessThan(4 * Math.sqrt((probability * (1 - probability)) / dim))
  })

  test('follow the normal distribution in 64 equally likely bins', () => {
    const counts = new Array<number>(64).fill(0)
    for (const each of z) {
      const bin = Math.floor(normalDistribution(each) * 64)
      counts[bin] = (counts[bin] ?? Number.NaN) + 1
    }
    const expected = dim / 64
    const chiSquare = counts.reduce((sum, count) => sum + ((count - expected) * (count - expected)) / expected, 0)
    // 63 degrees of freedom: mean 63, standard deviation sqrt(126).
    expect(chiSquare).toBeLessThan(63 + 4 * Math.sqrt(126))
  })

  test.each([1, 2, 3, 4, 5, 8, 4096])('are uncorrelated at lag %i, and so are their squares', (lag) => {
    const count = dim - lag
    let products = 0
    let squares = 0
    for (let i = 0; i < count; i++) {
      const a = z[i] as number
      const b = z[i + lag] as number
      products += a * b
      squares += (a * a - 1) * (b * b - 1)
    }
    expect(Math.abs(products)).toBeLessThan(4 * Math.sqrt(count))
    expect(Math.abs(squares)).toBeLessThan(4 * 2 * Math.sqrt(count))
  })

  test.each([
    ['the next row', { ...at, row: 1 }],
    ['the next iteration', { ...at, iteration: 2 }],
    ['another seed', { ...at, seed: 2 }],
    ['a seed that differs above 2^32', { ...at, seed: 1 + 4294967296 }],
  ])('are independent of those of %s', (_, other) => {
    const w = row(other, dim)
    let products = 0
    for (let i = 0; i < dim; i++) products += (z[i] as number) * (w[i] as number)
    expect(Math.abs(products)).toBeLessThan(4 * Math.sqrt(dim))
  })

  test('are finite float32 numbers', () => {
    expect(z.every((each) => Number.isFinite(each) && Math.fround(each) === each)).toBe(true)
  })
})

test.each([1, 2, 3, 4, 5, 7, 8, 9, 15, 4095, 4096, 4097, 8191, 8193, 10_001])(
  'the squared norm of %i normals is their sum of squares',
  (length) => {
    const direct = row(at, length).reduce((sum, each) => sum + each * each, 0)
    expect(Math.abs(scalarKernels.normalsSquared(at, length) / direct - 1)).toBeLessThan(1e-6)
  },
)

test('a shorter row is the beginning of a longer one', () => {
  const long = row(at, 5000)
  for (const length of [1, 3, 8, 13, 4095, 4096, 4097]) expect(row(at, length)).toEqual(long.slice(0, length))
})

test('tiles can be made alone and in any order', () => {
  const whole = row(at, 3 * tileSize)
  const tile = new Float32Array(tileSize)
  for (const index of [2, 0, 1]) {
    scalarKernels.normals(at, index, tileSize, tile)
    expect(Float64Array.from(tile)).toEqual(whole.slice(index * tileSize, (index + 1) * tileSize))
  }
})

test('writes no more than the whole steps of eight that the count needs', () => {
  const room = new Float32Array(32).fill(7)
  normalTile(at, 0, 9, room)
  expect(Array.from(room.subarray(16))).toEqual(new Array(16).fill(7))
})

function row(address: typeof at, length: number): Float64Array {
  const into = new Float64Array(length)
  scalarKernels.perturb(new Float64Array(length), 1, address, into, 0)
  return into
}

/** The distribution function of the standard normal by a power series (Marsaglia 2004): exact enough for counting. */
function normalDistribution(x: number): number {
  let sum = x
  let term = x
  for (let i = 3; Math.abs(term) > 1e-15; i += 2) {
    term *= (x * x) / i
    sum += term
  }
  return Math.min(Math.max(0.5 + sum * Math.exp(-0.5 * x * x) * 0.3989422804014327, 0), 1 - 1e-12)
}
