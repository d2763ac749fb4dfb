import { expect, test } from 'vitest'
import { compileSpec } from '../../spec/index.ts'
import { dryRun, explain } from './minimize.ts'

const compile = (dim: number, maxQueries: number) =>
  compileSpec({ objective: 'rosenbrock', dim, solver: { name: 'zo-adamm', directions: 2 }, maxQueries, start: 0.5 })

test('shows the rows of the first iteration, the point itself first', () => {
  const { iteration, centers, queries } = JSON.parse(dryRun(compile(3, 100), true))
  expect({ iteration, centers }).toEqual({ iteration: 1, centers: 1 })
  expect(queries).toHaveLength(3)
  expect(queries[0]).toEqual([0.5, 0.5, 0.5])
  expect(queries[1]).not.toEqual(queries[0])
})

test('for people a line per row, long points cut', () => {
  const lines = dryRun(compile(20, 100), false).split('\n')
  expect(lines[0]).toBe('iteration 1 would ask 3 queries:')
  expect(lines[1]).toBe(`point ${'0.500000 '.repeat(8)}... 20 in all`)
  expect(lines.slice(2).every((line) => line.startsWith('probe 0.'))).toBe(true)
})

test('a budget of one query asks the start alone', () => {
  expect(dryRun(compile(3, 1), false)).toBe('iteration 1 would ask one query:\npoint 0.500000 0.500000 0.500000')
})

test('variables are shown by name, in their own units', () => {
  const variables = { rate: { from: 1e-5, to: 0.1, scale: 'log' as const }, width: { from: 0, to: 4 } }
  const compiled = compileSpec({ objective: 'rosenbrock', variables, maxQueries: 1, start: { rate: 0.1 } })
  expect(dryRun(compiled, false)).toBe('iteration 1 would ask one query:\npoint rate=0.100000 width=2')
  const { variables: named, queries } = JSON.parse(dryRun(compiled, true))
  expect({ named, queries }).toEqual({ named: [{ rate: 0.1, width: 2 }], queries: [[0.1, 2]] })
})

test('choices are shown as they are, and what does not matter is not', () => {
  const variables = {
    mode: { choices: ['fast', 'best'] },
    threads: { from: 1, to: 16, step: 1 },
    depth: { from: 1, to: 9, step: 1, when: { mode: 'best' } },
  }
  const compiled = compileSpec({ objective: { name: 'exec', command: ['true'] }, variables, maxQueries: 1 })
  expect(dryRun(compiled, false)).toBe('iteration 1 would ask one query:\npoint mode=fast threads=8')
  expect(explain(compiled, false)).toBe(
    [
      '3 variables in a box, 1 queries at most',
      '',
      'method    until query  why',
      '--------  -----------  -----------------------------------------------------------------------------------------',
      'bayesian            1  some variables have steps, choices or conditions: models of all answers choose each query',
    ].join('\n'),
  )
})

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
