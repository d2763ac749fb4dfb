import { describe, expect, test } from 'vitest'
import { sampleDraw } from './answers.ts'
import { constant, inverse, inverseSqrt, scheduleOf, smoothingForHorizon, smoothingForNoise } from './iteration.ts'

describe('schedules', () => {
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
})

describe('samples', () => {
  const drawn = (count: number, population: number | undefined, iteration: number, seed = 1): number[] => {
    const draw = sampleDraw(count, population)
    return Array.from({ length: count }, (_, j) => draw.at({ seed, iteration }, j))
  }

  describe('from a finite sum', () => {
    test('indices are distinct and below the population', () => {
      for (let iteration = 1; iteration <= 200; iteration++) {
        const indices = drawn(4, 6, iteration)
        expect(new Set(indices).size).toBe(4)
        expect(indices.every((index) => index >= 0 && index < 6)).toBe(true)
      }
    })

    test('as many as there are takes all of them, in order', () => {
      expect(drawn(5, 5, 9)).toEqual([0, 1, 2, 3, 4])
      expect(drawn(1, 1, 9)).toEqual([0])
    })

    test('every set of indices is equally likely', () => {
      const counts = new Map<string, number>()
      const draws = 6000
      for (let iteration = 1; iteration <= draws; iteration++) {
        const key = String(drawn(2, 4, iteration).sort())
        counts.set(key, (counts.get(key) ?? 0) + 1)
      }
      expect(counts.size).toBe(6)
      const squares = Array.from(counts.values(), (each) => (each - draws / 6) * (each - draws / 6))
      const chiSquare = squares.reduce((sum, each) => sum + each / (draws / 6), 0)
      // 99.9 % quantile with 5 degrees of freedom.
      expect(chiSquare).toBeLessThan(20.52)
    })

    test('more than there are is refused', () => {
      expect(() => sampleDraw(4, 3)).toThrow('samples must be at most the population (3), got 4')
    })
  })

  describe('from an infinite population', () => {
    test('words differ between samples, iterations and seeds', () => {
      const words = [...drawn(3, undefined, 1), ...drawn(3, undefined, 2), ...drawn(3, undefined, 1, 2)]
      expect(new Set(words).size).toBe(9)
      expect(words.every((word) => Number.isInteger(word) && word >= 0 && word < 4294967296)).toBe(true)
    })
  })

  test.each([undefined, 10])('the same address gives the same sample, in any order (population %s)', (population) => {
    const draw = sampleDraw(3, population)
    const first = [0, 1, 2].map((j) => draw.at({ seed: 1, iteration: 5 }, j))
    draw.at({ seed: 1, iteration: 6 }, 0)
    draw.at({ seed: 2, iteration: 5 }, 0)
    expect([2, 1, 0].map((j) => draw.at({ seed: 1, iteration: 5 }, j))).toEqual([...first].reverse())
  })
})
