import { describe, expect, test } from 'vitest'
import {
  counterexample,
  logisticRegression,
  minimizeSync,
  parts,
  quadratic,
  robustRegression,
} from '../../src/index.ts'
import type { TestProblem } from '../../src/optimizer/objectives/problems/test-problem.ts'
import { conformsAsProblem } from './problem.ts'

for (const part of parts.problem) {
  const { name, examples } = part.definition
  const make = part as unknown as (options: object) => TestProblem
  describe(name, () => {
    for (const dim of [2, 5]) {
      for (const options of examples(dim)) {
        conformsAsProblem(`in ${dim} dimensions, ${JSON.stringify(options)}`, () => make(options))
      }
    }
  })
}

test('the default quadratic is half the squared length', () => {
  expect(quadratic({ dim: 3 }).value(Float64Array.of(1, 2, 3))).toBe(7)
})

test('the condition number is the quotient of the curvatures', () => {
  const { gradient } = quadratic({ dim: 4, condition: 1000 })
  const curvatures = gradient(new Float64Array(4).fill(1))
  expect(Array.from(curvatures)).toEqual([1, expect.closeTo(10, 10), expect.closeTo(100, 10), 1000])
})

test('other seeds give other data', () => {
  const at = Float64Array.of(1, 1, 1, 1, 1)
  expect(logisticRegression({ seed: 1 }).value(at)).not.toBe(logisticRegression({ seed: 2 }).value(at))
})

test('the counter-example starts where the paper starts it', () => {
  const problem = counterexample()
  expect([...problem.start, problem.value(problem.start)]).toEqual([0.5, 0.5, -1.5])
})

test('a regression with fewer terms than variables is refused', () => {
  expect(() => robustRegression({ dim: 5, population: 4 })).toThrow(
    'robust-regression.population must be at least dim (5), got 4',
  )
})

test('problems can be minimised as they are, term by term if they have terms', () => {
  const whole = quadratic({ dim: 4 })
  expect(minimizeSync(whole.value, whole.start, { maxQueries: 3000 }).value).toBeLessThan(0.02)
  const { terms, start, value, minimum } = robustRegression({ dim: 3 })
  if (terms === undefined) throw new Error('robust-regression is a finite sum')
  const result = minimizeSync((x, { sample }) => terms.value(x, sample), start, {
    population: terms.count,
    maxQueries: 20_000,
  })
  expect(value(result.last.point) - minimum).toBeLessThan(0.1)
})
