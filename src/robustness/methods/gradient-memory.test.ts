import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { beginning } from '../../../test/conformance/directions.ts'
import { makeAnswers } from '../../optimizer/core/answers.ts'
import type { BasisState, Vector } from '../../optimizer/core/types.ts'
import { dct, LocalCosines } from '../../optimizer/parts/bases/dct.ts'
import { box } from '../../optimizer/parts/sets/boxes.ts'
import {
  coordinateSpan,
  type GradientMemory,
  gradientMemory,
  selectByGroup,
  selectSteepest,
} from './gradient-memory.ts'

describe('gradient memory', () => {
  /** Takes `count` slopes of f around x. */
  function take(slopes: GradientMemory, f: (x: Vector) => number, x: Vector, count: number, length = 1e-4): void {
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
          const slopes = gradientMemory(at, coordinateSpan(at.dim))
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
    const slopes = gradientMemory(at, dct({ size: 4 }).start(at))
    const gradient = Array.from({ length: 24 }, (_, i) => Math.sin(i))
    for (let asked = 0; asked < 24; asked += 8) take(slopes, linear(gradient), at.start, 8)
    gradient.forEach((each, i) => expect(slopes.gradient[i]).toBeCloseTo(each, 7))
  })

  test('a slope that comes round again replaces the old one', () => {
    const at = beginning(2)
    const slopes = gradientMemory(at, coordinateSpan(2))
    take(slopes, linear([3, -1]), at.start, 2)
    take(slopes, linear([5, 7]), at.start, 2)
    expect(slopes.gradient[0]).toBeCloseTo(5, 7)
    expect(slopes.gradient[1]).toBeCloseTo(7, 7)
  })

  test('failed probes leave what was known', () => {
    const at = beginning(2)
    const slopes = gradientMemory(at, coordinateSpan(2))
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
    const [quick, slow] = [gradientMemory(at, coordinateSpan(5)), gradientMemory(at, plain)]
    for (const slopes of [quick, slow]) take(slopes, linear([1, 2, 3, 4, 5]), at.start, 3)
    expect(slow.gradient).toEqual(quick.gradient)
  })

  test('a slope too steep to be squared is held', () => {
    const at = beginning(1)
    const slopes = gradientMemory(at, coordinateSpan(1))
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
      const slopes = gradientMemory(at, coordinateSpan(4), true)
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
    const slopes = gradientMemory(at, coordinateSpan(2), true)
    take(slopes, linear([3, 7]), at.start, 2)
    expect(slopes.gradient[0]).toBeCloseTo(3, 7)
    expect(slopes.gradient[1]).toBe(0)
  })
})

describe('selection by group', () => {
  /** A basis whose vectors are of the groups given. */
  const grouped = (groups: readonly number[]): BasisState => ({
    ...coordinateSpan(groups.length),
    group: (index) => groups[index] as number,
  })

  /** Takes slopes of the sizes given, `count` at a time; returns the vectors in the order in which they were taken. */
  function take(
    span: BasisState,
    slopeOf: (vector: number) => number,
    count: number,
    times: number,
    seed = 1,
  ): number[] {
    const choose = selectByGroup(seed, span)
    const [slopes, taken] = [new Float64Array(span.dim), new Float64Array(span.dim)]
    const order: number[] = []
    for (let i = 0; i < times; i++) {
      choose({ slopes, taken }, order.length, count).forEach((vector) => {
        slopes[vector] = slopeOf(vector)
        order.push(vector)
        taken[vector] = order.length
      })
    }
    return order
  }

  test('takes every slope once before any is taken again, in an order that depends on the seed alone', () => {
    const order = take(coordinateSpan(30), () => 1, 5, 6)
    expect([...order].sort((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, i) => i))
    expect(take(coordinateSpan(30), () => 1, 5, 6)).toEqual(order)
    expect(take(coordinateSpan(30), () => 1, 5, 6, 2)).not.toEqual(order)
  })

  test('also where no slope is found at all', () => {
    expect(new Set(take(coordinateSpan(30), () => 0, 5, 6)).size).toBe(30)
  })

  test('tries every group, then takes the slopes of the steep ones first', () => {
    // Ten groups of ten that are not akin; the last is steep.
    const groups = Array.from({ length: 100 }, (_, i) => 3 * Math.floor(i / 10))
    const order = take(grouped(groups), (vector) => (vector >= 90 ? 5 : 1), 8, 7)
    expect(new Set(order.slice(0, 40).map((vector) => groups[vector])).size).toBe(10)
    expect(order.filter((vector) => vector >= 90)).toHaveLength(10)
  })

  test('groups next to a steep one are expected to be steep, too', () => {
    // Forty of group 0, which is steep, five of a group next to it, and forty of one far away; all have been tried.
    const groups = Array.from({ length: 85 }, (_, i) => (i < 40 ? 0 : i < 45 ? 1 : 10))
    const choose = selectByGroup(1, grouped(groups))
    const [slopes, taken] = [new Float64Array(85), new Float64Array(85)]
    for (const [vector, slope] of [
      ...Array.from({ length: 40 }, (_, i) => [i, 9]),
      [40, 1],
      [41, 1],
      [45, 1],
      [46, 1],
    ]) {
      slopes[vector as number] = slope as number
      taken[vector as number] = 1
    }
    expect([...choose({ slopes, taken }, 44, 3)].sort()).toEqual([42, 43, 44])
  })

  test('known slopes are taken again when all are known, those of steep groups more often', () => {
    const groups = Array.from({ length: 40 }, (_, i) => (i < 20 ? 0 : 10))
    const order = take(grouped(groups), (vector) => (vector < 20 ? 3 : 1), 4, 60)
    const again = order.slice(40)
    const steep = again.filter((vector) => vector < 20).length
    expect(steep).toBeGreaterThan(0.6 * again.length)
    expect(steep).toBeLessThan(0.95 * again.length)
  })

  test('what is expected of single vectors counts', () => {
    const span: BasisState = { ...coordinateSpan(20), prospect: (index) => (index < 5 ? 10 : 1) }
    expect(take(span, () => 1, 6, 1).filter((vector) => vector < 5)).toHaveLength(5)
  })
})

describe('selection of the steepest', () => {
  const cosines = new LocalCosines({ channels: 3, height: 32, width: 24 }, 8)
  const { dim } = cosines

  /** Steep in one block of the image, and there in the low frequencies of brightness most of all. */
  const slopeOf = (vector: number): number => {
    const [channel, y, x] = [Math.floor(vector / 768), Math.floor((vector % 768) / 24), vector % 24]
    const isThere = y >= 8 && y < 16 && x >= 8 && x < 16
    return isThere ? (channel === 0 ? 3 : 1) / (1 + (y % 8) + (x % 8)) : 0.01
  }

  /** Takes that many slopes, ten at a time; returns the vectors in their order. */
  function take(count: number): number[] {
    const choose = selectSteepest(1, cosines)
    const known = { slopes: new Float64Array(dim), taken: new Float64Array(dim) }
    const all: number[] = []
    while (all.length < count) {
      const chosen = choose(known, all.length, Math.min(10, count - all.length))
      for (const vector of chosen) {
        known.slopes[vector] = slopeOf(vector)
        all.push(vector)
        known.taken[vector] = all.length
      }
    }
    return all
  }

  const energy = (vectors: readonly number[]): number =>
    vectors.reduce((sum, vector) => sum + slopeOf(vector) * slopeOf(vector), 0)
  const whole = energy(Array.from({ length: dim }, (_, i) => i))

  test('a tenth of the vectors finds most of a gradient that has its place and its frequencies', () => {
    // Chance would find a tenth.
    expect(energy(take(Math.round(dim / 10))) / whole).toBeGreaterThan(0.7)
  })

  test('no vector comes again soon, and steep ones come again first', () => {
    expect(new Set(take(150)).size).toBe(150)
    const all = take(2 * dim)
    const again = all.slice(dim, dim + 200)
    expect(energy(again) / again.length).toBeGreaterThan((2 * whole) / dim)
  })

  test('the same is known, the same is chosen', () => {
    expect(take(200)).toEqual(take(200))
  })
})
