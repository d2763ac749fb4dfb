import { expect, test } from 'vitest'
import { imageRecord } from '../../../test/attacks/image-record.ts'
import { attackLine } from './attack-line.ts'

const line = (universal = false) => {
  let now = 0
  const made = attackLine({ clock: () => now, maxQueries: 1000, universal, label: 'rate 1' })
  const wait = (milliseconds: number): void => {
    now += milliseconds
  }
  return { ...made, wait }
}

test('says how many images are done and fooled, how fast it goes, and how long it may take', () => {
  const { looked, asked, iteration, done, text, wait } = line()
  looked(12, 4)
  expect(text()).toBe('rate 1  looking at the images: 12 seen')
  done(imageRecord({ index: 0, status: 'robust' }))
  asked(11)
  iteration({ index: 1, title: 'b', iteration: 20, queries: 220, fooled: 1 })
  asked(209)
  wait(2000)
  // 110 queries a second; three images are left, and 220 of the 3,000 queries are spent.
  expect(text()).toBe('rate 1  images 1 of 4  fooled 1  110 queries/s  at most 25 s left')
  expect(text(30)).toBe('images 1 of 4  fooled 1')
  done(imageRecord({ index: 1, status: 'fooled' }))
  expect(text()).toMatch(/images 2 of 4 {2}fooled 1 /)
})

test('of a universal attack, how many images the perturbation fools now', () => {
  const { looked, asked, iteration, text, wait } = line(true)
  looked(12, 4)
  asked(500)
  iteration({ index: -1, title: 'universal', iteration: 45, queries: 500, fooled: 3 })
  wait(1000)
  expect(text()).toBe('rate 1  iteration 45  fooled 3 of 4  500 queries/s  at most 1 s left')
})

test('how much is done: images at their end, and of those under way what counts most of queries and iterations', () => {
  const { looked, iteration, done, share } = line()
  expect(share()).toBe(0)
  looked(12, 4)
  done(imageRecord({ index: 0, status: 'robust' }))
  expect(share()).toBe(0.25)
  iteration({ index: 1, title: 'b', iteration: 20, queries: 200, fooled: 1 })
  expect(share()).toBeCloseTo(0.3, 12)
  const short = attackLine({ clock: () => 0, maxQueries: 1000, maxIterations: 40, universal: true })
  short.iteration({ index: -1, title: 'universal', iteration: 20, queries: 200, fooled: 1 })
  expect(short.share()).toBe(0.5)
})
