import { expect, test } from 'vitest'
import { solverWith } from './tuning-search.ts'

test('a learning rate that decays keeps its schedule', () => {
  const setting = { learningRate: 0.3, beta1: 0.5, beta2: 0.7 }
  expect(
    solverWith({ solver: { name: 'a', learningRate: { value: 1, decay: 'linear' }, beta1: 0.9 } }, setting),
  ).toEqual({
    name: 'a',
    learningRate: { value: 0.3, decay: 'linear' },
    beta1: 0.5,
    beta2: 0.7,
  })
  expect(solverWith({ solver: { name: 'a', learningRate: 1 } }, { learningRate: 0.3 })).toEqual({
    name: 'a',
    learningRate: 0.3,
  })
})
