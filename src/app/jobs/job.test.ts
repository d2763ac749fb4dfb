import { expect, test } from 'vitest'
import { changedLimits, newLimits } from './job.ts'

const spec = {
  objective: { name: 'rosenbrock' },
  dim: 3,
  solver: { name: 'zo-adamm', directions: 10 },
  maxQueries: 100,
}

test('limits that are new or other than those of the spec', () => {
  expect(newLimits(spec, {})).toEqual({})
  expect(newLimits(spec, { maxQueries: 100 })).toEqual({})
  expect(newLimits(spec, { maxQueries: 200, target: 0.5, patience: 30, maxTime: undefined })).toEqual({
    maxQueries: 200,
    target: 0.5,
    patience: 30,
  })
})

test('the same spec changes nothing, other limits are the change', () => {
  expect(changedLimits('run', spec, structuredClone(spec))).toEqual({})
  expect(changedLimits('run', spec, { ...spec, maxQueries: 200, maxIterations: 5 })).toEqual({
    maxQueries: 200,
    maxIterations: 5,
  })
})

test('another problem, another method or a limit that is gone is another run', () => {
  expect(() => changedLimits('run', spec, { ...spec, dim: 4 })).toThrow(
    'run is another run: its dim is 3, not 4; choose another folder',
  )
  expect(() => changedLimits('run', spec, { ...spec, solver: { name: 'zo-sgd' } })).toThrow('its solver is {"name":')
  expect(() => changedLimits('run', spec, { ...spec, seed: 1 })).toThrow('its seed is nothing, not 1')
  const { maxQueries: _, ...unlimited } = spec
  expect(() => changedLimits('run', spec, unlimited)).toThrow('its maxQueries is 100, not nothing')
})
