import { expect, test } from 'vitest'
import { parsed } from '../../../../test/report/page-check.ts'
import { summarize } from '../../../optimizer/core/statistics.ts'
import { textOf } from '../markup.ts'
import { stripPlot, stripScale } from './comparison.ts'

const dots = (values: readonly number[]): (string | null)[] => {
  const strip = textOf(stripPlot(values, summarize(values), stripScale(values), { color: 'var(--c1)' }))
  return [...parsed(strip).querySelectorAll('circle')].map((dot) => dot.getAttribute('cx'))
}

test('dots lie between the smallest and the largest value, logarithmically where these differ much', () => {
  expect(dots([1, 2, 3])).toEqual(['5.0', '75.0', '145.0'])
  expect(dots([1, 10, 100])).toEqual(['5.0', '75.0', '145.0'])
  expect(dots([-1, 10, 109])).toEqual(['5.0', '19.0', '145.0'])
})

test('equal values lie in the middle, what is not finite is left out, and nothing is an empty strip', () => {
  expect(dots([4, 4])).toEqual(['75.0'])
  expect(dots([1, Number.NaN, 3, Infinity])).toEqual(['5.0', '145.0'])
  expect(dots([])).toEqual([])
})

test('the median and the quartiles are drawn and said', () => {
  const values = [0, 1, 2, 3, 8]
  const strip = parsed(textOf(stripPlot(values, summarize(values), stripScale(values), { color: 'red' })))
  expect([...strip.querySelectorAll('line')].map((each) => [each.getAttribute('x1'), each.getAttribute('x2')])).toEqual(
    [
      ['22.5', '57.5'],
      ['40.0', '40.0'],
    ],
  )
  expect(strip.querySelector('svg')?.getAttribute('aria-label')).toBe('5 values, median 2')
})
