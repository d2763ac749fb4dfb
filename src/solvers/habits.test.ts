import { expect, test } from 'vitest'
import type { Begin } from '../core/types.ts'
import { scalarKernels } from '../kernels/scalar.ts'
import { habits } from './habits.ts'

const at = { kernels: scalarKernels, precision: 'float64' } as Begin

test('without experience every choice is made equally often', () => {
  const { choose } = habits(at, 4, 1)
  expect([0, 0.24, 0.26, 0.49, 0.51, 0.74, 0.76, 0.999].map(choose)).toEqual([0, 0, 1, 1, 2, 2, 3, 3])
})

test('what has led to success is chosen more often, and the sharper the more so', () => {
  const shares = ([1, 2] as const).map((sharpness) => {
    const { choose, note } = habits(at, 2, sharpness)
    for (let i = 0; i < 10; i++) note(1, true)
    for (let i = 0; i < 10; i++) note(0, i % 2 === 0)
    return Array.from({ length: 1000 }, (_, i) => choose(i / 1000)).filter((each) => each === 1).length / 1000
  })
  // 10.5 of 11.5 against 5.5 of 11.5, and their squares.
  expect(shares[0]).toBeCloseTo(10.5 / 16, 2)
  expect(shares[1]).toBeCloseTo(110.25 / 140.5, 2)
})
