import { describe, expect, test } from 'vitest'
import { beginning } from '../../../../test/conformance/directions.ts'
import type { Kernels } from '../../kernels/kernels.ts'
import { scalarKernels } from '../../kernels/scalar.ts'
import { coordinate, given, sphere, writeStep } from './basic.ts'

describe('sphere', () => {
  test.each([1, 2, 3, 7, 8, 9, 100, 4095, 4097, 9001])('directions in %i dimensions have length 1', (dim) => {
    const rows = sphere().start(beginning(dim), 3)
    const u = new Float64Array(dim)
    for (let row = 0; row < 3; row++) {
      rows.write(new Float64Array(dim), 1, { seed: 2, iteration: 5 }, row, u, 0)
      expect(Math.abs(Math.hypot(...u) - 1)).toBeLessThan(1e-6)
    }
  })

  test('their mean is 0', () => {
    const [dim, count] = [3, 3000]
    const rows = sphere().start(beginning(dim), count)
    const sum = new Float64Array(dim)
    const u = new Float64Array(dim)
    for (let row = 0; row < count; row++) {
      rows.write(new Float64Array(dim), 1, { seed: 2, iteration: 5 }, row, u, 0)
      u.forEach((each, i) => {
        sum[i] = (sum[i] as number) + each
      })
    }
    // Four standard errors; the variance of u_i is 1 / d.
    for (const each of sum) expect(Math.abs(each / count)).toBeLessThan(4 / Math.sqrt(dim * count))
  })

  test('a row of nothing but zeros is the point itself, not a division by 0', () => {
    // In one dimension about one row in 2^23 has a normal of exactly 0.
    const zeros: Kernels = {
      ...scalarKernels,
      normalsSquared: () => 0,
      perturb(x, scale, _, into, offset) {
        x.forEach((each, i) => {
          into[offset + i] = each + scale * 0
        })
      },
    }
    const rows = sphere().start(beginning(1, { kernels: zeros }), 1)
    const into = new Float64Array(1)
    rows.write(Float64Array.of(3), 1e-3, { seed: 0, iteration: 1 }, 0, into, 0)
    expect(into[0]).toBe(3)
  })
})

describe('coordinate', () => {
  const key = { seed: 3, iteration: 2 }

  test('moves exactly one coordinate, by exactly the scale', () => {
    const x = Float64Array.of(1, 2, 3, 4, 5, 6)
    const rows = coordinate().start(beginning(6), 40)
    const into = new Float64Array(6)
    for (let row = 0; row < 40; row++) {
      rows.write(x, 0.25, key, row, into, 0)
      const moved = into.map((each, i) => each - (x[i] as number)).filter((each) => each !== 0)
      expect(Array.from(moved)).toEqual([0.25])
    }
  })

  test('draws coordinates evenly and with replacement', () => {
    const [dim, count] = [5, 5000]
    const rows = coordinate().start(beginning(dim), count)
    const counts = new Array<number>(dim).fill(0)
    const into = new Float64Array(dim)
    for (let row = 0; row < count; row++) {
      rows.write(new Float64Array(dim), 1, key, row, into, 0)
      const chosen = into.indexOf(1)
      counts[chosen] = (counts[chosen] as number) + 1
    }
    const expected = count / dim
    const chiSquare = counts.reduce((sum, each) => sum + ((each - expected) * (each - expected)) / expected, 0)
    // 99.9 % quantile with 4 degrees of freedom.
    expect(chiSquare).toBeLessThan(18.47)
  })

  test('takes all of them in order, however many were asked for', () => {
    const rows = coordinate({ all: true }).start(beginning(4), 2)
    expect(rows.count).toBe(4)
    const into = new Float64Array(16)
    for (let row = 0; row < 4; row++) rows.write(new Float64Array(4), 1, key, row, into, 4 * row)
    expect(Array.from(into)).toEqual([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1])
  })

  test('accumulates into its own coordinate only', () => {
    const rows = coordinate({ all: true }).start(beginning(3), 1)
    const gradient = Float64Array.of(10, 20, 30)
    rows.accumulate?.(Float64Array.of(1, 1, 1), 0.5, key, 1, 4, false, gradient)
    expect(Array.from(gradient)).toEqual([10, 22, 30])
    rows.accumulate?.(Float64Array.of(1, 1, 1), 0.5, key, 2, 4, true, gradient)
    expect(Array.from(gradient)).toEqual([10, 22, 34])
  })
})

describe('given', () => {
  test('asks for each direction by iteration, row and dimension', () => {
    const asked: number[][] = []
    const direction = (...address: number[]) => {
      asked.push(address)
      return [3, 4]
    }
    const rows = given({ direction }).start(beginning(2), 2)
    const into = new Float64Array(2)
    rows.write(Float64Array.of(1, 1), 0.5, { seed: 9, iteration: 7 }, 1, into, 0)
    expect(asked).toEqual([[7, 1, 2]])
    expect(Array.from(into)).toEqual([2.5, 3])
  })

  test('scales by the dimension, as for unit vectors, unless told otherwise', () => {
    const direction = () => [1, 0, 0]
    expect(given({ direction }).start(beginning(3), 1).factor).toBe(3)
    expect(given({ direction, factor: 1 }).start(beginning(3), 1).factor).toBe(1)
  })

  describe('says what is wrong with', () => {
    test('a direction of the wrong length', () => {
      const rows = given({ direction: () => [1] }).start(beginning(2), 1)
      expect(() => rows.write(new Float64Array(2), 1, { seed: 0, iteration: 4 }, 3, new Float64Array(2), 0)).toThrow(
        'given.direction returned 1 entries for 2 (iteration 4, row 3)',
      )
    })

    test('a direction that is no function', () => {
      expect(() => given({ direction: [1, 0] as never })).toThrow(
        'given.direction must be a function (iteration, row, dim) that returns a vector, got Array(2)',
      )
    })
  })
})

describe('write step', () => {
  const numbers = (length: number, shift: number) => Float64Array.from({ length }, (_, i) => Math.sin(7 * i + shift))

  test('in float32 every operation is rounded', () => {
    const { fround } = Math
    const [x, u, into] = [Float32Array.from(numbers(50, 1)), numbers(50, 2), new Float64Array(50)]
    writeStep(x, 0.1, u, 0, 50, into, 0)
    into.forEach((each, i) => {
      expect(each).toBe(fround((x[i] as number) + fround(fround(0.1) * fround(u[i] as number))))
    })
    // Rounding only once would be another number somewhere.
    expect(Array.from(into)).not.toEqual(Array.from(x, (each, i) => fround(each + 0.1 * (u[i] as number))))
  })

  test('writes the coordinates from `first` on, behind the offset, and nothing else', () => {
    const into = new Float64Array(6).fill(9)
    writeStep(Float64Array.of(1, 2, 3, 4), 10, Float64Array.of(0.5, -0.5, 7), 1, 2, into, 2)
    expect(Array.from(into)).toEqual([9, 9, 9, 7, -2, 9])
  })
})
