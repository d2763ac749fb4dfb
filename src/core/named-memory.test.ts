import { expect, test } from 'vitest'
import { namedMemory } from './named-memory.ts'

test('vectors stay the same objects under names that say whose they are; nothing remembered is nothing named', () => {
  const average = Float64Array.of(1)
  const named = namedMemory('step', { average })
  expect(Object.keys(named)).toEqual(['step.average'])
  expect(named['step.average']).toBe(average)
  expect(namedMemory('step')).toEqual({})
})
