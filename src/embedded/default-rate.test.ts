import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { defaultRate } from './default-rate.ts'
import { attackProblems } from './rates-file.ts'
import { tunedRate } from './tuned-rate.ts'

const solvers = {
  constrained: ['zo-adamm', 'zo-psgd', 'zo-smd', 'zo-nes'],
  unconstrained: ['zo-adamm', 'zo-sgd', 'zo-sign-sgd', 'zo-scd'],
} as const
const pairs = attackProblems.flatMap((problem) => solvers[problem].map((solver) => [problem, solver] as const))
const paperDim = 268_203

describe.each(pairs)('%s %s', (problem, solver) => {
  const digits = tunedRate('digits', problem, solver) as number
  const cifar10 = tunedRate('cifar10', problem, solver) as number
  const rate = (dim: number) => defaultRate(problem, solver, dim) as number

  test('is the tuned rate at the size of the embedded images', () => {
    expect([rate(784), rate(3072)]).toEqual([digits, cifar10])
  })

  test('does not change beyond the smallest and the largest size known', () => {
    expect([rate(1), rate(783)]).toEqual([digits, digits])
    expect(rate(1e9)).toBe(rate(paperDim))
  })

  test('lies on a straight line in logarithms between two sizes, to three digits', () => {
    const ends = [784, 3072, paperDim]
    fc.assert(
      fc.property(fc.integer({ min: 785, max: paperDim - 1 }), (dim) => {
        const at = dim < 3072 ? 0 : 1
        const [low, high] = [ends[at] as number, ends[at + 1] as number]
        const share = Math.log(dim / low) / Math.log(high / low)
        const expected = rate(low) ** (1 - share) * rate(high) ** share
        expect(Math.abs(rate(dim) / expected - 1)).toBeLessThan(0.00501)
        expect(rate(dim)).toBe(Number(rate(dim).toPrecision(3)))
      }),
    )
  })
})

test("at the paper's size the rates are the paper's", () => {
  expect(pairs.map(([problem, solver]) => defaultRate(problem, solver, paperDim))).toEqual([
    0.01, 1e-4, 3e-4, 9e-3, 0.01, 5e-4, 0.01, 1e-3,
  ])
})

test.each(['zo-sgd', 'my-own', 'constructor'])('there is none for %j under constraints', (solver) => {
  expect(defaultRate('constrained', solver, 1000)).toBeUndefined()
})

test.each([0, -1, 1.5, Number.NaN, Infinity, '784'])('the dimension %j is refused', (dim) => {
  expect(() => defaultRate('constrained', 'zo-adamm', dim as never)).toThrow(
    'the dimension must be a whole number above 0, got ',
  )
})

test('an unknown problem is refused', () => {
  expect(() => defaultRate('unconstraint' as never, 'zo-adamm', 10)).toThrow(
    'the problem must be one of "constrained", "unconstrained", got "unconstraint"; did you mean unconstrained?',
  )
})
