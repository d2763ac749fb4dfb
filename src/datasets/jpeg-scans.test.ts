import fc from 'fast-check'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { jpegScans } from './jpeg-scans.ts'

const noise = Uint8Array.from({ length: 48 * 48 * 3 }, (_, i) => (i * i * 31) % 251)
const picture = () => sharp(noise, { raw: { width: 48, height: 48, channels: 3 } })

test('a plain JPEG is one scan, a progressive one of three channels ten', async () => {
  expect(jpegScans(await picture().jpeg().toBuffer())).toBe(1)
  expect(jpegScans(await picture().jpeg({ progressive: true }).toBuffer())).toBe(10)
})

test('scans of a preview inside the header and of what follows the image do not count', async () => {
  const plain = await picture().jpeg().toBuffer()
  const scan = Buffer.from([0xff, 0xda, 0, 2])
  const preview = Buffer.concat([Buffer.from([0xff, 0xe1, 0, 10]), scan, scan])
  const padded = Buffer.concat([plain.subarray(0, 2), preview, plain.subarray(2), scan, scan])
  expect(jpegScans(padded)).toBe(1)
})

test('any bytes are walked through to their end', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => jpegScans(bytes) <= bytes.length))
  expect(jpegScans(new Uint8Array(1_000_000).fill(0xff))).toBe(0)
})
