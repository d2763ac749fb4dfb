import { expect, test } from 'vitest'
import { liveLine } from './live-line.ts'

function follow(options: Partial<Parameters<typeof liveLine>[0]> = {}) {
  let now = 0
  const line = liveLine({ clock: () => now, ...options })
  const at = (milliseconds: number, iteration: number, queries: number, best = 0.5): void => {
    now = milliseconds
    line.record({ iteration, queries, value: best, best })
  }
  const wait = (milliseconds: number): void => {
    now = milliseconds
  }
  return { line, at, wait }
}

test('says iteration, queries, best value, queries per second and the time left', () => {
  const { line, at } = follow({ maxQueries: 5000 })
  at(1000, 1, 11)
  at(3000, 101, 1111, 0.123456789)
  expect(line.text()).toBe('iteration 101  queries 1,111 of 5,000  best 0.123457  550 queries/s  7.1 s left')
})

test('waits for the first answers and says for how long', () => {
  const { line, wait } = follow({ label: 'seed 3' })
  wait(12_000)
  expect(line.text()).toBe('seed 3  waiting for the first answers  12 s')
})

test('the limit that is reached first says how much time is left', () => {
  const { line, at } = follow({ maxQueries: 10_000, maxIterations: 21, timeLeft: () => 60_000 })
  at(0, 1, 10)
  at(10_000, 11, 110)
  expect(line.text()).toContain('10 s left')
  const timed = follow({ maxQueries: 10_000, timeLeft: () => 5000 })
  timed.at(0, 1, 10)
  timed.at(10_000, 11, 110)
  expect(timed.line.text()).toContain('5 s left')
})

test('says neither a pace nor a time before it can know them, and no value before there is one', () => {
  const { line, at } = follow({ maxQueries: 100 })
  at(50, 1, 11, Number.NaN)
  expect(line.text()).toBe('iteration 1  queries 11 of 100  best -')
})

test('a run that goes on counts its pace from where it was taken up', () => {
  const { line, at } = follow()
  at(0, 1000, 11_000)
  at(2000, 1002, 11_022)
  expect(line.text()).toContain('11 queries/s')
})

test('on a narrow terminal the least important goes first and no line is longer', () => {
  const { line, at } = follow({ maxQueries: 5000, label: 'seed 3 (4 of 5)' })
  at(0, 1, 11)
  at(2000, 101, 1111)
  expect(line.text(80)).toBe('iteration 101  queries 1,111 of 5,000  best 0.500000  550 queries/s  7.1 s left')
  expect(line.text(60)).toBe('queries 1,111 of 5,000  best 0.500000  7.1 s left')
  expect(line.text(30)).toBe('best 0.500000')
  for (let width = 1; width < 120; width++) expect(line.text(width).length).toBeLessThanOrEqual(width)
})
