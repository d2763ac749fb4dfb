import { Command } from 'commander'
import { expect, test } from 'vitest'
import { specSchema } from '../spec/index.ts'
import { withSpecOptions } from './spec-options.ts'

const { options } = withSpecOptions(new Command())

test('every option stands for something that a spec can say', () => {
  const known = Object.keys((specSchema() as { properties: object }).properties)
  const others = ['config', 'function', 'exec', 'http', 'module', 'learningRate', 'directions', 'smoothing']
  const names = options.map((option) => option.attributeName())
  const unknown = names.filter((name) => ![...known, ...others, 'retries', 'variable', 'option'].includes(name))
  expect(unknown).toEqual([])
  expect(names).toHaveLength(new Set(names).size)
})

test('the help names the test problems and the solvers there are', () => {
  const described = options.map(({ description }) => description).join('\n')
  for (const name of ['rosenbrock', 'logistic-regression', 'zo-sgd', 'descent']) expect(described).toContain(name)
})

test('options are read into numbers', () => {
  const read = withSpecOptions(new Command()).parse(
    ['--dim', '3', '--bounds', '-1,1', '-j', '2', '--max-time', '2s', '-O', 'a=1', '-O', 'b=2', '--start', '-1'],
    { from: 'user' },
  )
  expect(read.opts()).toEqual({
    dim: 3,
    bounds: [-1, 1],
    jobs: 2,
    maxTime: 2000,
    option: ['a=1', 'b=2'],
    start: -1,
  })
})
