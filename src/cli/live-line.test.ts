import { expect, test } from 'vitest'
import type { Progress, Started, WorkEvent } from '../work/index.ts'
import { liveLine } from './live-line.ts'

const stamp = { v: 1, seq: 0, at: 0 } as const
const begun = (changes: Partial<Started> = {}, work = 'w'): WorkEvent => ({
  ...stamp,
  work,
  type: 'started',
  kind: 'run',
  resumed: false,
  budget: {},
  ...changes,
})
const at = (changes: Partial<Progress>, work = 'w'): WorkEvent => ({
  ...stamp,
  work,
  type: 'progress',
  iterations: 101,
  queries: 1111,
  best: 0.5,
  rate: 550,
  left: 7070,
  tail: [],
  ...changes,
})

function line(...events: WorkEvent[]) {
  let now = 0
  const made = liveLine(() => now)
  for (const event of events) made.take(event)
  const wait = (milliseconds: number): void => {
    now += milliseconds
  }
  return { ...made, wait }
}

test('says iteration, queries, best value, queries per second and the time left', () => {
  const { text } = line(begun({ budget: { maxQueries: 5000 } }), at({ best: 0.123456789 }))
  expect(text()).toBe('iteration 101  queries 1,111 of 5,000  best 0.123457  550 queries/s  7.1 s left')
})

test('waits for the first answers and says for how long', () => {
  const { text, wait } = line(begun({ title: 'seed 3' }))
  wait(12_000)
  expect(text()).toBe('seed 3  waiting for the first answers  12 s')
})

test('says neither a pace nor a time before it can know them, and no value before there is one', () => {
  const early = at({ iterations: 1, queries: 11, best: Number.NaN, rate: 0, left: undefined })
  expect(line(begun({ budget: { maxQueries: 100 } }), early).text()).toBe('iteration 1  queries 11 of 100  best -')
})

test('is about the member that was begun last', () => {
  const member = begun({ parent: 'w', title: 'seed 3 (4 of 5)' }, 'w/seed-3')
  const { text, take } = line(begun({ kind: 'series' }), at({ items: { done: 3, total: 5 } }))
  expect(text()).toBe('3 of 5 done')
  take(member)
  take(at({ queries: 9 }))
  take(at({ queries: 77, iterations: 7 }, 'w/seed-3'))
  expect(text()).toBe('seed 3 (4 of 5)  iteration 7  queries 77  best 0.500000  550 queries/s  7.1 s left')
})

test('of an evaluation it says how many images are done and fooled', () => {
  const { text, take, share } = line(
    begun({ kind: 'evaluation' }),
    at({ phase: 'screening', items: { done: 12, total: 4 } }),
  )
  expect(text()).toBe('screening images: 12')
  take(at({ phase: 'attacking', share: 0.25, items: { done: 1, total: 4, fooled: 1 }, rate: 110, left: 25_000 }))
  expect(text()).toBe('images 1 of 4  fooled 1  110 queries/s  at most 25 s left')
  expect(share()).toBe(0.25)
})

test('says who works on it elsewhere and what is left to do there', () => {
  const queue = { workers: 4, waiting: 1200, active: 4, failed: 0 }
  const { text, take } = line(begun(), at({ queue, rate: 0, left: undefined }))
  expect(text()).toBe('iteration 101  queries 1,111  best 0.500000  4 workers: 1,200 waiting, 4 active')
  take(at({ queue: { workers: 1, waiting: 0, active: 1, failed: 2 }, rate: 0, left: undefined }))
  expect(text()).toBe('iteration 101  queries 1,111  best 0.500000  1 worker: 0 waiting, 1 active, 2 failed')
})

test('says first that a model does not answer, and for how long', () => {
  const items = { done: 1, total: 4, fooled: 1 }
  const { text, take, wait } = line(
    begun({ kind: 'evaluation' }),
    at({ phase: 'attacking', items, rate: 0, left: undefined, waiting: 10_000 }),
  )
  wait(2000)
  expect(text()).toBe('the model does not answer: waiting (12 s)  images 1 of 4  fooled 1')
  take(at({ phase: 'attacking', items, rate: 0, left: undefined }))
  expect(text()).toBe('images 1 of 4  fooled 1')
})

test('of a universal attack it says how many images the perturbation fools now', () => {
  const items = { done: 0, total: 4, fooled: 3 }
  const { text } = line(
    begun({ kind: 'evaluation' }),
    at({ phase: 'universal', iterations: 45, items, rate: 500, left: 1000 }),
  )
  expect(text()).toBe('iteration 45  fooled 3 of 4  500 queries/s  at most 1 s left')
})

test('on a narrow terminal the least important goes first and no line is longer', () => {
  const { text } = line(begun({ budget: { maxQueries: 5000 }, title: 'seed 3 (4 of 5)' }), at({}))
  expect(text(80)).toBe('iteration 101  queries 1,111 of 5,000  best 0.500000  550 queries/s  7.1 s left')
  expect(text(60)).toBe('queries 1,111 of 5,000  best 0.500000  7.1 s left')
  expect(text(30)).toBe('best 0.500000')
  for (let width = 1; width < 120; width++) expect(text(width).length).toBeLessThanOrEqual(width)
})

test('variables with names are shown where there is room', () => {
  const shown = line(begun(), at({ variables: { rate: 0.00123456, width: 2 } }))
  expect(shown.text()).toContain('best 0.500000  rate 0.001235  width 2.000  550 queries/s')
  expect(shown.text(60)).not.toContain('rate')
})
