import fc from 'fast-check'
import { expect, test } from 'vitest'
import { boxTrustStep } from './trust-steps.ts'
import { dot, multiply, norm } from './vectors.ts'

const number = fc.integer({ min: -300, max: 300 }).map((each) => each / 100)

function modelAt(gradient: Float64Array, hessian: Float64Array, d: Float64Array): number {
  const product = new Float64Array(d.length)
  multiply(hessian, d, product)
  return dot(gradient, d) + 0.5 * dot(d, product)
}

const problem = fc.integer({ min: 1, max: 6 }).chain((n) =>
  fc.record({
    gradient: fc.array(number, { minLength: n, maxLength: n }).map((list) => Float64Array.from(list)),
    half: fc.array(number, { minLength: n * n, maxLength: n * n }),
    below: fc.array(fc.constantFrom(0, 0.2, 1, Infinity), { minLength: n, maxLength: n }),
    above: fc.array(fc.constantFrom(0, 0.3, 2, Infinity), { minLength: n, maxLength: n }),
    radius: fc.constantFrom(0.1, 1, 10),
  }),
)

test('steps keep bounds and radius, and lower the model at least as much as the best step along the gradient', () => {
  fc.assert(
    fc.property(problem, ({ gradient, half, below, above, radius }) => {
      const n = gradient.length
      const hessian = Float64Array.from({ length: n * n }, (_, k) => {
        const i = Math.floor(k / n)
        const j = k % n
        return ((half[i * n + j] as number) + (half[j * n + i] as number)) / 2
      })
      const limits = { below: Float64Array.from(below, (each) => -each), above: Float64Array.from(above) }
      const { step } = boxTrustStep({ gradient, hessian, ...limits, radius })
      expect(norm(step)).toBeLessThanOrEqual(radius * (1 + 1e-9))
      expect(step.every((d, i) => d >= (limits.below[i] as number) && d <= (limits.above[i] as number))).toBe(true)
      const free = gradient.map((g, i) => ((g > 0 ? below[i] : above[i]) === 0 ? 0 : -g))
      const most = free.reduce(
        (t, d, i) => {
          const room = ((d < 0 ? below[i] : above[i]) as number) / Math.abs(d)
          return d === 0 ? t : Math.min(t, room)
        },
        radius / Math.max(norm(free), 1e-300),
      )
      const tried = [0.1, 0.3, 0.6, 1].map((t) =>
        modelAt(
          gradient,
          hessian,
          free.map((d) => t * most * d),
        ),
      )
      expect(modelAt(gradient, hessian, step)).toBeLessThanOrEqual(Math.min(...tried) + 1e-9)
    }),
    { seed: 5, numRuns: 300 },
  )
})

test('a convex model is minimised where radius and bounds allow it', () => {
  const hessian = Float64Array.of(4, 1, 1, 3)
  const gradient = Float64Array.of(-1, -2)
  const wide = new Float64Array(2).fill(Infinity)
  const open = { below: wide.map((each) => -each), above: wide, radius: 10 }
  const { step, curvature } = boxTrustStep({ gradient, hessian, ...open })
  expect(step[0]).toBeCloseTo(1 / 11)
  expect(step[1]).toBeCloseTo(7 / 11)
  expect(curvature).toBeGreaterThan(2)
  const boxed = boxTrustStep({ gradient, hessian, ...open, above: Float64Array.of(1, 0.5) })
  expect(Array.from(boxed.step)).toEqual([0.125, 0.5])
})

test('negative curvature leads to the radius', () => {
  const hessian = Float64Array.of(-2, 0, 0, 1)
  const wide = new Float64Array(2).fill(9)
  const model = {
    gradient: Float64Array.of(0.1, 0.1),
    hessian,
    below: wide.map((each) => -each),
    above: wide,
    radius: 2,
  }
  const { step, curvature } = boxTrustStep(model)
  expect(norm(step)).toBeCloseTo(2)
  expect(curvature).toBe(0)
  expect(step[0]).toBeLessThan(-1.99)
})
