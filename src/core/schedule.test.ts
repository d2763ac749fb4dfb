import { expect, test } from 'vitest'
import { constant, inverse, inverseSqrt, scheduleOf, smoothingForHorizon, smoothingForNoise } from './schedule.ts'

test('schedules count from 1', () => {
  expect([1, 4, 9].map(constant(0.6))).toEqual([0.6, 0.6, 0.6])
  expect([1, 4, 9].map(inverseSqrt(0.6))).toEqual([0.6, 0.3, 0.6 / 3])
  expect([1, 4, 8].map(inverse(0.6))).toEqual([0.6, 0.15, 0.075])
})

test('an option is a number, a value with its decay, or a function', () => {
  expect(scheduleOf(0.5)(100)).toBe(0.5)
  expect(scheduleOf(0.5, 'sqrt')(100)).toBe(0.05)
  expect(scheduleOf({ value: 0.5 }, 'sqrt')(100)).toBe(0.5)
  expect(scheduleOf({ value: 0.5, decay: 'none' }, 'sqrt')(100)).toBe(0.5)
  expect(scheduleOf({ value: 0.5, decay: 'sqrt' })(100)).toBe(0.05)
  expect(scheduleOf({ value: 0.5, decay: 'linear' })(100)).toBe(0.005)
  expect(scheduleOf((t) => 2 * t, 'sqrt')(100)).toBe(200)
})

test('smoothing radii follow the theory', () => {
  expect(smoothingForHorizon({ dim: 268_203, iterations: 1000 })).toBeCloseTo(6.1e-5, 6)
  expect(smoothingForNoise({ noise: 1e-8, curvature: 4, difference: 'forward' })).toBeCloseTo(1e-4, 15)
  expect(smoothingForNoise({ noise: 9e-9, curvature: 1, difference: 'central' })).toBeCloseTo(3e-3, 15)
})

test.each([Number.NaN, -1, Infinity, undefined, '1'])('a function that gives %o is refused when it does', (value) => {
  const schedule = scheduleOf((t) => (t < 3 ? 0 : (value as number)))
  expect([schedule(1), schedule(2)]).toEqual([0, 0])
  expect(() => schedule(3)).toThrow(/^a schedule must give finite numbers of at least 0, got .* in iteration 3$/)
})
