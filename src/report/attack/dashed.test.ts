import { expect, test } from 'vitest'
import { textOf } from '../markup.ts'
import { dashed, distanceText, effortText, maybe, percentText } from './dashed.ts'

test.each([
  [0, '0\u00a0%'],
  [1, '100\u00a0%'],
  [0.875, '87.5\u00a0%'],
  [0.5, '50\u00a0%'],
  [1 / 3, '33.3\u00a0%'],
  [0.9999, 'over 99.9\u00a0%'],
  [0.0001, 'under 0.1\u00a0%'],
  [Number.NaN, '–'],
])('%d is %s', (fraction, text) => expect(percentText(fraction)).toBe(text))

test('efforts are whole where they are large, distances have four digits', () => {
  expect([12345.6, 99.95, 12, 3.25, Number.NaN].map(effortText)).toEqual(['12,346', '100', '12', '3.3', '–'])
  expect([1 / 3, 23.7749, 1e-9, 0, Infinity].map(distanceText)).toEqual(['0.3333', '23.77', '1e-9', '0', '–'])
})

test('what is no number is a dash, and what is one keeps all its digits', () => {
  for (const as of Object.values(dashed)) expect(textOf(as(Number.NaN))).toBe('<span class="none">–</span>')
  expect(textOf(dashed.distance(1 / 3))).toBe(
    '<data value="0.3333333333333333" title="0.3333333333333333">0.3333</data>',
  )
  expect(textOf(maybe(null, dashed.effort))).toBe('<span class="none">–</span>')
  expect(textOf(maybe(undefined, dashed.effort))).toBe('<span class="none">–</span>')
  expect(textOf(maybe(3, dashed.effort))).toBe('<data value="3">3</data>')
})
