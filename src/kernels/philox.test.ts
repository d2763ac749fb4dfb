import { describe, expect, test } from 'vitest'
import { philox } from './philox.ts'

// The known-answer vectors of Random123 (kat_vectors, philox4x32 10 rounds).
describe('Philox4x32-10 gives the known answer for', () => {
  test.each([
    ['zeros', [0, 0, 0, 0], [0, 0], [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]],
    ['ones', new Array(4).fill(0xffffffff), [0xffffffff, 0xffffffff], [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd]],
    [
      'the digits of pi',
      [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344],
      [0xa4093822, 0x299f31d0],
      [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1],
    ],
  ])('%s', (_, counter, [keyLow, keyHigh], words) => {
    const block = Uint32Array.from(counter)
    philox(block, keyLow as number, keyHigh as number)
    expect(Array.from(block)).toEqual(words)
  })
})
