import { expect, test } from 'vitest'
import { dot } from '../algebra/vectors.ts'
import type { Begin } from '../core/types.ts'
import { scalarKernels } from '../kernels/scalar.ts'
import { borderNormal } from './border-normal.ts'
import { coordinateSpan } from './slope-memory.ts'

const dim = 50
const at = { dim, kernels: scalarKernels } as unknown as Begin
const truth = Float64Array.from({ length: dim }, (_, i) => Math.sin(1 + 7 * i))
const length = Math.sqrt(dot(truth, truth))

/** The cosine of the angle between the estimate and the truth after so many answers. */
function learned(answers: number): number {
  const normal = borderNormal(at, coordinateSpan(dim))
  const direction = new Float64Array(dim)
  for (let row = 0; row < answers; row++) {
    normal.aim()
    normal.draw({ seed: 1, iteration: 1 }, row, direction)
    normal.learn(direction, dot(direction, truth) > 0)
  }
  return normal.write(direction) ? dot(direction, truth) / length : 0
}

test('knows nothing at first, and the normal after some answers for each variable', () => {
  expect(learned(0)).toBe(0)
  expect(learned(50)).toBeGreaterThan(0.5)
  // An average of random directions with their signs would have reached 0.87.
  expect(learned(250)).toBeGreaterThan(0.95)
})

test('asks at right angles to what it knows', () => {
  const normal = borderNormal(at, coordinateSpan(dim))
  const [step, estimate] = [new Float64Array(dim), new Float64Array(dim)]
  step[3] = 2
  normal.learn(step, true)
  normal.aim()
  normal.write(estimate)
  normal.draw({ seed: 1, iteration: 1 }, 0, step)
  expect(estimate[3]).toBeCloseTo(1, 12)
  expect(dot(step, estimate)).toBeCloseTo(0, 12)
  expect(dot(step, step)).toBeCloseTo(1, 12)
})

test('draws the same until it is told to take over what was learned', () => {
  const normal = borderNormal(at, coordinateSpan(dim))
  const [before, after, step] = [new Float64Array(dim), new Float64Array(dim), new Float64Array(dim).fill(1)]
  normal.draw({ seed: 1, iteration: 1 }, 4, before)
  normal.learn(step, false)
  normal.draw({ seed: 1, iteration: 1 }, 4, after)
  expect(after).toEqual(before)
  normal.aim()
  normal.draw({ seed: 1, iteration: 1 }, 4, after)
  expect(after).not.toEqual(before)
})

test('a step of no length teaches nothing, and fading only weakens', () => {
  const normal = borderNormal(at, coordinateSpan(dim))
  const estimate = new Float64Array(dim)
  normal.learn(new Float64Array(dim), true)
  expect(normal.write(estimate)).toBe(false)
  normal.learn(truth, true)
  normal.fade()
  normal.write(estimate)
  expect(dot(estimate, truth) / length).toBeCloseTo(1, 12)
})
