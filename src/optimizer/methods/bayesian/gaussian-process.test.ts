import { describe, expect, test } from 'vitest'
import { randomUniform } from '../../kernels/random.ts'
import { GaussianProcess } from './gaussian-process.ts'

const plain = (dim: number) => ({ dim, isCategory: new Uint8Array(dim) })
const mixed = { dim: 3, isCategory: Uint8Array.of(0, 0, 1) }

function placesOf(dim: number, count: number, categories = 0): Float64Array[] {
  return Array.from({ length: count }, (_, row) =>
    Float64Array.from({ length: dim }, (_, i) => {
      const u = randomUniform({ seed: 5, iteration: 1, row }, 'data', i)
      return i < dim - categories ? u : (Math.floor(3 * u) + 0.5) / 3
    }),
  )
}

const wave = (x: Float64Array): number => Math.sin(4 * (x[0] as number)) + (x[1] as number) * (x[1] as number)

/** The Matern 5/2 correlation, as in a textbook. */
const matern = (r: number): number => (1 + Math.sqrt(5) * r + (5 * r * r) / 3) * Math.exp(-Math.sqrt(5) * r)

describe('a Gaussian process', () => {
  test('says of two points what the formulas say', () => {
    const process = new GaussianProcess(plain(1))
    process.theta.set([Math.log(0.4), Math.log(1e-3)])
    const [a, b, x] = [0.2, 0.6, 0.3]
    process.condition([Float64Array.of(a), Float64Array.of(b)], Float64Array.of(1, 3))
    // K = [[1 + s, k], [k, 1 + s]]: the constant is the mean, 2, and the amplitude 2 / ((1 + s - k) 2).
    const own = 1 + 1e-3 + 1e-9
    const k = matern(1)
    const variance = 1 / (own - k)
    const [ka, kb] = [matern((x - a) / 0.4), matern((b - x) / 0.4)]
    const mean = 2 + (kb - ka) / (own - k)
    const explained = (own * (ka * ka + kb * kb) - 2 * k * ka * kb) / (own * own - k * k)
    const [belief] = process.predict([Float64Array.of(x)]).beliefs
    expect(belief?.mean).toBeCloseTo(mean, 10)
    expect(belief?.deviation).toBeCloseTo(Math.sqrt(variance * (1 + 1e-9 - explained)), 10)
  })

  test.each([
    ['numbers', plain(3), placesOf(3, 17)],
    ['a category', mixed, placesOf(3, 17, 1)],
  ])('has slopes of the likelihood that are those of differences: %s', (_, kinds, places) => {
    const process = new GaussianProcess(kinds)
    const values = Float64Array.from(places, wave)
    const theta = Float64Array.of(-0.7, 0.2, 0.4, -6)
    const slopes = new Float64Array(4)
    process.unlikeliness(places, values, theta, slopes)
    const room = new Float64Array(4)
    theta.forEach((each, i) => {
      const at = (value: number): number => process.unlikeliness(places, values, withEntry(theta, i, value), room)
      const h = 1e-5
      expect(slopes[i]).toBeCloseTo((at(each + h) - at(each - h)) / (2 * h), 4)
    })
  })

  test('fits lengths and nugget that are more likely than where it began, and slow where the values are', () => {
    const process = new GaussianProcess(plain(2))
    const places = placesOf(2, 30)
    const values = Float64Array.from(places, (x) => Math.sin(9 * (x[0] as number)))
    const before = process.unlikeliness(places, values, process.theta, new Float64Array(3))
    process.fit(places, values, 40, false)
    expect(process.unlikeliness(places, values, process.theta, new Float64Array(3))).toBeLessThan(before - 5)
    expect(process.theta[1] as number).toBeGreaterThan((process.theta[0] as number) + 1)
    expect(process.nugget).toBeLessThan(1e-4)
  })

  test('sees noise as a nugget', () => {
    const process = new GaussianProcess(plain(2))
    const places = placesOf(2, 60)
    const noise = (row: number): number => randomUniform({ seed: 9, iteration: 1, row }, 'noise', 0) - 0.5
    process.fit(
      places,
      Float64Array.from(places, (x, row) => wave(x) + noise(row)),
      40,
      false,
    )
    expect(process.nugget).toBeGreaterThan(0.02)
  })

  test('has slopes of mean and deviation that are those of differences, none along categories', () => {
    const process = new GaussianProcess(mixed)
    process.theta.set([-0.7, 0.2, 0.4, -6])
    const places = placesOf(3, 12, 1)
    process.condition(places, Float64Array.from(places, wave))
    const x = Float64Array.of(0.31, 0.62, 0.5)
    const { mean, deviation, meanSlopes, deviationSlopes } = process.slopes(x)
    const believed = (at: Float64Array) => process.predict([at]).beliefs[0] as { mean: number; deviation: number }
    expect(believed(x).mean).toBeCloseTo(mean, 12)
    expect(believed(x).deviation).toBeCloseTo(deviation, 12)
    const h = 1e-6
    for (const i of [0, 1]) {
      const [up, down] = [h, -h].map((step) => believed(withEntry(x, i, (x[i] as number) + step)))
      expect(meanSlopes[i]).toBeCloseTo(((up?.mean ?? 0) - (down?.mean ?? 0)) / (2 * h), 5)
      expect(deviationSlopes[i]).toBeCloseTo(((up?.deviation ?? 0) - (down?.deviation ?? 0)) / (2 * h), 5)
    }
    expect([meanSlopes[2], deviationSlopes[2]]).toEqual([0, 0])
  })

  test('says the same to the bit, whether points came one by one or at once', () => {
    const places = placesOf(2, 21)
    const values = Float64Array.from(places, wave)
    const grown = new GaussianProcess(plain(2))
    for (let n = 4; n <= 21; n += 3) grown.condition(places.slice(0, n), values.slice(0, n))
    grown.condition(places, values)
    const once = new GaussianProcess(plain(2))
    once.condition(places, values)
    const asked = placesOf(2, 5).map((x) => x.map((each) => 1 - each))
    expect(grown.predict(asked)).toEqual(once.predict(asked))
    // Other points before the new one: the factor is made again from there.
    const others = places.filter((_, i) => i !== 3)
    grown.condition(others, Float64Array.from(others, wave))
    const anew = new GaussianProcess(plain(2))
    anew.condition(others, Float64Array.from(others, wave))
    expect(grown.predict(asked)).toEqual(anew.predict(asked))
  })

  test('goes through values without noise, and near the mean of repeats', () => {
    const process = new GaussianProcess(plain(1))
    process.theta.set([0, Math.log(1e-7)])
    const at = (...all: number[]): Float64Array[] => all.map((each) => Float64Array.of(each))
    process.condition(at(0.1, 0.5, 0.9), Float64Array.of(3, 1, 2))
    expect(process.predict(at(0.1, 0.5, 0.9)).beliefs.map(({ mean }) => Math.round(1e4 * mean))).toEqual([
      3e4, 1e4, 2e4,
    ])
    process.theta[1] = Math.log(0.5)
    process.condition(at(0.2, 0.2, 0.2, 0.2, 0.8), Float64Array.of(1, 3, 2, 2, 4))
    const [belief] = process.predict(at(0.2)).beliefs
    expect(belief?.mean).toBeGreaterThan(1.9)
    expect(belief?.mean).toBeLessThan(2.5)
    expect(process.meansOf(Float64Array.of(1, 3, 2, 2, 4))[0]).toBeCloseTo(belief?.mean as number, 6)
  })

  test('has a factor of points that are there twice', () => {
    const process = new GaussianProcess(plain(1))
    process.theta.set([4, Math.log(1e-7)])
    const places = Array.from({ length: 40 }, (_, i) => Float64Array.of((i % 20) / 20))
    process.condition(
      places,
      Float64Array.from(places, (x) => x[0] as number),
    )
    expect(process.predict([Float64Array.of(0.525)]).beliefs[0]?.mean).toBeCloseTo(0.525, 3)
  })

  test('foretells smooth values, and nothing of values at random', () => {
    const places = placesOf(2, 40)
    const foresight = (values: Float64Array): number => {
      const process = new GaussianProcess(plain(2))
      process.fit(places, values, 30, false)
      process.condition(places, values)
      return process.foresight(values)
    }
    expect(foresight(Float64Array.from(places, wave))).toBeGreaterThan(0.95)
    const random = places.map((_, row) => randomUniform({ seed: 31, iteration: 1, row }, 'noise', 0))
    expect(foresight(Float64Array.from(random))).toBeLessThan(0.5)
  })
})

function withEntry(list: Float64Array, i: number, entry: number): Float64Array {
  const copy = list.slice()
  copy[i] = entry
  return copy
}
