import { expect, test } from 'vitest'
import { denseCurvature, limitedCurvature } from './curvature.ts'
import type { Coordinates } from './staged/coordinates.ts'

const space = (bounds?: Coordinates['bounds']): Coordinates => ({
  dim: 2,
  bounds,
  typical: Float64Array.of(1, 1),
  round: (value) => value,
  unit: 2 ** -53,
})
const box = { lower: Float64Array.of(0, 0), upper: Float64Array.of(1, 1) }

const kinds = [
  ['a dense matrix', denseCurvature],
  ['a diagonal with pairs', (at: Coordinates) => limitedCurvature(at, 3)],
] as const

for (const [name, make] of kinds) {
  test(`${name} steps to where its diagonal model is lowest`, () => {
    const curvature = make(space())
    expect(curvature.isKnown).toBe(false)
    curvature.begin(Float64Array.of(4, -0.5))
    expect(curvature.isKnown).toBe(true)
    expect(curvature.along(1)).toBe(0.5)
    const step = curvature.step(Float64Array.of(2, 1), new Float64Array(2))
    expect(step?.[0]).toBeCloseTo(-0.5, 14)
    expect(step?.[1]).toBeCloseTo(-2, 14)
  })

  test(`${name} learns how the gradient changes along a move`, () => {
    const curvature = make(space())
    curvature.begin(Float64Array.of(1, 1))
    curvature.learn(Float64Array.of(1, 1), Float64Array.of(5, 2))
    // Against the change that a move of (-1, -1) makes, it takes that move.
    const step = curvature.step(Float64Array.of(5, 2), new Float64Array(2))
    expect(step?.[0]).toBeCloseTo(-1, 12)
    expect(step?.[1]).toBeCloseTo(-1, 12)
  })

  test(`${name} leaves a coordinate at the bound that holds it back`, () => {
    const curvature = make(space(box))
    curvature.begin(Float64Array.of(1, 1))
    const step = curvature.step(Float64Array.of(0.5, -0.5), Float64Array.of(0, 0.25))
    expect(step?.[0]).toBeCloseTo(0, 14)
    expect(step?.[1]).toBeCloseTo(0.5, 12)
  })

  test(`${name} has no step where the gradient is 0`, () => {
    const curvature = make(space())
    curvature.begin(Float64Array.of(1, 1))
    expect(curvature.step(new Float64Array(2), new Float64Array(2))).toBeNull()
  })

  test(`${name} goes half the way to other magnitudes`, () => {
    const curvature = make(space())
    curvature.begin(Float64Array.of(1, 3))
    curvature.blend(Float64Array.of(3, 3))
    expect([curvature.along(0), curvature.along(1)]).toEqual([2, 3])
  })
}

test('the pairs need (2 pairs + 1) d numbers', () => {
  const { vectors } = limitedCurvature({ ...space(), dim: 50 }, 10).memory
  expect(Object.values(vectors ?? {}).reduce((sum, vector) => sum + vector.length, 0)).toBe(21 * 50)
})
