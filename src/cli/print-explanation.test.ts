import { expect, test } from 'vitest'
import { compileSpec } from '../spec/index.ts'
import { explain } from './print-explanation.ts'

const objective = { name: 'exec', command: ['true'] }

test('says that variables with names have bounds', () => {
  const variables = { rate: { from: 1e-5, to: 0.1, scale: 'log' }, width: { from: 0, to: 4 } } as const
  expect(explain(compileSpec({ objective, variables }), false).split('\n')[0]).toBe(
    '2 variables in a box, 10,000 queries at most',
  )
})

test('says that variables without names and bounds have none', () => {
  expect(explain(compileSpec({ objective, dim: 3, maxQueries: 50 }), false).split('\n')[0]).toBe(
    '3 variables without bounds, 50 queries at most',
  )
})

test('refuses to explain a method that was named', () => {
  expect(() => explain(compileSpec({ objective, dim: 3, solver: 'cma-es' }), false)).toThrow(/uses cma-es/)
})
