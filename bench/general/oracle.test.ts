import { describe, expect, it } from 'vitest'
import { OutOfBudget, openOracle } from './oracle.ts'
import { type Noise, type Problem, problem } from './problem.ts'

/** The square of one variable from 10: values from 100 down to 0. */
function square(more: Partial<Pick<Problem, 'box' | 'noise'>> = {}): Problem {
  return problem({
    name: 'square',
    group: 'test',
    start: Float64Array.of(10),
    value: ([x = 0]) => x * x,
    best: 0,
    budget: 5,
    ...more,
  })
}

describe('the oracle', () => {
  it('counts every query and refuses the one after the last', () => {
    const { query, account } = openOracle(square(), 1, 3)
    for (const x of [10, 5, 10]) query([x])
    expect(() => query([1])).toThrow(OutOfBudget)
    expect(account()).toMatchObject({ queries: 3, best: 25, seen: 25, outside: 0 })
  })

  it('says which query first reached each accuracy', () => {
    const { query, account } = openOracle(square(), 1, 5)
    for (const x of [10, 3, 1, 4, 0.01]) query([x])
    // Targets are 10, 1, 0.1, 0.001 and 0.00001; values 100, 9, 1, 16 and 0.0001.
    expect(account().hits).toEqual([2, 3, 5, 5, undefined])
  })

  it('counts points outside the bounds, which reach nothing', () => {
    const { query, account, worth } = openOracle(
      square({ box: { lower: Float64Array.of(2), upper: Float64Array.of(12) } }),
      1,
      5,
    )
    query([1])
    query([2 - 1e-14])
    expect(account()).toMatchObject({
      outside: 2,
      best: (2 - 1e-14) ** 2,
      hits: [2, undefined, undefined, undefined, undefined],
    })
    expect(worth([1])).toBe(Infinity)
    expect(worth([3])).toBe(9)
    expect(account().queries).toBe(2)
  })

  it.each(['multiplicative', 'additive'] as const)(
    'draws %s noise from the seed and the number of the query',
    (kind) => {
      const noise: Noise = { kind, level: 0.1 }
      const answers = (seed: number): number[] => {
        const { query } = openOracle(square({ noise }), seed, 5)
        return [10, 10, 10].map((x) => query([x]))
      }
      expect(answers(1)).toEqual(answers(1))
      expect(new Set([...answers(1), ...answers(2)]).size).toBe(6)
      const scale = kind === 'multiplicative' ? 10 : 0.1
      expect(answers(1).every((answer) => answer !== 100 && Math.abs(answer - 100) < 5 * scale)).toBe(true)
    },
  )

  it('draws noise of the stated size', () => {
    const many = { ...square({ noise: { kind: 'additive', level: 2 } }), budget: 20_000 }
    const { query } = openOracle(many, 3, 20_000)
    const errors = Array.from({ length: 20_000 }, () => query([10]) - 100)
    const mean = errors.reduce((a, b) => a + b, 0) / errors.length
    const deviation = Math.sqrt(errors.reduce((a, b) => a + (b - mean) ** 2, 0) / errors.length)
    expect(Math.abs(mean)).toBeLessThan(0.06)
    expect(Math.abs(deviation - 2)).toBeLessThan(0.04)
  })

  it('tells the best point from the one with the lowest answer', () => {
    const { query, account } = openOracle(square({ noise: { kind: 'additive', level: 30 } }), 1, 5)
    const asked = [10, 5, 4, 3, 2].map((x) => ({ x, answer: query([x]) }))
    const lowest = asked.reduce((a, b) => (b.answer < a.answer ? b : a))
    expect(account()).toMatchObject({ best: 4, seen: lowest.x ** 2 })
  })
})
