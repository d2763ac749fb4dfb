import { expect, test } from 'vitest'
import { randomUniform } from '../kernels/random.ts'
import { believe, normalEquations, posterior, takeIn } from './bayesian-regression.ts'
import { multiply } from './vectors.ts'

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
