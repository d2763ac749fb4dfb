import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { unconstrained } from '../core/unconstrained.ts'
import { scalarKernels } from '../kernels/scalar.ts'
import { box } from '../sets/box.ts'
import { l2Ball } from '../sets/l2-ball.ts'
import { intoSet } from './into-set.ts'
import { withinSet } from './within-set.ts'

const begin = (set: object, precision: 'float64' | 'float32' = 'float64') =>
  ({ set, dim: 3, precision, kernels: scalarKernels }) as unknown as Parameters<typeof withinSet>[0]

describe.each([withinSet, intoSet])('$name', (within) => {
  test('clips to a box with one bound for all, or with one each', () => {
    const x = Float64Array.of(-2, 0.25, 2)
    within(begin(box({ lower: -0.5, upper: 0.75 })))(x)
    expect(Array.from(x)).toEqual([-0.5, 0.25, 0.75])
    within(begin(box({ lower: [0, 0.5, 0.5], upper: 0.6 })))(x)
    expect(Array.from(x)).toEqual([0, 0.5, 0.6])
  })

  test('a point is in the set at either precision, and stays what it is where it was in it', () => {
    for (const set of [box({ lower: -0.1, upper: [0.1, 0.3, 0.7] }), l2Ball({ radius: 0.3 })]) {
      fc.assert(
        fc.property(fc.array(fc.double({ min: -2, max: 2, noNaN: true }), { minLength: 3, maxLength: 3 }), (given) => {
          for (const precision of ['float64', 'float32'] as const) {
            const x = precision === 'float32' ? Float32Array.from(given) : Float64Array.from(given)
            const enter = within(begin(set, precision))
            enter(x)
            expect(set.contains(x)).toBe(true)
            const inside = x.slice()
            enter(x)
            expect(x).toEqual(inside)
          }
        }),
        { numRuns: 40 },
      )
    }
  })

  test('nothing happens where there is no set', () => {
    const x = Float64Array.of(1e300, -1e300, 0)
    within(begin(unconstrained))(x)
    expect(Array.from(x)).toEqual([1e300, -1e300, 0])
  })
})
