import { expect, test } from 'vitest'
import { GenerationHistory } from './generation-history.ts'

test('the range is that of the latest generations, infinite before there are that many', () => {
  const history = new GenerationHistory(5)
  const ranges = [9, 4, 6, 5, 5, 5, 7].map((value) => {
    history.add(value, value)
    return history.range(3)
  })
  expect(ranges).toEqual([Infinity, Infinity, 5, 2, 1, 0, 2])
})

test('falling values are no stagnation; values that go up and down are', () => {
  const [falling, wavy] = [new GenerationHistory(30), new GenerationHistory(30)]
  for (let i = 0; i < 100; i++) {
    falling.add(-i, -i)
    wavy.add(i % 2, i % 3)
    if (i < 29) expect(wavy.isStagnant(30)).toBe(false)
  }
  expect(falling.isStagnant(30)).toBe(false)
  expect(wavy.isStagnant(30)).toBe(true)
  wavy.reset()
  expect(wavy.isStagnant(30)).toBe(false)
})
