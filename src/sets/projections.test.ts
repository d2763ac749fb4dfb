import { expect, test } from 'vitest'
import { projected } from '../../test/conformance/set.ts'
import golden from '../../test/golden/projections.json' with { type: 'json' }
import type { ConvexSet } from '../core/types.ts'
import { box } from './box.ts'
import { boxAndHyperplane } from './box-and-hyperplane.ts'
import { boxAndL2Ball } from './box-and-l2-ball.ts'
import { halfspace } from './halfspace.ts'
import { l1Ball } from './l1-ball.ts'
import { l2Ball } from './l2-ball.ts'
import { simplex } from './simplex.ts'
import { slab } from './slab.ts'

const parts = [boxAndHyperplane, boxAndL2Ball, halfspace, l1Ball, l2Ball, simplex, slab]
const metric = Float64Array.from(golden.metric)

test.each(golden.cases)('$set with $options projects $point to the golden point', ({ set, options, ...expected }) => {
  const part = parts.find(({ definition }) => definition.name === set) as unknown as (options: unknown) => ConvexSet
  const x = projected(part(options), Float64Array.from(expected.point), metric)
  for (const [i, value] of expected.projection.entries()) expect(Math.abs((x[i] as number) - value)).toBeLessThan(1e-12)
})

test('clipping and then projecting onto the ball is not the projection onto both (SPEC R4.7)', () => {
  const y = Float64Array.of(1.5, -0.7, 0.3, 2)
  const distance = (x: Float64Array) =>
    x.reduce(
      (sum, value, i) => sum + (metric[i] as number) * (value - (y[i] as number)) * (value - (y[i] as number)),
      0,
    )
  const composed = projected(l2Ball({ radius: 0.8 }), projected(box({ lower: -0.5, upper: 0.5 }), y, metric), metric)
  const exact = projected(boxAndL2Ball({ lower: -0.5, upper: 0.5, radius: 0.8 }), y, metric)
  expect(distance(composed)).toBeCloseTo(24.954, 3)
  expect(distance(exact)).toBeCloseTo(24.37371, 5)
})
