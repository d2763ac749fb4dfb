import { describe, expect, test } from 'vitest'
import type { ConvexSet, Vector } from '../core/types.ts'
import { dot } from '../numerics/vectors.ts'
import { l1Ball, l2Ball } from '../parts/sets/balls.ts'
import { box, wholeSpace } from '../parts/sets/boxes.ts'
import { simplex } from '../parts/sets/planes.ts'
import { projectedDifferences } from './projected-gradient.ts'

const slope = [3, -1, 2]
const line = (x: Vector): number => dot(slope, x)

/** The gradient of the line at x, from points of the set. */
function gradient(set: ConvexSet, x: number[]): { slopes: Float64Array; asked: Float64Array[] } {
  const enter = (point: Vector): void => {
    if (!set.contains(point)) set.project(point, null, new Float64Array(set.scratchSize(point.length)))
  }
  const at = Float64Array.from(x)
  const running = projectedDifferences({ x: at, value: line(at), step: () => 1e-3, enter })
  const asked: Float64Array[] = []
  let next = running.next()
  while (next.done !== true) {
    const { rows, write } = next.value
    const batch = Array.from({ length: rows }, (_, row) => {
      const into = new Float64Array(x.length)
      write(row, into, 0)
      return into
    })
    asked.push(...batch)
    next = running.next(Float64Array.from(batch, line))
  }
  return { slopes: next.value, asked }
}

describe('differences in a convex set', () => {
  test('are ordinary ones inside it', () => {
    for (const set of [wholeSpace(), l2Ball({ radius: 5 })]) {
      const { slopes, asked } = gradient(set, [1, 0, 0])
      slopes.forEach((each, i) => expect(each).toBeCloseTo(slope[i] as number, 9))
      expect(asked).toHaveLength(3)
    }
  })

  test('are right on the edge of a ball, from points inside it', () => {
    for (const set of [l2Ball({ radius: 1 }), l1Ball({ radius: 1 })]) {
      const { slopes, asked } = gradient(set, [0.6, 0, 0.4])
      slopes.forEach((each, i) => expect(each).toBeCloseTo(slope[i] as number, 3))
      expect(asked.every((point) => set.contains(point))).toBe(true)
    }
  })

  test('on a simplex are right along it', () => {
    const set = simplex({ sum: 1 })
    const { slopes, asked } = gradient(set, [0.25, 0.25, 0.5])
    const difference = (i: number, j: number): number => (slopes[i] as number) - (slopes[j] as number)
    expect(difference(0, 1)).toBeCloseTo(4, 5)
    expect(difference(2, 1)).toBeCloseTo(3, 5)
    expect(asked.every((point) => set.contains(point))).toBe(true)
  })

  test('ask nothing where no coordinate can move', () => {
    const { slopes, asked } = gradient(box({ lower: 0, upper: 0 }), [0, 0, 0])
    expect([...slopes, asked.length]).toEqual([0, 0, 0, 0])
  })
})
