import { expect, test } from 'vitest'
import { quadraticSize, quadraticValue } from '../algebra/full-quadratic.ts'
import { randomUniform } from '../kernels/random.ts'
import { askedPoints } from '../staged/asked-points.ts'
import { noiseLevel } from '../staged/noise-level.ts'
import { denseCurvature } from './curvature.ts'
import { type Model, NearbyQuadratic, type RegressionGround } from './nearby-quadratic.ts'

/** sum (i + 1) (x_i - 0.1)^2 + x_0 x_1 / 2, asked with noise 0.01 at points spread over [-1, 1]. */
const f = (x: ArrayLike<number>): number => {
  let sum = 0.5 * (x[0] as number) * (x[1] as number)
  for (let i = 0; i < x.length; i++) sum += (i + 1) * ((x[i] as number) - 0.1) * ((x[i] as number) - 0.1)
  return sum
}
const random = (row: number, index: number): number =>
  2 * randomUniform({ seed: 2, iteration: 0, row }, 'data', index) - 1

function groundOf(dim: number, count: number): RegressionGround {
  const at = {
    dim,
    bounds: undefined,
    typical: new Float64Array(dim).fill(1),
    round: (x: number) => x,
    unit: 2 ** -53,
  }
  const noise = noiseLevel()
  noise.add([0, 0.01 * Math.SQRT2])
  const curvature = denseCurvature(at)
  curvature.begin(Float64Array.from({ length: dim }, (_, i) => 2 * (i + 1)))
  const asked = askedPoints(dim, 2000)
  for (let row = 0; row < count; row++) {
    const x = Float64Array.from({ length: dim }, (_, i) => random(row, i))
    asked.add(x, Float64Array.of(f(x) + 0.01 * random(row, dim)))
  }
  const center = new Float64Array(dim)
  return { at, noise, curvature, asked, center, state: { value: f(center), answers: 2 }, left: () => 100 }
}

const making = ({ curvature, at, state }: RegressionGround) => ({
  curvatures: Float64Array.from({ length: at.dim }, (_, i) => curvature.along(i)),
  value: state.value,
  radius: 6,
  most: 400,
})

/** The value that a model has at x, in the units of f. */
function valueAt(model: Model, center: Float64Array, x: Float64Array): number {
  const u = model.scales.map((scale, i) => ((x[i] as number) - (center[i] as number)) / scale)
  return (model.base + quadraticValue(model.mean, x.length, u)) * model.sigma
}

test('finds the function near the center, couplings included', () => {
  const ground = groundOf(3, 300)
  const model = new NearbyQuadratic(ground).model(making(ground)) as Model
  expect(model.sigma).toBeCloseTo(0.01, 12)
  expect(model.points).toBeGreaterThan(quadraticSize(3))
  for (const x of [
    [0, 0, 0],
    [0.1, -0.1, 0.05],
    [0.2, 0.2, 0.2],
  ]) {
    expect(Math.abs(valueAt(model, ground.center, Float64Array.from(x)) - f(x))).toBeLessThan(0.01)
  }
})

test('models drawn at random differ from each other by what is not known', () => {
  const ground = groundOf(2, 40)
  const model = new NearbyQuadratic(ground).model(making(ground)) as Model
  expect(Array.from(model.draw(new Float64Array(6)))).toEqual(Array.from(model.mean))
  const drawn = model.draw(Float64Array.of(1, -1, 1, -1, 1, -1))
  expect(drawn[0]).not.toBe(model.mean[0])
  expect(Math.abs((drawn[0] as number) - (model.mean[0] as number))).toBeLessThan(3)
})

test('a large model takes in answers, and is seen from a center that moved', () => {
  const ground = groundOf(9, 300)
  const nearby = new NearbyQuadratic(ground)
  const first = nearby.model(making(ground)) as Model
  ground.center.fill(0.02)
  const x = new Float64Array(9).fill(0.03)
  nearby.learn(x, Float64Array.of(f(x)), 6)
  const second = nearby.model(making(ground)) as Model
  expect(second.points).toBe(first.points + 1)
  expect(Array.from(second.scales)).toEqual(Array.from(first.scales))
  expect(Math.abs(valueAt(second, ground.center, x) - f(x))).toBeLessThan(0.02)
})

test('a model is made anew where the center has left it', () => {
  const ground = groundOf(9, 300)
  const nearby = new NearbyQuadratic(ground)
  nearby.model(making(ground))
  ground.center.fill(0.5)
  nearby.learn(ground.center.slice(), Float64Array.of(f(ground.center)), 6)
  nearby.model(making(ground))
  expect(nearby.memory.vectors?.origin).toEqual(ground.center)
})

test('small models need no memory', () => {
  expect(new NearbyQuadratic(groundOf(8, 10)).memory).toEqual({})
})
