import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Precision, Vector } from './kernels.ts'
import { randomUniform } from './random.ts'
import { scalarKernels as kernels } from './scalar.ts'

const at = { seed: 3, iteration: 2, row: 1 }
const precisions: Precision[] = ['float64', 'float32']
const lengths = [1, 3, 4, 5, 8, 11, 4096, 4099]

describe.each(precisions)('in %s', (precision) => {
  const vector = (...values: number[]): Vector => {
    const made = kernels.allocate(values.length, precision)
    made.set(values)
    return made
  }
  const noise = (length: number, row: number): Vector =>
    vector(...Array.from({ length }, (_, i) => 2 * randomUniform({ ...at, row }, 'noise', i) - 1))

  test('allocates zeros of that precision', () => {
    const made = kernels.allocate(3, precision)
    expect(made).toEqual(precision === 'float32' ? new Float32Array(3) : new Float64Array(3))
  })

  test.each(lengths)('perturb writes x + scale z for %i coordinates and touches nothing else', (length) => {
    const x = noise(length, 0)
    const z = new Float64Array(length)
    kernels.perturb(new Float64Array(length), 1, at, z, 0)
    const into = new Float64Array(length + 5).fill(-7)
    kernels.perturb(x, 0.25, at, into, 3)
    expect(Array.from(into.subarray(0, 3))).toEqual([-7, -7, -7])
    expect(Array.from(into.subarray(length + 3))).toEqual([-7, -7])
    const round = precision === 'float32' ? Math.fround : Number
    const expected = z.map((each, i) => round((x[i] as number) + round(0.25 * each)))
    expect(into.slice(3, length + 3)).toEqual(expected)
  })

  test.each(lengths)('a row written and then accumulated gives the bits of accumulateNormals (%i)', (length) => {
    const x = noise(length, 0)
    const before = noise(length, 5)
    const ahead = kernels.allocate(length, precision)
    const behind = kernels.allocate(length, precision)
    for (const antithetic of [false, true]) {
      const [scale, weight] = [1.7e-3, -31.7]
      const remade = before.slice()
      kernels.accumulateNormals(x, scale, at, weight, antithetic, remade)
      const kept = before.slice()
      kernels.perturb(x, scale, at, ahead, 0)
      kernels.perturb(x, -scale, at, behind, 0)
      kernels.accumulateRow(ahead, antithetic ? behind : x, weight, kept)
      expect(remade).toEqual(kept)
      expect(remade).not.toEqual(before)
    }
  })

  test('accumulates the step the objective saw, not the one that was meant', () => {
    // 1e18 + 1e-3 is 1e18 again: the objective saw no step at all.
    const gradient = vector(0, 0)
    kernels.accumulateNormals(vector(1e18, 1e18), 1e-3, at, 1e3, false, gradient)
    expect(Array.from(gradient)).toEqual([0, 0])
  })

  test('average keeps the share beta of the past', () => {
    const average = vector(1, -2, 0)
    kernels.average(average, vector(3, 4, 0), 0.75)
    expect(Array.from(average)).toEqual([1.5, -0.5, 0])
  })

  test('average flushes what is too small to mean anything', () => {
    const tiny = precision === 'float32' ? 1e-30 : 1e-290
    const average = vector(tiny, -tiny, 4 * tiny)
    kernels.average(average, vector(0, 0, 0), 0.5)
    expect(Array.from(average.subarray(0, 2))).toEqual([0, 0])
    expect(average[2]).toBeGreaterThan(tiny)
  })

  test('moments are those of Algorithm 1', () => {
    const moments = { first: vector(1, 0), second: vector(4, 1), maximum: vector(5, 0.5) }
    kernels.moments(moments, vector(2, -2), 0.5, 0.25)
    expect(Array.from(moments.first)).toEqual([1.5, -1])
    expect(Array.from(moments.second)).toEqual([4, 3.25])
    expect(Array.from(moments.maximum)).toEqual([5, 3.25])
  })

  test('moments without a maximum leave the second moment to fall', () => {
    const second = vector(4)
    kernels.moments({ first: vector(0), second, maximum: null }, vector(0), 0, 0.25)
    expect(Array.from(second)).toEqual([1])
  })

  test('the maximum never falls and the second moment is never negative', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -1e3, max: 1e3, noNaN: true }), { minLength: 1, maxLength: 20 }),
        (steps) => {
          const moments = { first: vector(0), second: vector(1e-5), maximum: vector(1e-5) }
          let maximum = 0
          for (const g of steps) {
            kernels.moments(moments, vector(g), 0.9, 0.3)
            expect(moments.second[0]).toBeGreaterThanOrEqual(0)
            expect(moments.maximum[0]).toBeGreaterThanOrEqual(Math.max(maximum, moments.second[0] as number))
            maximum = moments.maximum[0] as number
          }
        },
      ),
      { numRuns: 100, seed: 1 },
    )
  })

  test('sign(0) is 0, whatever the sign of the zero, and sign of no number is 0', () => {
    const direction = vector(3, -0.5, 0, -0, Number.NaN, 1e-40)
    kernels.sign(direction)
    expect(Array.from(direction)).toEqual([1, -1, 0, 0, 0, 1])
  })

  describe('advance', () => {
    const advanced = (x: number, rate: number, move: number, squares?: number, bounds?: [number, number]): number => {
      const point = vector(x)
      const [lower, upper] = bounds === undefined ? [null, null] : [vector(bounds[0]), vector(bounds[1])]
      kernels.advance(point, rate, vector(move), squares === undefined ? null : vector(squares), lower, upper)
      return point[0] as number
    }

    test('subtracts rate times direction', () => {
      expect(advanced(1, 0.5, 3)).toBe(-0.5)
    })

    test('divides by the root of the squares', () => {
      expect(advanced(1, 0.5, 3, 4)).toBe(0.25)
    })

    test('counts 0 / 0 as 0', () => {
      expect(advanced(1, 0.5, 0, 0)).toBe(1)
    })

    test.each([
      ['a division by 0', 1, 0.5, 3, 0],
      ['a direction that is not a number', 1, 0.5, Number.NaN, 4],
      ['an infinite direction', 1, 0.5, -Infinity, 4],
      ['an overflow', -1e38, 1e308, 1e38, 1],
      ['squares that are not a number', 1, 0.5, 3, Number.NaN],
    ])('leaves a coordinate alone at %s', (_, x, rate, move, squares) => {
      const before = vector(x)[0]
      expect(advanced(x, rate, move, squares)).toBe(before)
    })

    test('does not move where the squares are infinite', () => {
      expect(advanced(1, 0.5, 3, Infinity)).toBe(1)
    })

    test('clips to the bounds, and a coordinate that was outside even without moving', () => {
      expect(advanced(1, 0.5, 3, undefined, [0.25, 2])).toBe(0.25)
      expect(advanced(1, 0.5, -3, undefined, [0.25, 2])).toBe(2)
      expect(advanced(5, 0.5, 0, undefined, [0.25, 2])).toBe(2)
      expect(advanced(5, 0.5, Number.NaN, undefined, [0.25, 2])).toBe(2)
      expect(advanced(1, 0.5, 3, undefined, [-Infinity, Infinity])).toBe(-0.5)
    })

    test('keeps coordinates apart', () => {
      const point = vector(1, 2, 3)
      kernels.advance(point, 1, vector(0.5, Number.NaN, 0.5), vector(1, 1, 4), vector(-9, -9, 2.875), vector(0, 9, 9))
      expect(Array.from(point)).toEqual([0, 2, 2.875])
    })
  })
})

describe('float32', () => {
  test('rounds after every operation, as 32-bit lanes do', () => {
    const point = Float32Array.of(1.1)
    kernels.advance(point, 0.1, Float32Array.of(0.3), Float32Array.of(0.7), null, null)
    const r = Math.fround
    expect(point[0]).toBe(r(r(1.1) - r(r(0.1) * r(r(0.3) / r(Math.sqrt(r(0.7)))))))
    const average = Float32Array.of(0.1)
    kernels.average(average, Float32Array.of(0.2), 0.9)
    expect(average[0]).toBe(r(r(r(0.9) * r(0.1)) + r(r(1 - 0.9) * r(0.2))))
  })

  test('is not what rounding once at the end would give', () => {
    // Over many inputs the two must differ somewhere, or the lanes of a vector kernel could not be matched.
    let different = 0
    for (let i = 0; i < 1000; i++) {
      const g = Math.fround(randomUniform(at, 'data', i))
      const v = Math.fround(randomUniform(at, 'noise', i))
      const point = Float32Array.of(0)
      kernels.advance(point, 0.1, Float32Array.of(g), Float32Array.of(v), null, null)
      if (point[0] !== Math.fround((-0.1 * g) / Math.sqrt(v))) different++
    }
    expect(different).toBeGreaterThan(100)
  })
})

describe('dot', () => {
  test('adds in four lanes, then the lanes in pairs, then the rest', () => {
    const a = Float64Array.from({ length: 11 }, (_, i) => randomUniform(at, 'data', i))
    const b = Float64Array.from({ length: 11 }, (_, i) => randomUniform(at, 'noise', i))
    const p = Array.from(a, (each, i) => each * (b[i] as number)) as [number, ...number[]]
    const lane = (i: number): number => (p[i] as number) + (p[i + 4] as number)
    const expected = lane(0) + lane(1) + (lane(2) + lane(3)) + (p[8] as number) + (p[9] as number) + (p[10] as number)
    expect(kernels.dot(a, b)).toBe(expected)
  })

  test('in an order that matters', () => {
    // One after the other 1e16 swallows each 1; the lanes keep them.
    const ones = Float64Array.from({ length: 8 }, () => 1)
    expect(kernels.dot(Float64Array.of(1e16, 1, 1, 1, -1e16, 1, 1, 1), ones)).toBe(6)
  })

  test('the lanes in pairs, not one after the other', () => {
    // One after the other 1 swallows each half unit in the last place; two of them together it does not.
    const half = Number.EPSILON / 2
    expect(kernels.dot(Float64Array.of(1, half, half, half), Float64Array.of(1, 1, 1, 1))).toBe(1 + Number.EPSILON)
  })

  test('sums float32 vectors in float64', () => {
    expect(kernels.dot(Float32Array.of(1, 1 / 1048576), Float32Array.of(1, 1 / 1048576))).toBe(
      1 + 1 / 1048576 / 1048576,
    )
  })

  test('of nothing is 0', () => {
    expect(kernels.dot(new Float64Array(0), new Float64Array(0))).toBe(0)
  })
})
