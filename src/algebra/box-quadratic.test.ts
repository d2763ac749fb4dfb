import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { quadraticStep } from './box-quadratic.ts'
import { diagonal, dot, multiply } from './vectors.ts'

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
