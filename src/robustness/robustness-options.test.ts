import { expect, test } from 'vitest'
import { parseOptions } from '../optimizer/core/options.ts'
import { originOf } from '../optimizer/core/part.ts'
import { zoAdaMM } from '../optimizer/methods/presets.ts'
import { givenBasis } from '../optimizer/parts/bases/tiles.ts'
import { subspace } from '../optimizer/parts/directions/subspace.ts'
import { constrained } from './formulations.ts'
import { labelOnly } from './methods/decision.ts'
import { robustnessOptions, settingsWarnings } from './robustness-options.ts'

const parsed = (options: object) => parseOptions('evaluateRobustness', robustnessOptions, options)

test('a solver is all that must be given; 11,001 queries are 1,000 iterations of 10 directions and the last look', () => {
  const solver = zoAdaMM()
  const { formulation, ...options } = parsed({ solver })
  expect(originOf(formulation)).toMatchObject({ kind: 'attack', name: 'constrained' })
  expect(options).toEqual({
    ...{ solver, lambda: 10, kappa: 0, maxQueries: 11 * 1000 + 1, seed: 0, precision: 'float32' },
    ...{ earlyStop: false, universal: false, failures: 'skip' },
  })
})

test.each([
  [{ solver: 'square' }, 'evaluateRobustness.solver must be a solver, got "square"'],
  [{ solver: zoAdaMM(), count: 0 }, 'evaluateRobustness.count must be at least 1, got 0'],
  [{ solver: zoAdaMM(), target: -1 }, 'evaluateRobustness.target must be at least 0'],
  [{ solver: zoAdaMM(), target: 'last' }, 'must be one of "next", got "last"'],
  [{ solver: zoAdaMM(), maxQueries: 0 }, 'evaluateRobustness.maxQueries must be at least 1, got 0'],
  [{ solver: zoAdaMM(), precision: 'float16' }, 'evaluateRobustness.precision must be one of "float64", "float32"'],
  [{ solver: zoAdaMM(), earlystop: true }, 'has no option earlystop; did you mean earlyStop?'],
])('%o is refused', (options, message) => {
  expect(() => parsed(options)).toThrow(message)
})

const model = { shape: { channels: 1, height: 2, width: 2 }, scores: 'logits' } as const
const common = { precision: 'float32', formulation: constrained() } as const

test('tells what a method says of its settings', () => {
  expect(settingsWarnings({ ...common, solver: zoAdaMM({ smoothing: 0.005 }) }, model)).toEqual([])
  expect(settingsWarnings({ ...common, solver: zoAdaMM({ smoothing: 1e-5 }) }, model)).toEqual([
    'smoothing 0.00001 is small for float32: directions lose digits below 0.0001',
  ])
})

test('says that a method for scores is blind where there are none, and refuses a margin', () => {
  const labels = { ...model, scores: 'labels' } as const
  expect(settingsWarnings({ ...common, solver: zoAdaMM({ smoothing: 0.005 }) }, labels)).toEqual([
    'zo-adamm needs scores, and the model answers with a class alone: images it does not fool may not be robust; use label-only',
  ])
  expect(settingsWarnings({ ...common, solver: labelOnly() }, labels)).toEqual([])
  expect(() => settingsWarnings({ ...common, solver: labelOnly() }, model)).toThrow(
    'label-only is for models that answer with a class and no scores',
  )
  expect(() => settingsWarnings({ ...common, solver: labelOnly(), kappa: 1 }, labels)).toThrow('kappa must be 0')
})

test('throws what keeps a method from beginning on images of that size', () => {
  const solver = zoAdaMM({ along: subspace({ basis: givenBasis({ vectors: [[1, 2, 3]] }) }) })
  expect(() => settingsWarnings({ ...common, solver }, model)).toThrow(/given-basis\.vectors\[0\]/)
})
