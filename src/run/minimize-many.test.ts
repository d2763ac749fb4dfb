import { describe, expect, test } from 'vitest'
import { zoSGD } from '../solvers/zo-sgd.ts'
import { minimize } from './minimize.ts'
import { minimizeMany } from './minimize-many.ts'

const options = { solver: zoSGD({ directions: 2, learningRate: 0.05 }), maxIterations: 10 }
const bowl = (x: ArrayLike<number>): number => Array.from(x).reduce((sum, each) => sum + each * each, 0)

test('is one run per seed, each as it would be alone', async () => {
  const { runs } = await minimizeMany(bowl, [1, 2], { ...options, seeds: [3, 1, 4] })
  expect(runs).toEqual([
    await minimize(bowl, [1, 2], { ...options, seed: 3 }),
    await minimize(bowl, [1, 2], { ...options, seed: 1 }),
    await minimize(bowl, [1, 2], { ...options, seed: 4 }),
  ])
})

test('a number of seeds means 0, 1, 2, ...', async () => {
  const { runs } = await minimizeMany(bowl, [1, 2], { ...options, seeds: 3 })
  expect(runs.map((run) => run.seed)).toEqual([0, 1, 2])
})

test('summarises values, queries and iterations, and names the best run', async () => {
  const many = await minimizeMany(bowl, [1, 2], { ...options, seeds: 5 })
  const values = many.runs.map((run) => run.value).sort((a, b) => a - b)
  expect(many.best.value).toBe(values[0])
  expect(many.value).toMatchObject({ count: 5, smallest: values[0], median: values[2], largest: values[4] })
  expect(many.queries).toMatchObject({ mean: 31, deviation: 0 })
  expect(many.iterations).toMatchObject({ mean: 10, deviation: 0 })
})

test('the best run has a value, if any of them has one', async () => {
  const many = await minimizeMany((x, { sample }) => (sample % 2 === 0 ? Number.NaN : bowl(x)), [1, 2], {
    solver: zoSGD({ directions: 1 }),
    failures: 'skip',
    maxIterations: 0,
    seeds: 8,
  })
  const values = many.runs.map((run) => run.value)
  expect(values.some(Number.isNaN) && values.some(Number.isFinite)).toBe(true)
  expect(many.best.value).toBe(5)
})

test('an abort ends the series, and what there is so far is summarised', async () => {
  const controller = new AbortController()
  let calls = 0
  const f = (x: Float64Array): number => {
    if (++calls === 40) controller.abort()
    return bowl(x)
  }
  const many = await minimizeMany(f, [1, 2], { ...options, seeds: 5, signal: controller.signal })
  expect(many.runs.map((run) => run.status)).toEqual(['finished', 'aborted'])
  expect(many.value.count).toBe(2)
})

describe('refuses', () => {
  test.each([[0], [[]], [undefined], ['3']])('%o as seeds', async (seeds) => {
    await expect(minimizeMany(bowl, [1], { seeds: seeds as never })).rejects.toThrow(
      `minimizeMany.seeds must be a count above 0 or a list, got ${String(seeds)}`,
    )
  })

  test('a seed that is none', async () => {
    await expect(minimizeMany(bowl, [1], { seeds: [-1] })).rejects.toThrow('minimize.seed must be at least 0, got -1')
  })
})
