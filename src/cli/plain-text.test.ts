import fc from 'fast-check'
import { expect, test } from 'vitest'
import { plainReason, plainText } from './plain-text.ts'

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
