import { expect, test } from 'vitest'
import type { Progress } from '../../work/events.ts'
import { attackLine } from './attack-line.ts'

const stamp = { v: 1, work: 'a', seq: 0, at: 0, type: 'progress', iterations: 45, queries: 0, tail: [] } as const
const line = (universal: boolean, progress: Pick<Progress, 'phase' | 'items' | 'rate' | 'left'>) => {
  const made = attackLine({ universal, label: 'rate 1' })
  made.take({ ...stamp, ...progress })
  return made
}

test('says how many images are screened, then how many are done and fooled, the pace and the time left', () => {
  expect(attackLine({ universal: false }).text()).toBe('screening images: 0 screened')
  const screening = line(false, { phase: 'screening', items: { done: 12, total: 4 }, rate: 0 })
  expect(screening.text()).toBe('rate 1  screening images: 12 screened')
  const items = { done: 1, total: 4, fooled: 1 }
  const { text } = line(false, { phase: 'attacking', items, rate: 110, left: 25_272 })
  expect(text()).toBe('rate 1  images 1 of 4  fooled 1  110 queries/s  at most 25 s left')
  expect(text(30)).toBe('images 1 of 4  fooled 1')
})

test('of a universal attack, how many images the perturbation fools now', () => {
  const items = { done: 0, total: 4, fooled: 3 }
  const { text } = line(true, { phase: 'attacking', items, rate: 500, left: 1000 })
  expect(text()).toBe('rate 1  iteration 45  fooled 3 of 4  500 queries/s  at most 1 s left')
})
