import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { makeAnswers } from '../../optimizer/core/answers.ts'
import { unconstrained } from '../../optimizer/core/session-options.ts'
import type { RunContext } from '../../optimizer/core/types.ts'
import { scalarKernels } from '../../optimizer/kernels/scalar.ts'
import { bisectToOrigin } from './sequence.ts'

const begin = (start: Float64Array) =>
  ({
    start,
    dim: start.length,
    seed: 0,
    set: unconstrained,
    precision: 'float64',
    kernels: scalarKernels,
  }) as unknown as RunContext

/** Goes back from a point; what is further away than the boundary has reached it. Gives what was asked, and the end. */
function back(origin: number[], far: number[], boundary: number, queries: number, failing: readonly number[] = []) {
  const search = bisectToOrigin(Float64Array.from(origin), queries).start(begin(Float64Array.from(far)))
  const asked: number[] = []
  while (search.finished === undefined) {
    const answers = makeAnswers(1)
    const x = new Float64Array(origin.length)
    search.ask().write(0, x)
    const distance = Math.hypot(...x.map((each, i) => each - (origin[i] as number)))
    asked.push(distance)
    answers.reached = distance >= boundary
    if (failing.includes(asked.length)) search.skip()
    else search.tell(answers)
  }
  return { asked, point: Array.from(search.point), iterations: search.iteration }
}

describe('the way back', () => {
  test('halves the distance to the boundary with every query', () => {
    expect(back([1], [2], 0.3, 4)).toEqual({ asked: [0.5, 0.25, 0.375, 0.3125], point: [1.3125], iterations: 4 })
  })

  test('ends where it began, to the bit, where nothing nearer has reached it', () => {
    expect(back([0.3, 0.2], [0.9, 0.3], 0.6, 5).point).toEqual([0.9, 0.3])
  })

  test('a point that brings no answer has not reached it', () => {
    expect(back([0], [1], 0.3, 3, [1]).asked).toEqual([0.5, 0.75, 0.625])
  })

  test('ends at a point that has reached it, at most one part in 2^queries behind the boundary', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.01, max: 1, noNaN: true }),
        fc.integer({ min: 1, max: 12 }),
        (boundary, queries) => {
          const { point, iterations } = back([0, 0], [0.6, 0.8], boundary, queries)
          expect(iterations).toBe(queries)
          const distance = Math.hypot(...point)
          expect(distance).toBeGreaterThanOrEqual(boundary - 1e-12)
          expect(distance - boundary).toBeLessThanOrEqual(2 ** -queries + 1e-12)
        },
      ),
    )
  })
})
