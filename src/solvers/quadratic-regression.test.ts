import { expect, test } from 'vitest'
import { randomUniform } from '../kernels/random.ts'
import { askedPoints } from '../staged/asked-points.ts'
import { noiseLevel } from '../staged/noise-level.ts'
import { denseCurvature } from './curvature.ts'
import type { RegressionGround } from './nearby-quadratic.ts'
import { QuadraticRegression } from './quadratic-regression.ts'

const f = (x: ArrayLike<number>): number => {
  const [u, v] = [(x[0] as number) - 0.3, (x[1] as number) + 0.2]
  return u * u + u * v + 3 * v * v
}
const noise = (row: number): number => 0.02 * (randomUniform({ seed: 4, iteration: 0, row }, 'noise', 0) - 0.5)

function groundOf(left = Infinity): RegressionGround {
  const at = { dim: 2, bounds: undefined, typical: Float64Array.of(1, 1), round: (x: number) => x, unit: 2 ** -53 }
  const level = noiseLevel()
  level.add([0, 0.008])
  const curvature = denseCurvature(at)
  curvature.begin(Float64Array.of(2, 6))
  const asked = askedPoints(2, 500)
  for (let row = 0; row < 12; row++) {
    const x = Float64Array.of(0.1 * ((row % 4) - 1), 0.1 * ((row >> 2) - 1))
    asked.add(x, Float64Array.of(f(x) + noise(row)))
  }
  return {
    at,
    noise: level,
    curvature,
    asked,
    center: new Float64Array(2),
    state: { value: f([0, 0]), answers: 2 },
    left: () => left,
  }
}

/** Performs batches; returns the rows of each. */
function perform(
  ground: RegressionGround,
  regression: QuadraticRegression,
  batches: number,
  failing = false,
): number[] {
  const rows: number[] = []
  for (let k = 0; k < batches; k++) {
    const work = regression.batch({ seed: 1, iteration: k })
    for (let next = work.next(); next.done !== true; ) {
      const batch = next.value
      const points = new Float64Array(2 * batch.rows)
      for (let row = 0; row < batch.rows; row++) batch.write(row, points, 2 * row)
      const values = Float64Array.from({ length: batch.rows }, (_, row) =>
        failing ? Number.NaN : f(points.subarray(2 * row, 2 * row + 2)) + noise(1000 * k + row + 50),
      )
      rows.push(batch.rows)
      next = work.next(values)
      ground.asked.add(points, values)
    }
  }
  return rows
}

test('moves to the minimum, and its answer is surer than single answers', () => {
  const ground = groundOf()
  const regression = new QuadraticRegression(ground)
  regression.begin()
  perform(ground, regression, 30)
  // The noise of a single answer is about 0.006.
  expect(f(regression.answer)).toBeLessThan(0.002)
  expect(f(regression.lowest(6) as Float64Array)).toBeLessThan(0.002)
})

test('a batch has the lowest point, three drawn ones and two spread; each fourth time the center twice', () => {
  const ground = groundOf()
  const regression = new QuadraticRegression(ground)
  regression.begin()
  expect(perform(ground, regression, 4)).toEqual([6, 6, 6, 6, 2])
})

test('a batch fits into what is left', () => {
  for (const left of [1, 2, 4, 5]) {
    const ground = groundOf(left)
    const regression = new QuadraticRegression(ground)
    regression.begin()
    expect(perform(ground, regression, 1)).toEqual([left])
  }
})

test('a batch of which all queries fail moves nothing and makes the region smaller', () => {
  const ground = groundOf()
  const regression = new QuadraticRegression(ground)
  regression.begin()
  perform(ground, regression, 1, true)
  expect(Array.from(ground.center)).toEqual([0, 0])
  expect(regression.memory.state?.radius).toBeCloseTo(3.6, 12)
})

test('its turn ends with a positive definite matrix that knows the coupling', () => {
  const ground = groundOf()
  const regression = new QuadraticRegression(ground)
  regression.begin()
  perform(ground, regression, 30)
  regression.end()
  const [a, b, , c] = ground.curvature.matrix as unknown as [number, number, number, number]
  expect(a * c - b * b).toBeGreaterThan(0)
  expect(b).toBeGreaterThan(0.3)
})
