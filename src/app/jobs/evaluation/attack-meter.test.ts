import { expect, test } from 'vitest'
import { imageRecord } from '../../../../test/attacks/image-record.ts'
import type { Progress } from '../events.ts'
import { attackMeter, itemDone } from './attack-meter.ts'

const meter = (universal = false, maxIterations?: number) => {
  let now = 0
  const told: Progress[] = []
  const made = attackMeter({
    clock: () => now,
    emit: (progress) => void told.push(progress),
    maxQueries: 1000,
    maxIterations,
    universal,
  })
  const wait = (milliseconds: number): void => {
    now += milliseconds
  }
  const progress = (): Progress | undefined => {
    made.flush()
    return told.at(-1)
  }
  return { ...made, told, wait, progress }
}

test('says how many images are done and fooled, how fast it goes, and how long it may take', () => {
  const { screened, asked, iteration, done, progress, wait } = meter()
  screened(12, 4)
  expect(progress()).toMatchObject({ phase: 'screening', items: { done: 12, total: 4 }, rate: 0, left: undefined })
  done(imageRecord({ index: 0, status: 'robust' }))
  asked(11)
  iteration({ index: 1, title: 'b', iteration: 20, queries: 220, fooled: 1 })
  asked(209)
  wait(2000)
  // 110 queries a second; three images are left, and 220 of the 3,000 queries are spent.
  expect(progress()).toMatchObject({
    ...{ phase: 'attacking', items: { done: 1, total: 4, fooled: 1, failed: 0 }, rate: 110 },
    ...{ left: (1000 * 2780) / 110, queries: 331 + 220, iterations: 30 + 20 },
  })
  done(imageRecord({ index: 1, status: 'fooled' }))
  expect(progress()?.items).toEqual({ done: 2, total: 4, fooled: 1, failed: 0 })
})

test('of a universal attack, how many images the perturbation fools now', () => {
  const { screened, asked, iteration, progress, wait } = meter(true)
  screened(12, 4)
  asked(500)
  iteration({ index: -1, title: 'universal', iteration: 45, queries: 500, fooled: 3 })
  wait(1000)
  expect(progress()).toMatchObject({
    phase: 'universal',
    iterations: 45,
    items: { total: 4, fooled: 3 },
    rate: 500,
    left: 1000,
  })
})

test('how much is done: images at their end, and of those under way what counts most of queries and iterations', () => {
  const { screened, iteration, done, progress } = meter()
  expect(progress()?.share).toBe(0)
  screened(12, 4)
  done(imageRecord({ index: 0, status: 'robust' }))
  expect(progress()?.share).toBe(0.25)
  iteration({ index: 1, title: 'b', iteration: 20, queries: 200, fooled: 1 })
  expect(progress()?.share).toBeCloseTo(0.3, 12)
  const short = meter(true, 40)
  short.iteration({ index: -1, title: 'universal', iteration: 20, queries: 200, fooled: 1 })
  expect(short.progress()?.share).toBe(0.5)
})

test('is told ten times a second at most', () => {
  const { iteration, told, wait } = meter()
  for (let i = 0; i < 1000; i++) {
    iteration({ index: 1, title: 'b', iteration: i, queries: 11 * i, fooled: 0 })
    wait(1)
  }
  expect(told.length).toBe(10)
})

test('an image that is done tells the class it is taken for, and how far it was changed', () => {
  expect(itemDone(imageRecord())).toEqual({
    ...{ type: 'item', index: 0, title: 'a.png', status: 'fooled', reason: undefined, label: 3, predicted: 7 },
    ...{ queries: 331, l2: 0.41, linf: 0.1, holdsInBytes: true },
    pictures: ['images/0000/original.png', 'images/0000/adversarial.png'],
  })
})
