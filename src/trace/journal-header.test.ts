import fc from 'fast-check'
import { expect, test } from 'vitest'
import { crc32 } from './journal-header.ts'

test.each([
  ['', 0],
  ['123456789', 0xcbf43926],
  ['The quick brown fox jumps over the lazy dog', 0x414fa339],
])('is the CRC-32 of zip and PNG: %s', (text, sum) => {
  expect(crc32(new TextEncoder().encode(text))).toBe(sum)
})

test('takes a range of the bytes', () => {
  const bytes = new TextEncoder().encode('..123456789..')
  expect(crc32(bytes, 2, 11)).toBe(0xcbf43926)
})

test('sees every flipped bit', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 64 }), fc.nat(), (bytes, where) => {
      const damaged = bytes.slice()
      const bit = where % (8 * bytes.length)
      damaged[bit >> 3] = (damaged[bit >> 3] as number) ^ (1 << (bit & 7))
      return crc32(damaged) !== crc32(bytes)
    }),
  )
})
