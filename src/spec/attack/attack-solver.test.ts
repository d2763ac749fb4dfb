import { expect, test } from 'vitest'
import { smoothedSolver } from './attack-solver.ts'

test('a solver without smoothing of its own has that of the paper, one without the option has none; probes may leave the box', () => {
  expect(smoothedSolver('zo-adamm')).toEqual({ name: 'zo-adamm', smoothing: 0.005, feasible: false })
  expect(smoothedSolver({ name: 'zo-nes', smoothing: 0.1, learningRate: 3 })).toEqual({
    name: 'zo-nes',
    smoothing: 0.1,
    feasible: false,
    learningRate: 3,
  })
  expect(smoothedSolver('square')).toEqual({ name: 'square' })
})

test('solvers inside others do, too, whether they are given or usual', () => {
  expect(smoothedSolver({ name: 'two-phase', first: 'square', second: { name: 'zo-nes' } })).toEqual({
    name: 'two-phase',
    first: { name: 'square' },
    second: { name: 'zo-nes', smoothing: 0.005, feasible: false },
  })
  expect(smoothedSolver('two-phase')).toMatchObject({
    first: { name: 'simba', step: 0.5 },
    second: { name: 'zeroth', smoothing: 0.005, feasible: false },
  })
  expect(smoothedSolver({ name: 'two-phase', second: { name: 'zeroth', smoothing: 0.02 } })).toMatchObject({
    second: { name: 'zeroth', smoothing: 0.02 },
  })
})

test('what is no solver is left to those who check it', () => {
  expect(smoothedSolver(3)).toBe(3)
  expect(smoothedSolver({ name: 'no-such' })).toEqual({ name: 'no-such' })
})
