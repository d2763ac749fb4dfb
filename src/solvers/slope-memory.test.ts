import fc from 'fast-check'
import { expect, test } from 'vitest'
import { beginning } from '../../test/conformance/directions.ts'
import { dct } from '../bases/dct.ts'
import { makeAnswers } from '../core/answers.ts'
import type { Vector } from '../core/types.ts'
import { box } from '../sets/box.ts'
import { coordinateSpan, type SlopeMemory, slopeMemory } from './slope-memory.ts'

/** Takes `count` slopes of f around x. */
function take(slopes: SlopeMemory, f: (x: Vector) => number, x: Vector, count: number, length = 1e-4): void {
  const answers = makeAnswers(count + 1)
  answers.values[0] = f(x)
  for (let i = 0; i < count; i++) {
    const row = new Float64Array(x.length)
    slopes.write({ x, length, count }, i, row, 0)
    answers.values[i + 1] = f(row)
  }
  slopes.learn(answers, { x, length, count })
}

const linear = (slope: readonly number[]) => (x: Vector) =>
  slope.reduce((sum, each, i) => sum + each * (x[i] as number), 0)

test('knows the whole gradient of a linear function after one round, however it is cut into iterations', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: -5, max: 5, noNaN: true }), { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 12 }),
      (gradient, count) => {
        const at = beginning(gradient.length)
        const slopes = slopeMemory(at, coordinateSpan(at.dim))
        const size = Math.min(count, at.dim)
        for (let asked = 0; asked < at.dim; asked += size) take(slopes, linear(gradient), at.start, size)
        gradient.forEach((each, i) => expect(slopes.gradient[i]).toBeCloseTo(each, 7))
      },
    ),
    { numRuns: 60 },
  )
})

test('the frequencies of an image give the gradient in pixels', () => {
  const shape = { channels: 2, height: 4, width: 3 }
  const at = beginning(24, { shape })
  const slopes = slopeMemory(at, dct({ size: 4 }).begin(at))
  const gradient = Array.from({ length: 24 }, (_, i) => Math.sin(i))
  for (let asked = 0; asked < 24; asked += 8) take(slopes, linear(gradient), at.start, 8)
  gradient.forEach((each, i) => expect(slopes.gradient[i]).toBeCloseTo(each, 7))
})

test('a slope that comes round again replaces the old one', () => {
  const at = beginning(2)
  const slopes = slopeMemory(at, coordinateSpan(2))
  take(slopes, linear([3, -1]), at.start, 2)
  take(slopes, linear([5, 7]), at.start, 2)
  expect(slopes.gradient[0]).toBeCloseTo(5, 7)
  expect(slopes.gradient[1]).toBeCloseTo(7, 7)
})

test('failed probes leave what was known', () => {
  const at = beginning(2)
  const slopes = slopeMemory(at, coordinateSpan(2))
  take(slopes, linear([3, -1]), at.start, 2)
  const answers = makeAnswers(3)
  answers.values.set([0, Number.NaN, Number.NaN])
  answers.failed.set([0, 1, 1])
  slopes.learn(answers, { x: at.start, length: 1e-4, count: 2 })
  expect(slopes.gradient[0]).toBeCloseTo(3, 7)
  expect(slopes.gradient[1]).toBeCloseTo(-1, 7)
})

test('a basis without single vectors is asked for sums, and gives the same', () => {
  const at = beginning(5)
  const { add: _, ...plain } = coordinateSpan(5)
  const [quick, slow] = [slopeMemory(at, coordinateSpan(5)), slopeMemory(at, plain)]
  for (const slopes of [quick, slow]) take(slopes, linear([1, 2, 3, 4, 5]), at.start, 3)
  expect(slow.gradient).toEqual(quick.gradient)
})

test('a slope too steep to be squared is held', () => {
  const at = beginning(1)
  const slopes = slopeMemory(at, coordinateSpan(1))
  const answers = makeAnswers(2)
  answers.values.set([-1e300, 1e300])
  slopes.learn(answers, { x: at.start, length: 1e-4, count: 1 })
  expect(slopes.gradient[0]).toBe(1e140)
})

test('inside a box it knows the gradient at a corner, and asks nothing outside', () => {
  const gradient = [3, -1, 2, -5]
  // The last coordinate has less room than a probe is long.
  const set = box({ lower: [0, 0, 0, 0], upper: [1, 1, 1, 1e-5] })
  for (const start of [
    [0, 0, 1, 0],
    [1, 0.5, 0, 1e-5],
  ]) {
    const at = beginning(4, { start, set })
    const slopes = slopeMemory(at, coordinateSpan(4), true)
    const f = (x: Vector): number => {
      expect(set.contains(x)).toBe(true)
      return linear(gradient)(x)
    }
    take(slopes, f, at.start, 4)
    gradient.forEach((each, i) => expect(slopes.gradient[i]).toBeCloseTo(each, 7))
  }
})

test('along a coordinate that has no room there is no slope', () => {
  const set = box({ lower: [0, 2], upper: [1, 2] })
  const at = beginning(2, { start: [0, 2], set })
  const slopes = slopeMemory(at, coordinateSpan(2), true)
  take(slopes, linear([3, 7]), at.start, 2)
  expect(slopes.gradient[0]).toBeCloseTo(3, 7)
  expect(slopes.gradient[1]).toBe(0)
})
