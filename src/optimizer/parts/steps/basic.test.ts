import { describe, expect, test } from 'vitest'
import { beginning } from '../../../../test/conformance/directions.ts'
import { saveMemory } from '../../core/part.ts'
import type { Move, Precision, StepState } from '../../core/types.ts'
import { chain, distanceOverGradients, sign } from './basic.ts'
import { adaptiveMoments, momentum } from './moments.ts'

describe('distance over gradients', () => {
  const move = (direction: readonly number[], squares: readonly number[] | null = null): Move => ({
    direction: Float64Array.from(direction),
    squares: squares && Float64Array.from(squares),
    metricSquares: null,
  })

  /** The direction that becomes of another one at a point. */
  function applied(
    stepping: StepState,
    direction: readonly number[],
    point: readonly number[],
    iteration = 1,
  ): number[] {
    const each = move(direction)
    stepping.apply(each, iteration, Float64Array.from(point))
    return Array.from(each.direction)
  }

  test('the farthest the run has been is divided by the root of the sum of squares', () => {
    const stepping = distanceOverGradients({ initial: 0.5 }).start(beginning(2, { start: [1, 1] }))
    // The sum of squares is 25, 169, 194, 290; the distance 0, 5, 13, 5.
    expect(applied(stepping, [3, 4], [1, 1])).toEqual([0.5 * 0.6, 0.5 * 0.8])
    expect(applied(stepping, [0, 12], [4, 5])).toEqual([0, (12 / 13) * 5])
    expect(applied(stepping, [5, 0], [6, 13])).toEqual([expect.closeTo((5 * 13) / Math.sqrt(194), 12), 0])
    // Coming back does not shorten the steps.
    expect(applied(stepping, [0, Math.sqrt(96)], [4, 5])[1]).toBeCloseTo((Math.sqrt(96) * 13) / Math.sqrt(290), 12)
  })

  describe('the first step', () => {
    const first = (start: number[], options = {}, direction = [3e4, -4e4]) =>
      Math.hypot(...applied(distanceOverGradients(options).start(beginning(2, { start })), direction, start))

    test('is as long as asked for, whatever the gradient is', () => {
      expect(first([5, 5], { initial: 0.25 })).toBeCloseTo(0.25, 14)
      expect(first([5, 5], { initial: 0.25 }, [1e-150, 0])).toBeCloseTo(0.25, 14)
    })

    test('is a tenth of 1 + ||x_0|| if nothing is said', () => {
      expect(first([0, 0])).toBeCloseTo(0.1, 14)
      expect(first([30, -40])).toBeCloseTo(5.1, 13)
    })
  })

  test('what the step before it divides by counts, and stays where it is', () => {
    const stepping = distanceOverGradients({ initial: 1 }).start(beginning(3, { start: [0, 0, 0] }))
    const each = move([6, 2, 7], [4, 0.25, 0])
    stepping.apply(each, 1, new Float64Array(3))
    // Divided: (3, 4, nothing), of length 5.
    expect(Array.from(each.direction)).toEqual([1.2, 0.4, 7 / 5])
    expect(Array.from(each.squares ?? [])).toEqual([4, 0.25, 0])
  })

  test('it begins at the start of the run, which moves on in place', () => {
    const at = beginning(2, { start: [3, 4] })
    const stepping = distanceOverGradients({ initial: 0.01 }).start(at)
    at.start.set([3, 16])
    const each = move([0, 2])
    stepping.apply(each, 1, at.start)
    expect(Array.from(each.direction)).toEqual([0, 12])
  })

  describe.each<Precision>(['float64', 'float32'])('in %s', (precision) => {
    test('lengths follow the exact ones for as long as runs last', () => {
      const at = beginning(1, { precision, start: [0] })
      const stepping = distanceOverGradients({ initial: 1 }).start(at)
      const direction = at.kernels.allocate(1, precision)
      for (let t = 1; t <= 20_000; t++) {
        direction[0] = 0.1
        stepping.apply({ direction, squares: null, metricSquares: null }, t, at.start)
      }
      expect((direction[0] as number) * Math.sqrt(20_000)).toBeCloseTo(1, precision === 'float32' ? 3 : 10)
    })

    test('the largest gradients do not end in anything that is not finite', () => {
      const at = beginning(3, { precision })
      const largest = precision === 'float32' ? 3e38 : 1e300
      const stepping = distanceOverGradients().start(at)
      for (const size of [largest, 1]) {
        const direction = at.kernels.allocate(3, precision).fill(size)
        stepping.apply({ direction, squares: null, metricSquares: null }, 1, at.start)
        expect(direction.every(Number.isFinite)).toBe(true)
      }
      const { vectors, state } = saveMemory(stepping.memory)
      for (const vector of Object.values(vectors)) expect(vector.every(Number.isFinite)).toBe(true)
      for (const entry of Object.values(state)) expect(Number.isFinite(entry)).toBe(true)
    })
  })
})

describe('chain', () => {
  const at = beginning(2)
  const move = (...gradient: number[]): Move => ({
    direction: Float64Array.from(gradient),
    squares: null,
    metricSquares: null,
  })

  test('each step works on what the one before it left', () => {
    const stepping = chain({ steps: [momentum({ beta: 0.5 }), sign()] }).start(at)
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
    const stepping = chain({ steps: [sign(), momentum({ beta: 0.5 })] }).start(at)
    const only = move(4, -2)
    stepping.apply(only, 1, at.start)
    expect(Array.from(only.direction)).toEqual([0.5, -0.5])
  })

  test('a sign forgets the division of the step before it', () => {
    const stepping = chain({ steps: [adaptiveMoments(), sign()] }).start(at)
    const only = move(4, -2)
    stepping.apply(only, 1, at.start)
    expect(only.squares).toBeNull()
    expect(Array.from(only.direction)).toEqual([1, -1])
  })

  test('the memories of two equal steps are kept apart', () => {
    const stepping = chain({ steps: [momentum(), momentum({ beta: 0.5 }), sign()] }).start(at)
    expect(Object.keys(saveMemory(stepping.memory).vectors)).toEqual(['0.average', '1.average'])
  })

  test('needs a step at least', () => {
    expect(() => chain({ steps: [] })).toThrow('chain.steps must hold at least 1, got Array(0)')
    expect(() => chain({ steps: [3 as never] })).toThrow('chain.steps.0 must be a step, got 3')
  })
})
