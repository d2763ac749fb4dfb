import { expect, test } from 'vitest'
import { beginning } from '../../test/conformance/directions.ts'
import { blocks } from './blocks.ts'

/** Which coordinates the block of an iteration has. */
function chosen(options: Parameters<typeof blocks>[0], dim: number, iteration: number, seed = 0): number[] {
  const span = blocks(options).begin(beginning(dim))
  const into = new Float64Array(dim)
  span.expand(
    Float64Array.from({ length: span.dim }, (_, j) => j + 1),
    into,
    { seed, iteration },
  )
  return Array.from({ length: span.dim }, (_, j) => into.indexOf(j + 1))
}

test('takes block after block, going round', () => {
  expect([1, 2, 3, 4, 5].map((iteration) => chosen({ count: 3 }, 7, iteration))).toEqual([
    [0, 1, 2],
    [3, 4, 5],
    [6, 0, 1],
    [2, 3, 4],
    [5, 6, 0],
  ])
})

test.each(['cyclic', 'random'] as const)('takes every coordinate equally often in %s order', (order) => {
  const counts = new Float64Array(7)
  for (let iteration = 1; iteration <= 7000; iteration++) {
    for (const i of chosen({ count: 3, order }, 7, iteration)) counts[i] = (counts[i] as number) + 1
  }
  // Five standard errors of 7000 draws with chance 3/7.
  const tolerance = order === 'cyclic' ? 0 : 5 * Math.sqrt((7000 * 12) / 49)
  for (const count of counts) expect(Math.abs(count - 3000)).toBeLessThanOrEqual(tolerance)
})

test('the seed decides which block is taken at random, and nothing else', () => {
  const list = (seed: number) =>
    [1, 2, 3, 4, 5].map((each) => chosen({ count: 10, order: 'random' }, 1000, each, seed)[0])
  expect(list(1)).toEqual(list(1))
  expect(list(1)).not.toEqual(list(2))
})

test('without a key it is the first block', () => {
  const into = new Float64Array(4)
  blocks({ count: 2 }).begin(beginning(4)).expand(Float64Array.of(5, 6), into)
  expect(Array.from(into)).toEqual([5, 6, 0, 0])
})

test('there are no more blocks than variables', () => {
  expect(() => blocks({ count: 5 }).begin(beginning(4))).toThrow(
    'blocks.count must be at most the number of variables, 4, got 5',
  )
})
