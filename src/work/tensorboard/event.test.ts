import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { recordsIn } from '../../../test/fixtures/tensorboard/read-events.ts'
import { pictureEvent, scalarEvent, shortScalarEvent, textEvent, versionEvent } from './event.ts'
import { crc32c, maskedCrc, record } from './record.ts'

const golden = readFileSync(new URL('../../../test/fixtures/tensorboard/golden.tfevents', import.meta.url))

test('a file has the very bytes that TensorBoard itself writes (test/fixtures/tensorboard/make.py)', () => {
  const numbers = [0, -0, 0.1, -1e300, 5e-324, Infinity, -Infinity, Number.NaN]
  const steps = [0, 1, 127, 128, 300, 2 ** 31, 2 ** 40, 2 ** 53 - 1]
  const png = Uint8Array.from({ length: 512 }, (_, i) => i & 255)
  const events = [
    versionEvent(1_700_000_000.25),
    ...numbers.flatMap((value, i) => {
      const moment = { time: 1_700_000_000.5, step: steps[i] as number }
      return [scalarEvent('best', value, moment), shortScalarEvent('float32/best', value, moment)]
    }),
    textEvent('spec', 'a **text**, ü', { time: 1_700_000_001, step: 7 }),
    pictureEvent('image-0003/original', { width: 28, height: 14, png }, { time: 1_700_000_002, step: 8 }, 'a 7'),
  ]
  expect(Buffer.concat(events.map(record)).equals(golden)).toBe(true)
})

describe('CRC-32C', () => {
  // RFC 3720, appendix B.4, and the check value of the catalogue of CRCs.
  test.each([
    ['32 zeros', Buffer.alloc(32), 0x8a9136aa],
    ['32 ones', Buffer.alloc(32, 255), 0x62a8ab43],
    ['0 to 31', Buffer.from(Array.from({ length: 32 }, (_, i) => i)), 0x46dd794e],
    ['31 to 0', Buffer.from(Array.from({ length: 32 }, (_, i) => 31 - i)), 0x113fdb5c],
    ['123456789', Buffer.from('123456789'), 0xe3069283],
    ['nothing', Buffer.alloc(0), 0],
  ])('of %s', (_, bytes, crc) => expect(crc32c(bytes)).toBe(crc))

  test('is masked so that it can be undone', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const rotated = (maskedCrc(bytes) - 0xa282ead8) >>> 0
        expect(((rotated >>> 17) | (rotated << 15)) >>> 0).toBe(crc32c(bytes))
      }),
    )
  })
})

test('records are read back one by one', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array()), (all) => {
      const read = recordsIn(Buffer.concat(all.map(record)))
      expect(read.map((each) => [...each])).toEqual(all.map((each) => [...each]))
    }),
  )
  expect(recordsIn(golden)).toHaveLength(19)
})
