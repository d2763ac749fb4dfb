import { expect, test } from 'vitest'
import { givenBasis } from '../bases/given-basis.ts'
import { subspace } from '../directions/subspace.ts'
import { zoAdaMM } from '../solvers/zo-adamm.ts'
import { constrained } from './constrained.ts'
import { settingsWarnings } from './settings-warnings.ts'

const shape = { channels: 1, height: 2, width: 2 }
const common = { precision: 'float32', form: constrained() } as const

test('tells what a method says of its settings', () => {
  expect(settingsWarnings({ ...common, solver: zoAdaMM({ smoothing: 0.005 }) }, shape)).toEqual([])
  expect(settingsWarnings({ ...common, solver: zoAdaMM({ smoothing: 1e-5 }) }, shape)).toEqual([
    'smoothing 0.00001 is small for float32: directions lose digits below 0.0001',
  ])
})

test('throws what keeps a method from beginning on images of that size', () => {
  const solver = zoAdaMM({ along: subspace({ basis: givenBasis({ vectors: [[1, 2, 3]] }) }) })
  expect(() => settingsWarnings({ ...common, solver }, shape)).toThrow(/given-basis\.vectors\[0\]/)
})
