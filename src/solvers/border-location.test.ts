import { expect, test } from 'vitest'
import type { Batch } from '../staged/staged-search.ts'
import { bisected, furthestTurn, located } from './border-location.ts'

/** Runs a search against a border: places for which `isBeyond` holds succeed. Tells what it found and how often it asked. */
function run<T>(
  search: (succeeds: (place: number) => Generator<Batch, boolean, Float64Array>) => Generator<Batch, T, Float64Array>,
  isBeyond: (place: number) => boolean,
): { readonly found: T; readonly asked: number } {
  let asked = 0
  // biome-ignore lint/correctness/useYield: it answers itself
  const succeeds = function* (place: number): Generator<Batch, boolean, Float64Array> {
    asked++
    return isBeyond(place)
  }
  const step = search(succeeds).next()
  return { found: step.value as T, asked }
}

test('halves the way until the border is located', () => {
  const { found, asked } = run(
    (succeeds) => bisected(0, 1, 0.01, succeeds),
    (place) => place > 0.3,
  )
  expect(found.nearest).toBeGreaterThan(0.3)
  expect(found.nearest).toBeLessThan(0.31)
  expect(found.nearest - found.between).toBeLessThan(0.01)
  expect(asked).toBe(7)
})

test('finds a border near the end with four questions, and one far from it, too', () => {
  const near = run(
    (succeeds) => located(0.01, succeeds),
    (place) => place > 0.985,
  )
  expect(near.found.nearest).toBeGreaterThan(0.985)
  expect(near.found.nearest).toBeLessThan(0.995)
  expect(near.asked).toBe(4)
  const far = run(
    (succeeds) => located(0.01, succeeds),
    (place) => place > 0.5,
  )
  expect(far.found.nearest).toBeGreaterThan(0.5)
  expect(far.found.nearest).toBeLessThan(0.52)
})

test('a way that succeeds down to its beginning has its border there', () => {
  const { found } = run(
    (succeeds) => located(0.01, succeeds),
    () => true,
  )
  expect(found.nearest).toBeLessThan(0.02)
})

test('turns further as long as that succeeds, and less where it does not', () => {
  expect(
    run(
      (succeeds) => furthestTurn(2, 0.1, 5, succeeds),
      (turn) => turn < 0.7,
    ).found,
  ).toBeCloseTo(0.6, 1)
  expect(
    run(
      (succeeds) => furthestTurn(2, 1, 5, succeeds),
      (turn) => turn < 0.05,
    ).found,
  ).toBeLessThan(0.05)
  expect(
    run(
      (succeeds) => furthestTurn(2, 1, 5, succeeds),
      () => false,
    ).found,
  ).toBeLessThan(0.1)
})
