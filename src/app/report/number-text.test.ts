import fc from 'fast-check'
import { expect, test } from 'vitest'
import { textOf } from './markup.ts'
import {
  counted,
  countText,
  distanceText,
  effortText,
  exactNumber,
  percentText,
  readableNumber,
  secondsText,
  shortened,
  someNames,
} from './number-text.ts'
import { shown } from './page/elements.ts'

test('an exact number reads back as the same bits', () => {
  fc.assert(
    fc.property(fc.double(), (value) => {
      expect(Object.is(Number(exactNumber(value)), value)).toBe(true)
    }),
    { numRuns: 1000, seed: 1 },
  )
})

test('a readable number has five digits, in exponents only where it is very small or large', () => {
  const numbers = [0, 1, -2.3456789, 0.00123456, 0.000123456, 99999.6, 1234567.8, 12345678, 1e-10, -Infinity, -0]
  expect(numbers.map(readableNumber)).toEqual([
    '0',
    '1',
    '-2.3457',
    '0.0012346',
    '1.2346e-4',
    '100000',
    '1234568',
    '1.2346e+7',
    '1e-10',
    '-Infinity',
    '-0',
  ])
})

test('counts have their thousands set apart', () => {
  expect([0, 999, 1000, 1234567, 2.5, Number.NaN].map(countText)).toEqual([
    '0',
    '999',
    '1,000',
    '1,234,567',
    '2.5',
    '–',
  ])
})

test('durations are in the two largest units that say something', () => {
  const durations = [0, 4.04e-6, 0.0123, 0.9999, 12.345, 59.99, 60, 3599.6, 3600, 7384, 86399, 200000, Number.NaN]
  expect(durations.map(secondsText)).toEqual([
    '0 s',
    '4.04 µs',
    '12.3 ms',
    '1 s',
    '12.3 s',
    '1 min 0 s',
    '1 min 0 s',
    '1 h 0 min',
    '1 h 0 min',
    '2 h 3 min',
    '1 d 0 h',
    '2 d 8 h',
    '–',
  ])
})

test('a number on a page carries its exact self', () => {
  expect(textOf(shown.value(1 / 3))).toBe('<data value="0.3333333333333333" title="0.3333333333333333">0.33333</data>')
  expect(textOf(shown.count(12))).toBe('<data value="12">12</data>')
  expect(textOf(shown.value(Number.NaN))).toContain('none')
})

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
  for (const as of Object.values(shown)) expect(textOf(as(Number.NaN))).toBe('<span class="none">–</span>')
  expect(textOf(shown.distance(1 / 3))).toBe(
    '<data value="0.3333333333333333" title="0.3333333333333333">0.3333</data>',
  )
  expect(textOf(shown.effort(null))).toBe('<span class="none">–</span>')
  expect(textOf(shown.effort(undefined))).toBe('<span class="none">–</span>')
  expect(textOf(shown.effort(3))).toBe('<data value="3">3</data>')
})

test('a long text loses its middle, a short one nothing, and no character is cut in two', () => {
  expect(shortened('abcdefghij', 10)).toBe('abcdefghij')
  expect(shortened('abcdefghijk', 10)).toBe('abcde…hijk')
  expect(shortened('🙂'.repeat(9), 4)).toBe('🙂🙂…🙂')
})

test('things are counted in the singular and the plural, and long lists of names are cut', () => {
  expect([counted(1, 'image'), counted(0, 'image'), counted(1200, 'image')]).toEqual([
    '1 image',
    '0 images',
    '1,200 images',
  ])
  expect(someNames(['a', 'b'], 2)).toBe('a, b')
  expect(someNames(['a', 'b', 'c', 'd'], 2)).toBe('a, b and 2 more')
})
