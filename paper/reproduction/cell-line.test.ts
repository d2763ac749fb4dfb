import { expect, test } from 'vitest'
import { cellLine } from './cell-line.ts'

const cells = [
  { name: 'a', spec: {}, calls: 1000 },
  { name: 'b', spec: {}, calls: 3000 },
] as const
const [a, b] = cells

const following = () => {
  let now = 0
  const line = cellLine(5, cells, () => now)
  return {
    line,
    at(seconds: number) {
      now = seconds * 1000
    },
  }
}

test('says how much is done of cells at work, and what the rest takes at this pace', () => {
  const { line, at } = following()
  expect(line.text()).toBe('attacks 5 of 7  0 of 4,000 images classified')
  line.progress(a, 0)
  line.progress(b, 0)
  at(10)
  line.progress(a, 0.5)
  line.progress(b, 0.1)
  // 800 in 10 seconds: 3,200 in 40.
  expect(line.text()).toBe('attacks 5 of 7  800 of 4,000 images classified  about 40 s left of this part')
  line.done(a)
  expect(line.text()).toBe('attacks 6 of 7  1,300 of 4,000 images classified  about 21 s left of this part')
  expect(line.text(20)).toBe('attacks 6 of 7')
})

test('what earlier sessions have done counts as done, but not for the pace', () => {
  const { line, at } = following()
  line.progress(b, 0.5)
  expect(line.text()).toBe('attacks 5 of 7  1,500 of 4,000 images classified')
  at(10)
  line.progress(b, 0.6)
  expect(line.text()).toBe('attacks 5 of 7  1,800 of 4,000 images classified  about 1 min 13 s left of this part')
  line.done(b)
  at(30)
  // 1,500 of its 3,000 in 30 seconds: 1,000 in 20.
  expect(line.text()).toBe('attacks 6 of 7  3,000 of 4,000 images classified  about 20 s left of this part')
})
