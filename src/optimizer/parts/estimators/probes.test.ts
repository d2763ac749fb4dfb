import { describe, expect, test } from 'vitest'
import { beginning } from '../../../../test/conformance/directions.ts'
import { makeAnswers } from '../../core/answers.ts'
import type { ConvexSet, Directions, Estimator, Precision } from '../../core/types.ts'
import { descent } from '../../methods/descent.ts'
import { zoAdaMM } from '../../methods/presets.ts'
import { minimizeSync } from '../../minimize/minimize-sync.ts'
import { coordinate, gaussian, sphere } from '../directions/basic.ts'
import { orthogonal } from '../directions/orthogonal.ts'
import { boxAndL2Ball, l1Ball, l2Ball } from '../sets/balls.ts'
import { box } from '../sets/boxes.ts'
import { halfspace, simplex, slab } from '../sets/planes.ts'
import { plain } from '../steps/basic.ts'
import { central, forward } from './differences.ts'

describe('probes', () => {
  describe('samples', () => {
    test('from an infinite population are 32-bit words, one per sample, the same for its whole difference', () => {
      const estimation = central({ along: sphere(), directions: 2, samples: 3 }).start(beginning(2, { seed: 1 }))
      const queries = estimation.queries(beginning(2).start, 4)
      const samples = Array.from({ length: queries.rows }, (_, row) => queries.sample(row))
      const [a, b, c] = samples as [number, number, number]
      expect(samples).toEqual([a, b, c, a, a, a, a, b, b, b, b, c, c, c, c])
      expect(new Set([a, b, c]).size).toBe(3)
      for (const word of [a, b, c]) expect(Number.isInteger(word) && word >= 0 && word < 4294967296).toBe(true)
      expect(Math.max(a, b, c)).toBeGreaterThan(65536)
    })

    test('are drawn anew in every iteration', () => {
      const at = beginning(2, { seed: 1 })
      const estimation = forward({ along: sphere(), directions: 1, samples: 1 }).start(at)
      const words = [1, 2, 3, 4].map((iteration) => estimation.queries(at.start, iteration).sample(0))
      expect(new Set(words).size).toBe(4)
    })

    test('cannot be more than a finite sum has terms', () => {
      expect(() => forward({ along: sphere(), samples: 5 }).start(beginning(2, { population: 3 }))).toThrow(
        'samples must be at most the population (3), got 5',
      )
    })
  })

  test('the smoothing radius follows its schedule', () => {
    const at = beginning(2, { start: [0, 0] })
    const length = (smoothing: Parameters<typeof forward>[0]['smoothing'], iteration: number): number => {
      const queries = forward({ along: sphere(), smoothing }).start(at).queries(at.start, iteration)
      const row = new Float64Array(2)
      queries.write(1, row)
      return Math.hypot(...row)
    }
    expect(length(0.5, 9)).toBeCloseTo(0.5, 6)
    expect(length({ value: 0.5, decay: 'none' }, 9)).toBeCloseTo(0.5, 6)
    expect(length({ value: 0.5, decay: 'sqrt' }, 9)).toBeCloseTo(0.5 / 3, 6)
    expect(length({ value: 0.5, decay: 'linear' }, 9)).toBeCloseTo(0.5 / 9, 6)
    expect(length((t) => t / 100, 9)).toBeCloseTo(0.09, 6)
  })

  test('even a thousand enormous differences leave squares that float32 can hold', () => {
    const at = beginning(2, { precision: 'float32' })
    const estimation = forward({ along: gaussian(), directions: 1000 }).start(at)
    const row = new Float64Array(2)
    const queries = estimation.queries(at.start, 1)
    const answers = makeAnswers(estimation.rows)
    // Each probe says the same: the first coordinate rises as steeply as numbers go.
    for (let i = 1; i < queries.rows; i++) {
      queries.write(i, row)
      answers.values[i] = (row[0] as number) > (at.start[0] as number) ? 1e308 : -1e308
    }
    const gradient = new Float32Array(2)
    estimation.estimate(at.start, 1, answers, gradient)
    expect(Number.isFinite(Math.fround((gradient[0] as number) * (gradient[0] as number)))).toBe(true)
    expect(gradient[0]).toBeGreaterThan(1e15)
  })

  test('a query that cannot be told from the point gives no slope', () => {
    const at = beginning(1, { start: [1e18] })
    const estimation = forward({ along: gaussian(), directions: 2, smoothing: 1e-3 }).start(at)
    const answers = makeAnswers(estimation.rows)
    answers.values.set([1, 2, 3])
    const gradient = new Float64Array(1)
    expect(estimation.estimate(at.start, 1, answers, gradient)).toBe(2)
    expect(Array.from(gradient)).toEqual([0])
  })

  test('rows that do not exist and places they do not fit into are refused', () => {
    const at = beginning(3)
    const queries = forward({ along: sphere(), directions: 2 }).start(at).queries(at.start, 1)
    const into = new Float64Array(5)
    expect(() => queries.write(3, into)).toThrow('queries.write: there is no row 3; rows are 0 to 2')
    expect(() => queries.write(-1, into)).toThrow('there is no row -1')
    expect(() => queries.write(1, into, 3)).toThrow('a row of 3 numbers does not fit into a vector of 5 from 3 on')
    expect(into).toEqual(new Float64Array(5))
    queries.write(0, into, 2)
    expect(into.subarray(2)).toEqual(Float64Array.from(at.start))
  })

  test('kept rows that are too few are refused', () => {
    const at = beginning(3)
    const estimation = forward({ along: sphere(), directions: 2 }).start(at)
    const answers = makeAnswers(3)
    answers.values.set([1, 2, 3])
    answers.rowBuffer = new Float64Array(8)
    expect(() => estimation.sum?.(1, answers)).toThrow('answers.kept needs 3 rows of 3, got 8 numbers')
  })

  test('probes that are short for float32 are warned of', () => {
    const warnings: string[] = []
    const at = { ...beginning(3, { precision: 'float32' }), warn: (message: string) => void warnings.push(message) }
    forward({ along: sphere(), smoothing: 1e-4 }).start(at)
    expect(warnings).toEqual([])
    forward({ along: sphere(), smoothing: 1e-5 }).start(at)
    expect(warnings).toEqual(['smoothing 0.00001 is small for float32: directions lose digits below 0.0001'])
  })
})

describe('probe rows', () => {
  /** An estimator made with the options that matter here. */
  type Made = (options: { along: Directions; feasible: boolean; smoothing: number }) => Estimator

  const sets: Record<string, ConvexSet> = {
    box: box({ lower: -0.1, upper: [0.3, 0.1, 0.7, 0.2] }),
    'half-line box': box({ lower: 0.1 }),
    'l2 ball': l2Ball({ radius: 0.7 }),
    'l1 ball': l1Ball({ radius: 0.7 }),
    simplex: simplex(),
    'half-space': halfspace({ normal: [1, 2, -1, 0.5], offset: 0.3 }),
    slab: slab({ normal: [1, 1, 1, 1], lower: -0.1, upper: 0.1 }),
    'box and l2 ball': boxAndL2Ball({ lower: -0.5, upper: 0.4, radius: 0.6 }),
  }

  /** Pulls every set to a corner: the smallest values lie far outside all of them. */
  const pull = (x: ArrayLike<number>): number =>
    [3, -2, 5, 0.5].reduce((sum, target, i) => sum + Math.abs((x[i] as number) - target), 0)

  describe.each(Object.entries(sets))('every query lies in the %s', (_, set) => {
    describe.each<Precision>(['float64', 'float32'])('in %s', (precision) => {
      test.each<[string, Made]>([
        ['forward', forward],
        ['central', central],
      ])('with %s differences', (_, estimator) => {
        let asked = 0
        let outside = 0
        for (const along of [sphere(), gaussian(), coordinate(), orthogonal()]) {
          const solver = descent({
            estimator: estimator({ along, feasible: true, smoothing: 0.05 }),
            step: plain(),
            learningRate: 0.05,
          })
          const check = (x: Float64Array): number => {
            asked++
            if (!set.contains(precision === 'float32' ? Float32Array.from(x) : x)) outside++
            return pull(x)
          }
          asked = 0
          const result = minimizeSync(check, [0.1, 0.1, 0.1, 0.1], {
            solver,
            set,
            precision,
            maxIterations: 8,
            seed: 3,
          })
          expect([result.queries, outside]).toEqual([asked, 0])
        }
      })
    })
  })

  describe('queries outside a box are allowed where one asks for it', () => {
    test('as in the paper', () => {
      const set = box({ lower: 0, upper: 1 })
      let outside = 0
      minimizeSync(
        (x) => {
          if (!set.contains(x)) outside++
          return pull(x)
        },
        [1, 1, 1, 1],
        { set, maxIterations: 3, solver: zoAdaMM({ feasible: false }) },
      )
      expect(outside).toBeGreaterThan(0)
    })
  })

  function rowsAround(start: number[], set: ConvexSet, estimator: Estimator): number[][] {
    const at = beginning(start.length, { start, set, trackBest: false })
    const estimation = estimator.start(at)
    const queries = estimation.queries(at.start, 1)
    return Array.from({ length: queries.rows }, (_, row) => {
      const into = new Float64Array(start.length)
      queries.write(row, into)
      return Array.from(into)
    })
  }

  describe('in a box', () => {
    const unit = box({ lower: 0, upper: 1 })
    const along = coordinate({ all: true })

    test('a one-sided probe turns round the coordinates that would leave', () => {
      const probes = rowsAround([1, 0.5], unit, forward({ along, feasible: true, smoothing: 0.25 })).slice(1)
      expect(probes).toEqual([
        [0.75, 0.5],
        [1, 0.75],
      ])
    })

    test('a two-sided probe is clipped', () => {
      const probes = rowsAround([1, 0.5], unit, central({ along, feasible: true, smoothing: 0.25 }))
      expect(probes).toEqual([
        [1, 0.5],
        [0.75, 0.5],
        [1, 0.75],
        [1, 0.25],
      ])
    })

    test('a box narrower than the probe is crossed from wall to wall', () => {
      const narrow = box({ lower: 0, upper: 0.1 })
      expect(rowsAround([0.05], narrow, forward({ along, feasible: true, smoothing: 0.25 })).slice(1)).toEqual([[0]])
    })

    test('a probe that stays inside is left as it is', () => {
      const wide = box({ lower: -9, upper: 9 })
      const how = { along: sphere(), smoothing: 0.25, directions: 4 }
      expect(rowsAround([1, 0.5], wide, forward({ ...how, feasible: true }))).toEqual(
        rowsAround([1, 0.5], wide, forward(how)),
      )
    })
  })

  describe('in another set', () => {
    test('the whole direction is turned where that keeps it inside', () => {
      const set = halfspace({ normal: [1, 0], offset: 1 })
      const along = coordinate({ all: true })
      expect(rowsAround([1, 0], set, forward({ along, feasible: true, smoothing: 0.25 })).slice(1)).toEqual([
        [0.75, 0],
        [1, 0.25],
      ])
    })

    test('the radius is halved until both sides are inside', () => {
      const set = slab({ normal: [1, 0], lower: -0.1, upper: 0.1 })
      const along = coordinate({ all: true })
      expect(rowsAround([0, 0], set, central({ along, feasible: true, smoothing: 0.25 }))).toEqual([
        [0.0625, 0],
        [-0.0625, 0],
        [0, 0.25],
        [0, -0.25],
      ])
    })
  })

  describe('the estimate uses the step really taken: it is exact on a linear function', () => {
    test.each<[string, ConvexSet, number[], Made]>([
      ['at the wall of a box', box({ lower: 0, upper: 1 }), [1, 0, 0.5], forward],
      ['at the wall of a half-space', halfspace({ normal: [1, 0, 0], offset: 1 }), [1, 0, 0.5], forward],
      ['where the radius is halved', slab({ normal: [1, 0, 0], lower: -0.1, upper: 0.1 }), [0, 0, 0.5], central],
      ['where it is halved on one side', slab({ normal: [1, 0, 0], lower: -0.1, upper: 0.1 }), [0.1, 0, 0.5], forward],
    ])('%s', (_, set, start, estimator) => {
      const slope = [2, -3, 0.5]
      const at = beginning(3, { start, set })
      const estimation = estimator({ along: coordinate({ all: true }), feasible: true, smoothing: 0.25 }).start(at)
      const queries = estimation.queries(at.start, 1)
      const answers = makeAnswers(queries.rows)
      const row = new Float64Array(3)
      for (let i = 0; i < queries.rows; i++) {
        queries.write(i, row)
        answers.values[i] = slope.reduce((sum, each, k) => sum + each * (row[k] as number), 0)
      }
      const gradient = new Float64Array(3)
      estimation.estimate(at.start, 1, answers, gradient)
      gradient.forEach((each, i) => {
        expect(each).toBeCloseTo(slope[i] as number, 12)
      })
    })
  })
})
