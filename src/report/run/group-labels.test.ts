import { expect, test } from 'vitest'
import { groupLabels } from './group-labels.ts'
import { settingsOf } from './settings.ts'

const labels = (specs: readonly object[]): string[] =>
  groupLabels(
    specs.map(settingsOf),
    specs.map((_, i) => `run-${i}`),
  )

test('solvers are told apart by their names alone, whatever else they differ in', () => {
  const specs = [{ solver: { name: 'zo-adamm', beta1: 0.9 } }, { solver: { name: 'zo-sgd', learningRate: 0.1 } }]
  expect(labels(specs)).toEqual(['zo-adamm', 'zo-sgd'])
})

test('one solver with several rates is told apart by its rate', () => {
  const specs = [0.1, 0.01].map((learningRate) => ({ dim: 2, solver: { name: 'zo-adamm', learningRate } }))
  expect(labels(specs)).toEqual(['learningRate 0.1', 'learningRate 0.01'])
})

test('where the solver is not enough, the setting that is missing follows, and no other', () => {
  const spec = (solver: string, learningRate: number, note: number) => ({
    note,
    solver: { name: solver, learningRate },
  })
  const specs = [spec('a', 0.1, 1), spec('a', 0.2, 1), spec('b', 0.1, 2)]
  expect(labels(specs)).toEqual(['a, learningRate 0.1', 'a, learningRate 0.2', 'b, learningRate 0.1'])
})

test('a single group is called after its solver, or its run', () => {
  expect(labels([{ solver: 'zo-sgd' }])).toEqual(['zo-sgd'])
  expect(labels([{ dim: 1 }])).toEqual(['run-0'])
})

test('long-winded labels give way to the names of runs, which are numbered where they repeat', () => {
  const specs = [{ text: 'x'.repeat(80) }, { text: 'y'.repeat(80) }]
  expect(labels(specs)).toEqual(['run-0', 'run-1'])
  expect(groupLabels(specs.map(settingsOf), ['same', 'same'])).toEqual(['same (1)', 'same (2)'])
})
