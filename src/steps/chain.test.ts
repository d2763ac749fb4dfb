import { expect, test } from 'vitest'
import { beginning } from '../../test/conformance/directions.ts'
import { saveMemory } from '../core/memory.ts'
import type { Move } from '../core/types.ts'
import { adaptiveMoments } from './adaptive-moments.ts'
import { chain } from './chain.ts'
import { momentum } from './momentum.ts'
import { sign } from './sign.ts'

const at = beginning(2)
const move = (...gradient: number[]): Move => ({
  direction: Float64Array.from(gradient),
  squares: null,
  metricSquares: null,
})

test('each step works on what the one before it left', () => {
  const stepping = chain({ steps: [momentum({ beta: 0.5 }), sign()] }).begin(at)
  const first = move(4, -2)
  stepping.apply(first, 1, at.start)
  expect(Array.from(first.direction)).toEqual([1, -1])
  const second = move(-1, -2)
  stepping.apply(second, 2, at.start)
  // The average is (2 - 1) / 2 in the first coordinate: still uphill.
  expect(Array.from(second.direction)).toEqual([1, -1])
  expect(Array.from(saveMemory(stepping.memory).vectors['0.average'] ?? [])).toEqual([0.5, -1.5])
})

test('the order matters', () => {
  const stepping = chain({ steps: [sign(), momentum({ beta: 0.5 })] }).begin(at)
  const only = move(4, -2)
  stepping.apply(only, 1, at.start)
  expect(Array.from(only.direction)).toEqual([0.5, -0.5])
})

test('a sign forgets the division of the step before it', () => {
  const stepping = chain({ steps: [adaptiveMoments(), sign()] }).begin(at)
  const only = move(4, -2)
  stepping.apply(only, 1, at.start)
  expect(only.squares).toBeNull()
  expect(Array.from(only.direction)).toEqual([1, -1])
})

test('the memories of two equal steps are kept apart', () => {
  const stepping = chain({ steps: [momentum(), momentum({ beta: 0.5 }), sign()] }).begin(at)
  expect(Object.keys(saveMemory(stepping.memory).vectors)).toEqual(['0.average', '1.average'])
})

test('needs a step at least', () => {
  expect(() => chain({ steps: [] })).toThrow('chain.steps must hold at least 1, got Array(0)')
  expect(() => chain({ steps: [3 as never] })).toThrow('chain.steps.0 must be a step, got 3')
})
