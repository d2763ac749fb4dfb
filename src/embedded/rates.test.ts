import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { embeddedNames } from './embedded-names.ts'
import { attackProblems, defaultRate, parseRates, rateIn, readRates, tunedRate } from './rates.ts'

test('is the rate in the file of the classifier', () => {
  for (const name of embeddedNames) {
    for (const problem of attackProblems) {
      const rates = Object.entries(readRates(name)[problem])
      expect(rates).toHaveLength(4)
      expect(rates.map(([solver]) => tunedRate(name, problem, solver))).toEqual(
        rates.map(([, value]) => ({ value, decay: 'sqrt' })),
      )
    }
  }
})

test.each(['zo-sgd', 'no-such-solver', 'toString', ''])('there is none for %j under constraints', (solver) => {
  expect(tunedRate('digits', 'constrained', solver)).toBeUndefined()
})

test.each([
  ['digts', 'constrained', 'the embedded model must be one of "digits", "cifar10", got "digts"; did you mean digits?'],
  ['digits', 'constraint', 'the problem must be one of "constrained", "unconstrained", got "constraint"; did you mean'],
])('%s, %s is refused', (name, problem, message) => {
  expect(() => tunedRate(name as never, problem as never, 'zo-adamm')).toThrow(message)
})

const solvers = {
  constrained: ['zo-adamm', 'zo-psgd', 'zo-smd', 'zo-nes'],
  unconstrained: ['zo-adamm', 'zo-sgd', 'zo-sign-sgd', 'zo-scd'],
} as const
const pairs = attackProblems.flatMap((problem) => solvers[problem].map((solver) => [problem, solver] as const))
const paperDim = 268_203

describe.each(pairs)('%s %s', (problem, solver) => {
  const digits = tunedRate('digits', problem, solver)?.value
  const cifar10 = tunedRate('cifar10', problem, solver)?.value
  const rate = (dim: number) => defaultRate(problem, solver, dim)?.value as number

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
  expect(pairs.map(([problem, solver]) => defaultRate(problem, solver, paperDim))).toEqual(
    [0.01, 1e-4, 3e-4, 9e-3, 0.01, 5e-4, 0.01, 1e-3].map((value) => ({ value, decay: 'sqrt' })),
  )
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

const sound = { found: 'provisional', decay: 'sqrt', constrained: { 'zo-adamm': 0.05 }, unconstrained: {} }

describe('a file of rates', () => {
  test('says how they were found, with as much of the search as there is', () => {
    const full = { ...sound, found: 'a grid', search: { grid: [0.1, 0.2], seeds: { first: 1 }, note: null } }
    expect(parseRates(JSON.stringify(full), 'a.json')).toEqual(full)
    expect(parseRates(JSON.stringify(sound), 'a.json')).toEqual(sound)
  })

  test.each([
    ['{', /^a\.json is not JSON: /],
    ['[]', 'a.json takes an options object, got Array(0)'],
    [JSON.stringify({ ...sound, found: '' }), 'a.json.found'],
    [
      JSON.stringify({ ...sound, constrained: { 'zo-adamm': 0 } }),
      'a.json.constrained.zo-adamm must be above 0, got 0',
    ],
    [JSON.stringify({ ...sound, constrained: { 'zo-adamm': '1' } }), 'a.json.constrained.zo-adamm must be a number'],
    [JSON.stringify({ found: 'a', decay: 'sqrt', constrained: {} }), 'a.json.unconstrained is required'],
    [JSON.stringify({ ...sound, decay: undefined }), 'a.json.decay must be one of "none", "sqrt", "linear"'],
    [JSON.stringify({ ...sound, unconstraned: {} }), 'a.json has no option unconstraned; did you mean unconstrained?'],
  ])('%s is refused', (text, message) => {
    expect(() => parseRates(text, 'a.json')).toThrow(message)
  })
})

test.each(embeddedNames)('every method of the paper has a rate for %s in the form it is made for', (name) => {
  const { constrained, unconstrained } = readRates(name)
  expect(Object.keys(constrained).sort()).toEqual(['zo-adamm', 'zo-nes', 'zo-psgd', 'zo-smd'])
  expect(Object.keys(unconstrained).sort()).toEqual(['zo-adamm', 'zo-scd', 'zo-sgd', 'zo-sign-sgd'])
})

test('names that objects have anyway are no solvers', () => {
  expect(rateIn({ 'zo-adamm': 0.1 }, 'zo-adamm')).toBe(0.1)
  expect(rateIn({ 'zo-adamm': 0.1 }, 'constructor')).toBeUndefined()
})
