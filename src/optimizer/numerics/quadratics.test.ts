import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { randomUniform } from '../kernels/random.ts'
import { quadraticStep } from './matrices.ts'
import {
  believe,
  hessianOf,
  lowestWithin,
  normalEquations,
  posterior,
  quadraticSize,
  quadraticValue,
  recenter,
  takeIn,
  writeMonomials,
} from './quadratics.ts'
import { diagonal, dot, multiply, norm } from './vectors.ts'

describe('full quadratic', () => {
  /** 1 + 2 u - 3 v + (4 u^2 + 2 u v + 6 v^2) / 2, in the order value, gradient, upper triangle. */
  const quadratic = Float64Array.of(1, 2, -3, 4, 1, 6)

  test('has a number for the value, each slope, and each entry of the upper triangle', () => {
    expect([1, 2, 9, 30].map(quadraticSize)).toEqual([3, 6, 55, 496])
    expect(Array.from(hessianOf(quadratic, 2))).toEqual([4, 1, 1, 6])
  })

  test('its value is its product with the monomials', () => {
    const monomials = new Float64Array(6)
    writeMonomials([0.5, -2], 2, monomials)
    expect(quadraticValue(quadratic, 2, [0.5, -2])).toBe(1 + 1 + 6 + (1 - 2 + 24) / 2)
    expect(dot(monomials, quadratic)).toBe(quadraticValue(quadratic, 2, [0.5, -2]))
  })

  test('is the same function from another origin', () => {
    const moved = recenter(quadratic.slice(), 2, Float64Array.of(1, 2))
    for (const [u, v] of [
      [0, 0],
      [1, -1],
      [0.25, 3],
    ] as const) {
      expect(quadraticValue(moved, 2, [u, v])).toBeCloseTo(quadraticValue(quadratic, 2, [u + 1, v + 2]), 12)
    }
  })

  test('is lowest where its gradient is 0, if that is within the radius', () => {
    const lowest = lowestWithin(quadratic, 2, 10)
    expect(lowest[0]).toBeCloseTo(-15 / 23, 12)
    expect(lowest[1]).toBeCloseTo(14 / 23, 12)
  })

  test('the lowest point stays within the radius and near its edge', () => {
    const lowest = lowestWithin(quadratic, 2, 0.5)
    expect(norm(lowest)).toBeLessThanOrEqual(0.5)
    expect(norm(lowest)).toBeGreaterThan(0.3)
    expect(quadraticValue(quadratic, 2, lowest)).toBeLessThan(0)
  })

  test('a saddle is left downhill', () => {
    const saddle = Float64Array.of(0, 0.1, 0, -2, 0, 1)
    const lowest = lowestWithin(saddle, 2, 3)
    expect(lowest[0]).toBeLessThan(-0.05)
    expect(quadraticValue(saddle, 2, lowest)).toBeLessThan(-0.01)
    expect(norm(lowest)).toBeLessThanOrEqual(3)
  })
})

describe('bayesian regression', () => {
  const random = (row: number, index: number): number =>
    randomUniform({ seed: 1, iteration: 0, row }, 'data', index) - 0.5

  /** Rows, and their answers by the numbers 1, 2, 3, ... */
  function data(size: number, count: number): { rows: Float64Array; answers: Float64Array } {
    const rows = Float64Array.from({ length: count * size }, (_, k) => random(Math.floor(k / size), k % size))
    const answers = new Float64Array(count)
    multiply(
      rows,
      Float64Array.from({ length: size }, (_, i) => i + 1),
      answers,
    )
    return { rows, answers }
  }

  test.each([1, 4, 5, 11])('finds %i numbers from answers that follow from them', (size) => {
    const equations = normalEquations(size)
    believe(equations, new Float64Array(size), new Float64Array(size).fill(1e-12))
    const { rows, answers } = data(size, 3 * size + 1)
    takeIn(equations, rows, answers, new Float64Array(answers.length).fill(2))
    const found = posterior(equations, new Float64Array(size * size))
    found?.mean.forEach((value, i) => expect(value).toBeCloseTo(i + 1, 6))
    expect(found?.mean).toHaveLength(size)
  })

  test('answers taken in one by one count as if taken in together', () => {
    const { rows, answers } = data(5, 9)
    const weights = answers.map((_, k) => 1 + k)
    const [together, apart] = [normalEquations(5), normalEquations(5)]
    for (const equations of [together, apart]) believe(equations, new Float64Array(5), new Float64Array(5).fill(1))
    takeIn(together, rows, answers, weights)
    for (let k = 0; k < 9; k++) {
      takeIn(apart, rows.subarray(5 * k, 5 * k + 5), answers.subarray(k, k + 1), weights.subarray(k, k + 1))
    }
    const [one, other] = [together, apart].map((equations) => posterior(equations, new Float64Array(25))?.mean)
    one?.forEach((value, i) => expect(value).toBeCloseTo(other?.[i] as number, 10))
  })

  test('weighs what was believed against what was answered', () => {
    const equations = normalEquations(1)
    believe(equations, Float64Array.of(10), Float64Array.of(3))
    takeIn(equations, Float64Array.of(1), Float64Array.of(20), Float64Array.of(1))
    const found = posterior(equations, new Float64Array(1))
    expect(found?.mean[0]).toBeCloseTo(12.5, 12)
    expect(found?.factor[0]).toBe(2)
  })

  test('the factor belongs to the precision', () => {
    const equations = normalEquations(11)
    believe(equations, new Float64Array(11), new Float64Array(11).fill(0.5))
    const { rows, answers } = data(11, 30)
    takeIn(equations, rows, answers, new Float64Array(30).fill(1))
    const l = new Float64Array(121)
    posterior(equations, l)
    for (let i = 0; i < 11; i++) {
      for (let j = 0; j <= i; j++) {
        let sum = 0
        for (let k = 0; k < 11; k++) sum += (l[i * 11 + k] as number) * (l[j * 11 + k] as number)
        expect(sum).toBeCloseTo(equations.precision[i * 11 + j] as number, 10)
      }
    }
  })

  test('numbers that overflow give nothing', () => {
    const equations = normalEquations(1)
    believe(equations, Float64Array.of(0), Float64Array.of(1))
    takeIn(equations, Float64Array.of(1e200), Float64Array.of(1), Float64Array.of(1))
    expect(posterior(equations, new Float64Array(1))).toBeNull()
  })
})

describe('the lowest point within bounds', () => {
  const vector = (...entries: number[]): Float64Array => Float64Array.from(entries)

  describe('without bounds', () => {
    test('the step is that of Newton', () => {
      const step = quadraticStep(vector(4, 0, 0, 16), vector(4, -32), undefined)
      expect(step && [...step]).toEqual([-1, 2])
    })

    test('there is none where the matrix is not positive definite, or the gradient is 0', () => {
      expect(quadraticStep(vector(1, 2, 2, 1), vector(1, 1), undefined)).toBeNull()
      expect(quadraticStep(vector(1, 0, 0, 1), vector(0, 0), undefined)).toBeNull()
    })
  })

  describe('within bounds', () => {
    test('a diagonal matrix has the clipped step', () => {
      const bounds = { below: vector(-0.5, -1), above: vector(1, 1) }
      const step = quadraticStep(diagonal(vector(4, 16)), vector(4, -32), bounds)
      expect(step && [...step]).toEqual([-0.5, 1])
    })

    test('a coordinate that cannot move stays', () => {
      const bounds = { below: vector(0, -9), above: vector(0, 9) }
      const step = quadraticStep(vector(4, 1, 1, 4), vector(-5, -4), bounds)
      expect(step && [...step]).toEqual([0, 1])
    })

    test('bounds may be infinite', () => {
      const bounds = { below: vector(-Infinity, -0.25), above: vector(Infinity, Infinity) }
      const step = quadraticStep(vector(4, 0, 0, 4), vector(8, 8), bounds)
      expect(step && [...step]).toEqual([-2, -0.25])
    })

    test('the conditions of a minimum hold: no free coordinate has a slope, no bound holds back a descent', () => {
      const numbers = (n: number, size: number) =>
        fc.array(fc.double({ min: -size, max: size, noNaN: true }), { minLength: n, maxLength: n })
      const problems = fc
        .integer({ min: 1, max: 6 })
        .chain((n) => fc.tuple(fc.constant(n), numbers(n * n, 1), numbers(n, 5)))
      fc.assert(
        fc.property(problems, ([n, m, gradient]) => {
          const b = new Float64Array(n * n)
          for (let i = 0; i < n; i++) {
            for (let j = 0; j < n; j++) {
              let sum = i === j ? 1 : 0
              for (let k = 0; k < n; k++) sum += (m[i * n + k] as number) * (m[j * n + k] as number)
              b[i * n + j] = sum
            }
          }
          const g = Float64Array.from(gradient)
          const p = quadraticStep(b, g, { below: new Float64Array(n).fill(-1), above: new Float64Array(n).fill(0.5) })
          if (p === null) {
            expect(dot(g, g)).toBeLessThan(1e-20)
            return
          }
          const slope = new Float64Array(n)
          multiply(b, p, slope)
          for (let i = 0; i < n; i++) {
            const [at, q] = [p[i] as number, (slope[i] as number) + (g[i] as number)]
            expect(at >= -1 && at <= 0.5).toBe(true)
            if (at > -1) expect(q).toBeLessThan(1e-8)
            if (at < 0.5) expect(q).toBeGreaterThan(-1e-8)
          }
        }),
      )
    })
  })
})
