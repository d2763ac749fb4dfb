import { expect, test } from 'vitest'
import { numberOfText } from './plain-data.ts'

test.each([
  ['8/255', 8 / 255],
  [' 8 / 255 ', 8 / 255],
  ['0.5/2', 0.25],
  ['1e-3', 0.001],
  ['.25', 0.25],
  ['3.', 3],
  ['-1/4', -0.25],
])('reads %s as a number', (text, value) => {
  expect(numberOfText(text)).toBe(value)
})

test.each([
  ['8/0', 'must not divide by 0'],
  ['8/0.0', 'must not divide by 0'],
  ['1/2/3', 'must be a number or a fraction, as in 8/255'],
  ['/255', 'must be a number or a fraction, as in 8/255'],
  ['8/', 'must be a number or a fraction, as in 8/255'],
  ['', 'must be a number or a fraction, as in 8/255'],
  ['0x10', 'must be a number or a fraction, as in 8/255'],
  ['8\\255', 'must be a number or a fraction, as in 8/255'],
  ['1e999', 'must be a finite number'],
])('refuses %j', (text, complaint) => {
  expect(numberOfText(text)).toEqual({ complaint })
})
