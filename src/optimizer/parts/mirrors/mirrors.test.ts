import { describe, expect, test } from 'vitest'
import { beginning } from '../../../../test/conformance/directions.ts'
import type { ConvexSet, Move, Vector } from '../../core/types.ts'
import { zoSMD } from '../../methods/presets.ts'
import { minimizeSync } from '../../minimize/minimize-sync.ts'
import { l1Ball } from '../sets/balls.ts'
import { box, wholeSpace } from '../sets/boxes.ts'
import { simplex, slab } from '../sets/planes.ts'
import { entropy, euclidean } from './mirrors.ts'

describe('euclidean', () => {
  function advanced(set: ConvexSet, start: number[], rate: number, move: Move, weight = 0.5): number[] {
    const x = Float64Array.from(start)
    euclidean({ weight }).start(beginning(start.length, { start, set })).advance(x, rate, move)
    return Array.from(x)
  }

  const vector = (...values: number[]): Vector => Float64Array.from(values)

  test('psi(x) = weight ||x||^2 gives steps of rate / (2 weight)', () => {
    const move = { direction: vector(4), squares: null, metricSquares: null }
    expect(advanced(wholeSpace(), [1], 0.5, move)).toEqual([-1])
    expect(advanced(wholeSpace(), [1], 0.5, move, 1)).toEqual([0])
    expect(advanced(wholeSpace(), [1], 0.5, move, 0.25)).toEqual([-3])
  })

  describe('the counter-example (5): f = -2 x1 - x2 at (1/2, 1/2), a sign step of 0.1', () => {
    // Sign steps of AMSGrad with exact gradients: the direction over the root of its square.
    const squares = vector(4, 1)
    const step = { direction: vector(-2, -1), squares }
    const set = slab({ normal: [1, 1], lower: -1, upper: 1 })

    test('projected in the metric of the step goes on along the boundary', () => {
      const [x1, x2] = advanced(set, [0.5, 0.5], 0.1, { ...step, metricSquares: squares })
      expect(x1).toBeCloseTo(0.5333333333333333, 14)
      expect(x2).toBeCloseTo(0.4666666666666667, 14)
    })

    test('projected in the Euclidean metric it sticks', () => {
      expect(advanced(set, [0.5, 0.5], 0.1, { ...step, metricSquares: null })).toEqual([0.5, 0.5])
      expect(advanced(l1Ball({ radius: 1 }), [0.5, 0.5], 0.1, { ...step, metricSquares: null })).toEqual([0.5, 0.5])
    })
  })

  test('a box does not care about the metric', () => {
    const set = box({ lower: -1, upper: 0.25 })
    const step = { direction: vector(-2, -1), squares: vector(4, 1) }
    expect(advanced(set, [0, 0], 1, { ...step, metricSquares: vector(4, 1) })).toEqual(
      advanced(set, [0, 0], 1, { ...step, metricSquares: null }),
    )
  })

  test('a coordinate that never moved has a metric above 0', () => {
    const set = slab({ normal: [1, 1], lower: -1, upper: 1 })
    const step = { direction: vector(0, -3), squares: vector(0, 9), metricSquares: vector(0, 9) }
    const x = advanced(set, [0.5, 0.5], 0.1, step)
    expect(x.every(Number.isFinite)).toBe(true)
    expect((x[0] as number) + (x[1] as number)).toBeCloseTo(1, 12)
    // The coordinate that costs nothing takes the whole way back.
    expect(x[1]).toBeCloseTo(0.6, 9)
    const nothing = { direction: vector(0, 0), squares: vector(0, 0), metricSquares: vector(0, 0) }
    expect(advanced(set, [0.5, 0.25], 0.1, nothing)).toEqual([0.5, 0.25])
  })

  test('in float32 a clipped point lies inside bounds that float32 cannot hold', () => {
    const set = box({ lower: -0.1, upper: 0.1 })
    const at = beginning(2, { start: [0, 0], set, precision: 'float32' })
    const x = new Float32Array(2)
    euclidean()
      .start(at)
      .advance(x, 1, { direction: Float32Array.of(-5, 5), squares: null, metricSquares: null })
    expect(x[0]).toBeLessThanOrEqual(0.1)
    expect(x[0]).toBeGreaterThan(0.0999999)
    expect(x[1]).toBeGreaterThanOrEqual(-0.1)
    expect(x[1]).toBeLessThan(-0.0999999)
  })
})

describe('entropy', () => {
  function advanced(start: number[], rate: number, gradient: number[], squares?: number[], sum = 1): number[] {
    const x = Float64Array.from(start)
    const mirror = entropy().start(beginning(start.length, { start, set: simplex({ sum }) }))
    const direction = Float64Array.from(gradient)
    mirror.advance(x, rate, {
      direction,
      squares: squares === undefined ? null : Float64Array.from(squares),
      metricSquares: null,
    })
    return Array.from(x)
  }

  test('multiplies by exp(-rate g) and normalises', () => {
    const [x, g, rate] = [[0.5, 0.3, 0.2], [1, -2, 0.5], 0.7]
    const products = x.map((each, i) => each * Math.exp(-rate * (g[i] as number)))
    const total = products.reduce((sum, each) => sum + each)
    advanced(x, rate, g).forEach((each, i) => expect(each).toBeCloseTo((products[i] as number) / total, 14))
  })

  test('divides by the root of the squares where a step asks for it', () => {
    expect(advanced([0.5, 0.5], 0.7, [4, -2], [4, 16])).toEqual(advanced([0.5, 0.5], 0.7, [2, -0.5]))
  })

  test('keeps any sum', () => {
    const x = advanced([2, 1, 0.5], 0.7, [1, -2, 0.5], undefined, 3.5)
    expect(x.reduce((sum, each) => sum + each)).toBeCloseTo(3.5, 14)
  })

  test('a zero stays a zero, even where its exponent overflows', () => {
    const x = advanced([0.5, 0.5, 0], 1, [0, 1, -1e6])
    expect(x[2]).toBe(0)
    expect(x[0]).toBeCloseTo(1 / (1 + Math.exp(-1)), 14)
  })

  test('steps too steep for any exponential end in a corner', () => {
    expect(advanced([0.5, 0.25, 0.25], 1, [1e6, -1e6, 0])).toEqual([0, 1, 0])
  })

  describe('ZO-SMD with it', () => {
    test('finds the best corner of a linear function on the simplex and never leaves the simplex', () => {
      const set = simplex()
      const cost = [0.5, 0.2, 0.9, 0.4]
      const result = minimizeSync(
        (x) => cost.reduce((sum, c, i) => sum + c * (x[i] as number), 0),
        [0.25, 0.25, 0.25, 0.25],
        {
          solver: zoSMD({ mirror: entropy(), learningRate: 1 }),
          set,
          maxIterations: 200,
        },
      )
      expect(result.value - 0.2).toBeLessThan(1e-3)
      expect(result.value).toBeGreaterThanOrEqual(0.2 - 1e-12)
      expect(set.contains(result.point)).toBe(true)
      expect(result.point[1]).toBeGreaterThan(0.99)
    })

    test('needs a simplex', () => {
      const f = (): number => 0
      const message = 'entropy works on a simplex only; give set: simplex({ sum })'
      const solver = zoSMD({ mirror: entropy() })
      expect(() => minimizeSync(f, [1, 2], { solver })).toThrow(message)
      expect(() => minimizeSync(f, [1, 2], { solver, set: box({ lower: 0 }) })).toThrow(message)
    })
  })
})
