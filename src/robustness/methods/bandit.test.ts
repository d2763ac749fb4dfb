import { expect, test } from 'vitest'
import type { RunContext } from '../../optimizer/core/types.ts'
import { scalarKernels } from '../../optimizer/kernels/scalar.ts'
import { Bandit } from './bandit.ts'

const at = { kernels: scalarKernels, precision: 'float64' } as RunContext

/** How often each arm is drawn, as a share. */
function shares(bandit: Bandit, arms: number, isUsable?: (arm: number) => boolean): number[] {
  const drawn = Array.from({ length: 1000 }, (_, i) => bandit.draw(i / 1000, isUsable))
  return Array.from({ length: arms }, (_, arm) => drawn.filter((each) => each === arm).length / 1000)
}

test('without experience arms are drawn equally often, or by the power 3/2 of what is expected of them', () => {
  expect(shares(new Bandit(at, [1, 1, 1, 1]), 4)).toEqual([0.25, 0.25, 0.25, 0.25])
  // A quarter at random, the rest as 1 to 1/8.
  expect(shares(new Bandit(at, [1, 0.25]), 2)[0]).toBeCloseTo(0.125 + (0.75 * 8) / 9, 2)
})

test('what has gained most of late is drawn most, and what has gained nothing never dies out', () => {
  const bandit = new Bandit(at, [1, 1])
  for (let i = 0; i < 200; i++) bandit.note(i % 2, i % 2 === 0 ? 0 : 1)
  expect(shares(bandit, 2)[1]).toBeGreaterThan(0.8)
  expect(shares(bandit, 2)[0]).toBeGreaterThanOrEqual(0.125)
  for (let i = 0; i < 200; i++) bandit.note(i % 2, i % 2 === 0 ? 1 : 0)
  expect(shares(bandit, 2)[0]).toBeGreaterThan(0.8)
})

test('arms that cannot be used are never drawn', () => {
  expect(shares(new Bandit(at, [1, 1, 1]), 3, (arm) => arm !== 1)).toEqual([0.5, 0, 0.5])
})
