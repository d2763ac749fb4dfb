import { expect, test } from 'vitest'
import { sampleMean } from './sample-mean.ts'
import { allExpected, atMost, between, equals, expected, show } from './verdict.ts'

test('a bound holds up to itself, and never for NaN or the largest of nothing', () => {
  expect(atMost('', 1, 1).passed).toBe(true)
  expect(atMost('', 1, 1 + 1e-15).passed).toBe(false)
  expect(atMost('', 1, 1 + 1e-15, 1e-12).passed).toBe(true)
  expect(atMost('', 1, Number.NaN).passed).toBe(false)
  expect(atMost('', 1, Math.max()).passed).toBe(false)
})

test('a range includes its ends', () => {
  expect([0.9, 1, 2, 2.1].map((value) => between('', [1, 2], value).passed)).toEqual([false, true, true, false])
})

test('a tolerance of 0 asks for the same number', () => {
  expect(equals('', 0.3, 0.1 + 0.2, 0).passed).toBe(false)
  expect(equals('', 0.3, 0.1 + 0.2, 1e-15).passed).toBe(true)
})

test('a mean is judged by its standard error', () => {
  const sample = sampleMean()
  for (let i = 0; i < 100; i++) sample.add(i % 2 === 0 ? 1 : 3)
  expect(expected('', 2.3, sample)).toMatchObject({ passed: true, measured: '2 +- 0.1005, z = -3.0' })
  expect(expected('', 2.5, sample).passed).toBe(false)
  expect(expected('', Number.NaN, sample).passed).toBe(false)
})

test('of many means the worst one counts, and there must be some', () => {
  expect(allExpected('', '', [1, -3, 2]).passed).toBe(true)
  expect(allExpected('', '', [1, -5, 2]).passed).toBe(false)
  expect(allExpected('', '', [1, Number.NaN]).passed).toBe(false)
  expect(allExpected('', '', []).passed).toBe(false)
})

test('numbers are shown with four digits', () => {
  expect([0, 1000, 0.123456, 1e-6, 0.5, 123456.789, 2.5e-9].map(show)).toEqual([
    '0',
    '1000',
    '0.1235',
    '1e-6',
    '0.5',
    '1.235e+5',
    '2.5e-9',
  ])
})
