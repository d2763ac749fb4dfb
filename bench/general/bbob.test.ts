import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { bbob, bbobFunction, chosenFunctions, otherFunctions } from './bbob.ts'

/** The minimum value of instance 1 of each function, then rows of dimension, f(0, ..., 0), f(1, ..., 1). */
type Golden = Readonly<Record<string, readonly [number, readonly (readonly [number, number, number])[]]>>

const golden = JSON.parse(readFileSync(new URL('golden/bbob.json', import.meta.url), 'utf8')) as Golden

describe('BBOB', () => {
  it.each(Object.entries(golden))('function %s has the published values', (number, [lowest, rows]) => {
    for (const [dim, atZeros, atOnes] of rows) {
      const { best, value } = bbobFunction(Number(number), 1, dim)
      expect(best).toBe(lowest)
      expect(Math.abs(value(new Float64Array(dim)) / atZeros - 1)).toBeLessThan(1e-10)
      expect(Math.abs(value(new Float64Array(dim).fill(1)) / atOnes - 1)).toBeLessThan(1e-10)
    }
  })

  it('has 12 functions that goals are stated for, and the 12 others', () => {
    expect([...chosenFunctions, ...otherFunctions].sort((a, b) => a - b)).toEqual(
      Array.from({ length: 24 }, (_, i) => i + 1),
    )
  })

  it('starts within [-4, 4], where NumPy would have started', () => {
    const problems = bbob('bbob-5', chosenFunctions, 5)
    expect(problems).toHaveLength(36)
    expect(problems.every(({ start }) => start.every((v) => Math.abs(v) <= 4))).toBe(true)
    expect(Array.from(problems[0]?.start ?? [])).toEqual([
      0.8519250100782871, -2.2259343930644286, 2.7448141560766626, 3.530377549266193, -2.9078118838132836,
    ])
  })
})
