import { expect, test } from 'vitest'
import { millisecondsText } from './duration-text.ts'

test.each([
  [0, '0 ms'],
  [25.4, '25 ms'],
  [94.9, '95 ms'],
  [95, '0.1 s'],
  [1234, '1.2 s'],
  [8000, '8 s'],
  [9949, '9.9 s'],
  [9950, '10 s'],
  [59_400, '59 s'],
  [59_600, '1 min 0 s'],
  [200_000, '3 min 20 s'],
  [3_569_000, '59 min 29 s'],
  [3_570_000, '1 h 0 min'],
  [7_500_000, '2 h 5 min'],
])('%d ms reads %s', (milliseconds, text) => {
  expect(millisecondsText(milliseconds)).toBe(text)
})
