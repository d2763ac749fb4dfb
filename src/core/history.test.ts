import fc from 'fast-check'
import { expect, test } from 'vitest'
import { History, type HistoryRecord } from './history.ts'

const record = (iteration: number): HistoryRecord => ({ iteration, queries: 10 * iteration, value: 0, best: 0 })
const iterations = (history: History): number[] => history.records().map((each) => each.iteration)

function filled(limit: number, count: number): History {
  const history = new History(limit)
  for (let iteration = 1; iteration <= count; iteration++) history.add(record(iteration))
  return history
}

test('keeps everything while there is room', () => {
  expect(iterations(filled(4, 4))).toEqual([1, 2, 3, 4])
})

test('drops every second record when it is full, and always shows the latest', () => {
  expect(iterations(filled(4, 5))).toEqual([1, 3, 5])
  expect(iterations(filled(4, 6))).toEqual([1, 3, 5, 6])
  expect(iterations(filled(4, 9))).toEqual([1, 5, 9])
  expect(iterations(filled(4, 20))).toEqual([1, 9, 17, 20])
})

test('never holds more than its limit and the latest, and is evenly spaced', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 500 }), (limit, count) => {
      const history = filled(limit, count)
      const kept = iterations(history)
      expect(kept.length).toBeLessThanOrEqual(limit + 1)
      expect(kept[0]).toBe(1)
      expect(kept.at(-1)).toBe(count)
      kept.slice(0, -1).forEach((each, index) => expect(each).toBe(1 + index * history.spacing))
    }),
    { numRuns: 100, seed: 1 },
  )
})

test('does not depend on when it is looked at, saved or restored', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 0, max: 60 }),
      fc.integer({ min: 0, max: 60 }),
      (limit, before, after) => {
        const saved = filled(limit, before)
        saved.records()
        const restored = new History(limit, saved.records(), saved.spacing)
        for (let iteration = before + 1; iteration <= before + after; iteration++) restored.add(record(iteration))
        expect(restored.records()).toEqual(filled(limit, before + after).records())
      },
    ),
    { numRuns: 100, seed: 1 },
  )
})

test('hands out a copy', () => {
  const history = filled(4, 2)
  history.records().pop()
  expect(iterations(history)).toEqual([1, 2])
})

test('is empty before the first record', () => {
  expect(new History(3).records()).toEqual([])
})
