import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Goal, readScores } from './margin.ts'

const read = (scores: readonly number[], goal: Goal, kind: 'logits' | 'probabilities' = 'logits') =>
  readScores(Float64Array.from(scores), 0, scores.length, kind, goal)

describe('the margin on logits', () => {
  test('is how far the own class is ahead of the best other one', () => {
    expect(read([1, 5, 3], { label: 1 })).toEqual({ margin: 2, predicted: 1 })
    expect(read([1, 5, 3], { label: 2 })).toEqual({ margin: -2, predicted: 1 })
    expect(read([1, 5, 3], { label: 0 })).toEqual({ margin: -4, predicted: 1 })
  })

  test('of a targeted attack is how far the target is behind the best other class, whatever the label', () => {
    expect(read([1, 5, 3], { label: 1, target: 2 })).toEqual({ margin: 2, predicted: 1 })
    expect(read([1, 5, 3], { label: 0, target: 2 }).margin).toBe(2)
    expect(read([1, 5, 3], { label: 2, target: 1 }).margin).toBe(-2)
  })

  test('of a tie is 0, and the first of the best classes is the one seen', () => {
    expect(read([4, 4, 1], { label: 0 })).toEqual({ margin: 0, predicted: 0 })
    expect(read([4, 4, 1], { label: 1 })).toEqual({ margin: 0, predicted: 0 })
    expect(read([4, 4, 1], { label: 2, target: 1 }).margin).toBe(0)
  })

  test('is as large as the logits say', () => {
    expect(read([1000, -1000], { label: 0 }).margin).toBe(2000)
    expect(read([-Infinity, 3], { label: 0 }).margin).toBe(-Infinity)
  })

  test('is read from where the scores of the image begin', () => {
    const scores = Float32Array.from([9, 9, 9, 1, 5, 3, 9, 9, 9])
    expect(readScores(scores, 3, 3, 'logits', { label: 1 })).toEqual({ margin: 2, predicted: 1 })
  })
})

describe('the margin on probabilities', () => {
  test('is the difference of logarithms', () => {
    expect(read([0.8, 0.1, 0.1], { label: 0 }, 'probabilities').margin).toBeCloseTo(Math.log(8), 8)
    expect(read([0.8, 0.1, 0.1], { label: 1, target: 2 }, 'probabilities').margin).toBeCloseTo(Math.log(8), 8)
  })

  test('ends at ln(1e10 + 1), about 23.03, because 1e-10 is added to each', () => {
    const { margin } = read([1, 0], { label: 0 }, 'probabilities')
    expect(margin).toBe(Math.log(1 + 1e-10) - Math.log(1e-10))
    expect(margin).toBeCloseTo(23.02585093, 8)
    expect(read([0, 1], { label: 0 }, 'probabilities').margin).toBe(-margin)
    expect(read([1, 0], { label: 0, target: 1 }, 'probabilities').margin).toBe(margin)
  })

  test('is that of the logits they come from, as long as they are well above 1e-10', () => {
    const logits = fc.array(fc.double({ min: -4, max: 4, noNaN: true }), { minLength: 2, maxLength: 12 })
    fc.assert(
      fc.property(logits, fc.nat(), (z, which) => {
        const goal = { label: which % z.length }
        const powers = z.map(Math.exp)
        const total = powers.reduce((sum, each) => sum + each, 0)
        const probabilities = powers.map((each) => each / total)
        const [one, other] = [read(z, goal), read(probabilities, goal, 'probabilities')]
        expect(Math.abs(one.margin - other.margin)).toBeLessThan(1e-5)
      }),
      { seed: 6 },
    )
  })
})

describe('scores that are no numbers', () => {
  test.each([0, 1, 2])('give no margin and no class, also where only class %i has none', (at) => {
    const scores = [1, 5, 3]
    scores[at] = Number.NaN
    expect(read(scores, { label: 1 })).toEqual({ margin: Number.NaN, predicted: -1 })
    expect(read(scores, { label: 1, target: 2 })).toEqual({ margin: Number.NaN, predicted: -1 })
    expect(read(scores, { label: 1 }, 'probabilities').margin).toBeNaN()
  })

  test('that are infinite on both sides give no margin either', () => {
    expect(read([Infinity, Infinity], { label: 0 }).margin).toBeNaN()
  })
})

test('the margin is below 0 where another class is seen, and above 0 where only the own one is', () => {
  const scores = fc.array(fc.double({ min: -5, max: 5, noNaN: true }), { minLength: 2, maxLength: 10 })
  fc.assert(
    fc.property(scores, fc.nat(), (z, which) => {
      const label = which % z.length
      const { margin, predicted } = read(z, { label })
      if (margin < 0) expect(predicted).not.toBe(label)
      if (margin > 0) expect(predicted).toBe(label)
      if (predicted !== label) expect(margin).toBeLessThanOrEqual(0)
    }),
    { seed: 7 },
  )
})
