import { expect, test } from 'vitest'
import { embeddedNames } from './embedded-names.ts'
import { attackProblems, readRates } from './rates-file.ts'
import { tunedRate } from './tuned-rate.ts'

test('is the rate in the file of the classifier', () => {
  for (const name of embeddedNames) {
    for (const problem of attackProblems) {
      const rates = Object.entries(readRates(name)[problem])
      expect(rates).toHaveLength(4)
      expect(rates.map(([solver]) => tunedRate(name, problem, solver))).toEqual(rates.map(([, rate]) => rate))
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
