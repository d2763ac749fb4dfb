import { expect, test } from 'vitest'
import { greedySearch, rateGrid, type Setting, solverWith } from './tuning-search.ts'

test('a learning rate that decays keeps its schedule', () => {
  const setting = { learningRate: 0.3, beta1: 0.5, beta2: 0.7 }
  expect(
    solverWith({ solver: { name: 'a', learningRate: { value: 1, decay: 'linear' }, beta1: 0.9 } }, setting),
  ).toEqual({
    name: 'a',
    learningRate: { value: 0.3, decay: 'linear' },
    beta1: 0.5,
    beta2: 0.7,
  })
  expect(solverWith({ solver: { name: 'a', learningRate: 1 } }, { learningRate: 0.3 })).toEqual({
    name: 'a',
    learningRate: 0.3,
  })
})

test('a learning rate of an attack decays unless it says otherwise', () => {
  const decays = (learningRate?: unknown) => {
    const solver = { name: 'zo-adamm', ...(learningRate === undefined ? {} : { learningRate }) } as never
    return solverWith({ model: { name: 'digits' }, solver }, { learningRate: 0.3 }).learningRate
  }
  expect(decays()).toEqual({ value: 0.3, decay: 'sqrt' })
  expect(decays({ value: 1, decay: 'none' })).toEqual({ value: 0.3, decay: 'none' })
})

/** A valley in the logarithm of the learning rate. */
const valley =
  (best: number) =>
  async ({ learningRate }: Setting) =>
    Math.log(learningRate / best) ** 2

test.each([
  [1e-3, 1, [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1]],
  [1e-4, 1e-2, [1e-4, 3e-4, 1e-3, 3e-3, 1e-2]],
  [0.3, 0.3, [0.3]],
  [0.25, 4, [0.3, 1, 3]],
  [0.4, 0.5, []],
  [1, 0.1, []],
])('the grid from %d to %d', (from, to, rates) => {
  expect(rateGrid(from, to)).toEqual(rates)
})

test('finds the smallest value inside the grid and tries nothing else', async () => {
  const { tried, best, atEdge } = await greedySearch(rateGrid(1e-3, 1), [], 6, valley(0.1))
  expect(best).toEqual({ learningRate: 0.1, value: 0 })
  expect(tried.map(({ learningRate }) => learningRate)).toEqual(rateGrid(1e-3, 1))
  expect(atEdge).toBe(false)
})

test('grows at the upper edge until the best is inside', async () => {
  const { tried, best, atEdge } = await greedySearch([0.1, 0.3], [], 6, valley(3))
  expect(tried.map(({ learningRate }) => learningRate)).toEqual([0.1, 0.3, 1, 3, 10])
  expect(best.learningRate).toBe(3)
  expect(atEdge).toBe(false)
})

test('grows at the lower edge in exact decimal steps', async () => {
  const { tried, best } = await greedySearch([0.1, 0.3], [], 6, valley(0.003))
  expect(tried.map(({ learningRate }) => learningRate)).toEqual([0.1, 0.3, 0.03, 0.01, 0.003, 0.001])
  expect(best.learningRate).toBe(0.003)
})

test('a grid of one rate grows in both directions', async () => {
  const { tried } = await greedySearch([1], [], 6, valley(1))
  expect(tried.map(({ learningRate }) => learningRate)).toEqual([1, 3, 0.3])
})

test('says that the best is at the edge when it may not grow any more', async () => {
  const { tried, atEdge } = await greedySearch([1], [], 2, valley(1e9))
  expect(tried.map(({ learningRate }) => learningRate)).toEqual([1, 3, 10])
  expect(atEdge).toBe(true)
})

test('settings that led nowhere are the worst, wherever they stand', async () => {
  const measure = async ({ learningRate }: Setting) => (learningRate > 0.05 ? Number.NaN : 1 / learningRate)
  const { best, atEdge } = await greedySearch(rateGrid(1e-3, 1), [], 6, measure)
  expect(best).toEqual({ learningRate: 0.03, value: 1 / 0.03 })
  expect(atEdge).toBe(false)
})

test('where nothing led anywhere smaller rates are tried, and no betas', async () => {
  const { tried, best } = await greedySearch([1, 3], [0.1, 0.9], 3, async () => Number.NaN)
  expect(tried.map(({ learningRate }) => learningRate)).toEqual([1, 3, 0.3, 0.1, 0.03])
  expect(best.value).toBeNaN()
})

test('tries all pairs of betas at the best rate, and keeps the best of all', async () => {
  const measure = async ({ learningRate, beta1 = 0.9, beta2 = 0.9 }: Setting) =>
    Math.log(learningRate) ** 2 + Math.abs(beta1 - 0.5) + Math.abs(beta2 - 0.1)
  const { tried, best } = await greedySearch([0.1, 1, 10], [0.1, 0.5], 6, measure)
  expect(tried.slice(3)).toEqual([
    { learningRate: 1, beta1: 0.1, beta2: 0.1, value: 0.4 },
    { learningRate: 1, beta1: 0.1, beta2: 0.5, value: 0.8 },
    { learningRate: 1, beta1: 0.5, beta2: 0.1, value: 0 },
    { learningRate: 1, beta1: 0.5, beta2: 0.5, value: 0.4 },
  ])
  expect(best).toEqual({ learningRate: 1, beta1: 0.5, beta2: 0.1, value: 0 })
})
