import fc from 'fast-check'
import { expect, test } from 'vitest'
import { millisecondsText, paint, plainReason, plainText } from './terminal-text.ts'

test('makes one line of many and takes colours and commands to the terminal out', () => {
  expect(plainText('machine\nis \x1b[31;1moff\x1b[0m\r\n')).toBe('machine is off')
  expect(plainText('title\x1b]0;owned\x07 here')).toBe('title here')
  expect(plainText('a\u202eb\u2028c')).toBe('a b c')
})

test('nothing that a terminal would obey gets through', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: what is looked for.
      expect(plainText(text)).not.toMatch(/[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/)
    }),
  )
})

test('a reason does not name our error class', () => {
  expect(plainReason('a query failed: ZerothError: exec: no such program')).toBe(
    'a query failed: exec: no such program',
  )
})

const terminal = { isTTY: true }

test('paints on terminals only, and never against NO_COLOR', () => {
  expect(paint(terminal, {}).red('x')).toBe('\x1b[31mx\x1b[39m')
  expect(paint({}, {}).red('x')).toBe('x')
  expect(paint(terminal, { TERM: 'dumb' }).red('x')).toBe('x')
  expect(paint(terminal, { NO_COLOR: '1' }).red('x')).toBe('x')
  expect(paint({}, { FORCE_COLOR: '1' }).red('x')).toBe('\x1b[31mx\x1b[39m')
  expect(paint({}, { FORCE_COLOR: '1', NO_COLOR: '1' }).red('x')).toBe('x')
})

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
