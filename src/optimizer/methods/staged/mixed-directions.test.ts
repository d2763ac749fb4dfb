import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Vector } from '../../core/types.ts'
import type { Coordinates } from './coordinates.ts'
import { type Along, addSlope, mixedDirections, pointsAlong, shuffled } from './mixed-directions.ts'

const dim = 21
const sizes = new Float64Array(dim).fill(1)

/** A sweep as a dense matrix, one direction per row. */
function dense(lengths: Vector, group: number, number = 0): number[][] {
  const { starts, coordinates, amplitudes } = mixedDirections({ seed: 5, number, group, sizes: lengths }, 0, dim)
  return Array.from({ length: dim }, (_, j) => {
    const row = new Array<number>(dim).fill(0)
    for (let k = starts[j] as number; k < (starts[j + 1] as number); k++) {
      row[coordinates[k] as number] = amplitudes[k] as number
    }
    return row
  })
}

const product = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, each, i) => sum + each * (b[i] as number), 0)

test.each([1, 4, 16])('a sweep with groups of %i is a whole orthonormal basis', (group) => {
  const rows = dense(sizes, group)
  rows.forEach((a, i) => {
    rows.forEach((b, j) => {
      expect(product(a, b)).toBeCloseTo(i === j ? 1 : 0, 12)
    })
    expect([1, group]).toContain(a.filter((each) => each !== 0).length)
  })
})

test('amplitudes follow the sizes of the coordinates', () => {
  const lengths = sizes.map((_, i) => i + 1)
  const [plain, scaled] = [dense(sizes, 4), dense(lengths, 4)]
  scaled.forEach((row, j) => {
    for (const [i, each] of row.entries()) expect(each).toBe((plain[j]?.[i] as number) * (i + 1))
  })
})

test('a block is a part of its sweep, and another sweep is another basis', () => {
  const whole = mixedDirections({ seed: 5, number: 0, group: 4, sizes }, 0, dim)
  const part = mixedDirections({ seed: 5, number: 0, group: 4, sizes }, 6, 3)
  const from = whole.starts[6] as number
  expect(part.coordinates).toEqual(whole.coordinates.slice(from, from + 12))
  expect(dense(sizes, 4, 1)).not.toEqual(dense(sizes, 4, 0))
})

describe('slopes', () => {
  const free: Coordinates = { dim, bounds: undefined, typical: sizes, round: (value) => value, unit: 2 ** -53 }
  const gradient = sizes.map((_, i) => i - 10)
  const value = (x: ArrayLike<number>): number =>
    gradient.reduce((sum, each, i) => sum + each * ((x[i] as number) - 0.5), 0)

  function found(at: Coordinates, x: Float64Array, central: boolean, project: Along['project'] = null): Float64Array {
    const directions = mixedDirections({ seed: 5, number: 0, group: 4, sizes }, 0, dim)
    const along: Along = { x, directions, steps: new Float64Array(dim).fill(0.01), central, project }
    const batch = pointsAlong(at, along)
    const values = Array.from({ length: batch.rows }, (_, row) => {
      const point = new Float64Array(dim)
      batch.write(row, point, 0)
      if (at.bounds !== undefined) expect(Math.max(...point)).toBeLessThanOrEqual(0.5)
      return value(point)
    })
    const into = new Float64Array(dim)
    for (let j = 0; j < dim; j++) {
      const change = central
        ? (values[2 * j] as number) - (values[2 * j + 1] as number)
        : (values[j] as number) - value(x)
      addSlope(at, along, j, change, sizes, into, [new Float64Array(dim), new Float64Array(dim)])
    }
    return into
  }

  test.each([false, true])('of a whole sweep add up to the gradient (central: %s)', (central) => {
    found(free, new Float64Array(dim), central).forEach((each, i) => {
      expect(each).toBeCloseTo(gradient[i] as number, 9)
    })
  })

  test('are those of the steps that bounds leave', () => {
    const bounds = { lower: new Float64Array(dim).fill(-1), upper: new Float64Array(dim).fill(0.5) }
    const x = new Float64Array(dim).fill(0.5)
    const clip = (z: Vector): void => z.forEach((each, i) => (z[i] = Math.min(each, 0.5)))
    const clipped = found({ ...free, bounds }, x, false)
    // The projection of the whole point onto the box is the same thing, the long way.
    found(free, x, false, clip).forEach((each, i) => {
      expect(each).toBeCloseTo(clipped[i] as number, 12)
    })
    expect(product(Array.from(clipped), Array.from(gradient))).toBeGreaterThan(0)
  })
})

describe('shuffled', () => {
  const all = (length: number, seed: number, iteration = 0): number[] => {
    const order = shuffled(length, { seed, iteration, row: 0 })
    return Array.from({ length }, (_, i) => order(i))
  }

  test('every number comes once, whatever the length and the seed', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 700 }), fc.nat(), (length, seed) => {
        const sorted = all(length, seed).sort((a, b) => a - b)
        expect(sorted).toEqual(Array.from({ length }, (_, i) => i))
      }),
      { numRuns: 40 },
    )
  })

  test('the order is that of its address', () => {
    expect(all(100, 3)).toEqual(all(100, 3))
    expect(all(100, 3)).not.toEqual(all(100, 4))
    expect(all(100, 3, 1)).not.toEqual(all(100, 3))
  })

  test('a number is as likely to come first as any other', () => {
    const counts = new Float64Array(10)
    for (let seed = 0; seed < 5000; seed++) {
      const first = shuffled(10, { seed, iteration: 0, row: 0 })(0)
      counts[first] = (counts[first] as number) + 1
    }
    // 9 degrees of freedom: above 33.7 in 1 of 10,000 cases.
    expect(counts.reduce((sum, count) => sum + (count - 500) ** 2 / 500, 0)).toBeLessThan(33.7)
  })

  test('an order of ten million numbers takes no memory for them', () => {
    const order = shuffled(10_000_000, { seed: 1, iteration: 0, row: 0 })
    const seen = new Set(Array.from({ length: 1000 }, (_, i) => order(i * 9973)))
    expect(seen.size).toBe(1000)
    expect(Math.max(...seen)).toBeLessThan(10_000_000)
  })
})
