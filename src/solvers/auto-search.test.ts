import { expect, test } from 'vitest'
import { minimizeSync } from '../run/minimize.ts'

const sphere = (x: Float64Array): number => x.reduce((sum, each) => sum + (each - 1) * (each - 1), 0)

test.each([1, 2])('a failure of query %i, at the start, is not taken for noise', (failing) => {
  let asked = 0
  const f = (x: Float64Array): number => (++asked === failing ? Number.NaN : sphere(x))
  const { phases, value } = minimizeSync(f, [3, 4], { failures: 'skip' })
  expect(phases?.map(({ method }) => method)).toEqual(['probe', 'quasi-newton'])
  expect(value).toBeLessThan(1e-20)
})

test('answers that differ at the start are noise', () => {
  let asked = 0
  const { phases } = minimizeSync((x) => sphere(x) + (asked++ % 2) * 0.1, [3, 4], { maxQueries: 200 })
  expect(phases?.map(({ method }) => method)).toEqual(['probe', 'noisy-descent'])
})
