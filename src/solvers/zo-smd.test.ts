import { describe, expect, test } from 'vitest'
import type { ConvexSet, Precision } from '../core/types.ts'
import { minimizeSync } from '../run/minimize.ts'
import { box } from '../sets/box.ts'
import { l1Ball } from '../sets/l1-ball.ts'
import { l2Ball } from '../sets/l2-ball.ts'
import { wholeSpace } from '../sets/whole-space.ts'
import { zoPSGD } from './zo-psgd.ts'
import { zoSMD } from './zo-smd.ts'

const f = (x: ArrayLike<number>): number =>
  Array.from(x).reduce((sum, each, i) => sum + (each - 0.7 * i) * (each - 0.7 * i), 0)

describe.each<[string, ConvexSet]>([
  ['the whole space', wholeSpace()],
  ['a box', box({ lower: -0.1, upper: 0.9 })],
  ['an l2 ball', l2Ball({ radius: 1 })],
  ['an l1 ball', l1Ball({ radius: 1 })],
])('on %s', (_, set) => {
  test.each<Precision>(['float64', 'float32'])(
    'ZO-SMD(alpha) is ZO-PSGD(alpha / 2), bit for bit in %s',
    (precision) => {
      const options = { set, precision, maxIterations: 40, seed: 6 }
      for (const alpha of [0.07, 0.1, 0.333]) {
        const mirrored = minimizeSync(f, [0.3, -0.2, 0.5, 0.1], { ...options, solver: zoSMD({ learningRate: alpha }) })
        const projected = minimizeSync(f, [0.3, -0.2, 0.5, 0.1], {
          ...options,
          solver: zoPSGD({ learningRate: alpha / 2 }),
        })
        expect(mirrored).toEqual(projected)
        expect(mirrored.value).toBeLessThan(mirrored.history[0]?.value as number)
      }
    },
  )
})
