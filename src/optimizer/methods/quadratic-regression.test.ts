import { describe, expect, test } from 'vitest'
import { randomUniform } from '../kernels/random.ts'
import { quadraticSize, quadraticValue } from '../numerics/quadratics.ts'
import { denseCurvature } from './curvature.ts'
import {
  askedPoints,
  type Model,
  NearbyQuadratic,
  noiseLevel,
  QuadraticRegression,
  type RegressionGround,
} from './quadratic-regression.ts'

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

describe('noise level', () => {
  /** Deviations of mean 0 and variance 1, the same in every run. */
  const deviation = (k: number): number =>
    Math.sqrt(12) * (randomUniform({ seed: 3, iteration: 0, row: k }, 'noise', 0) - 0.5)

  const learned = (noise: (value: number, k: number) => number): ReturnType<typeof noiseLevel> => {
    const level = noiseLevel()
    for (let k = 0; k < 400; k++) {
      const value = 2 ** -(k / 20)
      level.add([value + noise(value, 2 * k), value + noise(value, 2 * k + 1)])
    }
    return level
  }

  test('finds constant noise, also where values fall by orders of magnitude', () => {
    const level = learned((_, k) => 0.01 * deviation(k))
    for (const value of [-5, 0, 1e-3, 1000]) expect(level.at(value)).toBeCloseTo(0.01, 3)
  })

  test('finds noise in proportion to the value', () => {
    const level = learned((value, k) => 0.01 * value * deviation(k))
    expect(level.at(1)).toBeCloseTo(0.01, 3)
    expect(level.at(-1e-6) / level.at(1e3)).toBeCloseTo(1e-9, 15)
  })

  test('takes the variance of a few answers without bias', () => {
    const level = noiseLevel()
    level.add([1, 2, 3])
    expect(level.at(2)).toBeCloseTo(1, 12)
  })

  test('equal answers leave rounding alone', () => {
    const level = noiseLevel()
    level.add([2, 2, 2])
    expect(level.isExact).toBe(true)
    expect(level.at(2)).toBeCloseTo(2e-15, 25)
    expect(level.at(0)).toBe(1e-300)
  })

  test('answers that failed, or were single, teach nothing', () => {
    const level = noiseLevel()
    level.add([Number.NaN, 4])
    expect(level.isExact).toBe(false)
    level.add([1, Number.NaN, 1.5])
    expect(level.isExact).toBe(false)
    expect(level.at(1)).toBeCloseTo(Math.sqrt(0.125), 12)
  })
})

describe('nearby quadratic', () => {
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
})

describe('asked points', () => {
  test('keeps points in the order they were asked, without those that failed', () => {
    const asked = askedPoints(2, 10)
    asked.add(Float64Array.of(1, 2, 3, 4, 5, 6), Float64Array.of(0.5, Number.NaN, 0.25))
    asked.add(Float64Array.of(7, 8), Float64Array.of(0.125))
    expect(asked.count).toBe(3)
    expect(Array.from(asked.points)).toEqual([1, 2, 5, 6, 7, 8])
    expect(Array.from(asked.values)).toEqual([0.5, 0.25, 0.125])
  })

  test('forgets the oldest quarter when it is full', () => {
    const asked = askedPoints(1, 8)
    for (let k = 0; k < 200; k++) {
      asked.add(Float64Array.of(k), Float64Array.of(-k))
      expect(asked.count).toBeLessThanOrEqual(8)
      expect(asked.points.at(-1)).toBe(k)
    }
    expect(Array.from(asked.points)).toEqual([192, 193, 194, 195, 196, 197, 198, 199])
    asked.add(Float64Array.of(200), Float64Array.of(-200))
    expect(Array.from(asked.values)).toEqual([-194, -195, -196, -197, -198, -199, -200])
  })

  test('has room for what was saved, and goes on from it', () => {
    const asked = askedPoints(1, 4, { vectors: { values: new Float64Array(3) }, state: {} })
    expect(asked.memory.vectors).toEqual({ points: new Float64Array(3), values: new Float64Array(3) })
    asked.memory.vectors?.points?.set([1, 2, 3])
    asked.add(Float64Array.of(4, 5), Float64Array.of(0, 0))
    expect(Array.from(asked.points)).toEqual([2, 3, 4, 5])
  })
})
