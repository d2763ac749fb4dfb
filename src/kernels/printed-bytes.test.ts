import fc from 'fast-check'
import { expect, test } from 'vitest'
import { printable } from '../../scripts/generate/printable.mjs'
import { printedBytes } from './printed-bytes.ts'

test('reads one character, or a mark and one character, for a byte', () => {
  expect(printedBytes('(#|}#~k')).toEqual(Uint8Array.of(0, 251, 84, 85, 247))
})

test('reads any bytes that were printed, which are ASCII without a double quote', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      expect(printable(bytes)).toMatch(/^[#-~]*$/)
      expect(printedBytes(printable(bytes))).toEqual(bytes)
    }),
  )
  const all = Uint8Array.from({ length: 256 }, (_, byte) => byte)
  expect(printedBytes(printable(all))).toEqual(all)
})
