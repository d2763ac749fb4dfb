import { describe, expect, test } from 'vitest'
import type { ConvexSet, Mirror, Move, Precision, Vector } from '../../src/optimizer/core/types.ts'
import { beginning } from './directions.ts'

const dim = 4

/** What every mirror must do on a set that it accepts, in both precisions. */
export function mirrorConforms(make: () => Mirror, set: ConvexSet): void {
  describe.each<Precision>(['float64', 'float32'])('in %s', (precision) => {
    const at = beginning(dim, { start: [0.4, 0.3, 0.2, 0.1], set, precision })
    const vector = (values: readonly number[]): Vector => {
      const made = at.kernels.allocate(dim, precision)
      made.set(values)
      return made
    }
    const move = (direction: readonly number[], squares?: readonly number[]): Move => ({
      direction: vector(direction),
      squares: squares === undefined ? null : vector(squares),
      metricSquares: squares === undefined ? null : vector(squares),
    })
    const gradients = [
      [1, -2, 0.5, 0.25],
      [-1, -1, -1, 3],
      [0, 0, 5, 0],
    ]
    const squares = [4, 0.25, 1, 9]

    test('stays in the set, however far the step would go', () => {
      const mirror = make().start(at)
      const x = at.start.slice()
      for (const rate of [1e-6, 0.1, 1, 50, 1e6]) {
        for (const gradient of gradients) {
          mirror.advance(x, rate, move(gradient))
          expect(set.contains(x)).toBe(true)
          mirror.advance(x, rate, move(gradient, squares))
          expect(set.contains(x)).toBe(true)
          expect(x.every(Number.isFinite)).toBe(true)
        }
      }
    })

    test('goes downhill: the linear model of the function never rises', () => {
      for (const gradient of gradients) {
        for (const rate of [1e-3, 0.1, 2]) {
          const x = at.start.slice()
          make().start(at).advance(x, rate, move(gradient))
          const change = gradient.reduce((sum, g, i) => sum + g * ((x[i] as number) - (at.start[i] as number)), 0)
          expect(change).toBeLessThan(precision === 'float32' ? 1e-6 : 1e-14)
          if (rate === 0.1 && gradient === gradients[0]) expect(change).toBeLessThan(-1e-3)
        }
      }
    })

    test('does not move without a gradient', () => {
      const x = at.start.slice()
      make()
        .start(at)
        .advance(x, 0.1, move([0, 0, 0, 0]))
      x.forEach((each, i) => expect(each).toBeCloseTo(at.start[i] as number, precision === 'float32' ? 6 : 14))
      // 0 / 0 counts as 0.
      make()
        .start(at)
        .advance(x, 0.1, move([0, 0, 0, 0], [0, 0, 0, 0]))
      x.forEach((each, i) => expect(each).toBeCloseTo(at.start[i] as number, precision === 'float32' ? 6 : 14))
    })

    test('leaves the move as it was, and gives the same bits again', () => {
      const once = at.start.slice()
      const twice = at.start.slice()
      const step = move(gradients[0] as number[], squares)
      const mirror = make().start(at)
      mirror.advance(once, 0.3, step)
      expect(step).toEqual(move(gradients[0] as number[], squares))
      mirror.advance(at.start.slice(), 0.7, move(gradients[1] as number[]))
      mirror.advance(twice, 0.3, step)
      expect(twice).toEqual(once)
    })

    test('never writes what is not finite', () => {
      const huge = precision === 'float32' ? 1e17 : 1e140
      const x = at.start.slice()
      for (const gradient of [
        [huge, -huge, huge, 0],
        [Number.NaN, 1, 1, 1],
        [Infinity, -Infinity, 0, 1],
      ]) {
        make().start(at).advance(x, 1e3, move(gradient))
        make()
          .start(at)
          .advance(x, 1e3, move(gradient, [0, 1, 1e-20, 0]))
        expect(x.every(Number.isFinite)).toBe(true)
        expect(set.contains(x)).toBe(true)
      }
    })
  })
}
