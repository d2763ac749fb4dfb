import fc from 'fast-check'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { imageFormat, isImageFormat, jpegScans } from './image-format.ts'

const latin1 = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0))

test.each([
  ['\xff\xd8\xff\xe0', 'JPEG', true],
  ['\x89PNG\r\n\x1a\n', 'PNG', true],
  ['RIFF\x01\x02\x03\x04WEBPVP8 ', 'WebP', true],
  ['GIF89a', 'GIF', false],
  ['II*\0', 'TIFF', false],
  ['\0\0\0\x20ftypavif', 'AVIF', false],
  ['\0\0\0\x20ftypheic', 'HEIF', false],
  ['%PDF-1.7', 'PDF', false],
  ['<svg xmlns="http://www.w3.org/2000/svg"/>', 'SVG', false],
  ['\xef\xbb\xbf<?xml version="1.0"?>\n<!-- x --><svg width="9"/>', 'SVG', false],
  ['<?xml version="1.0"?><x/>', 'XML', false],
  ['<!DOCTYPE html><html>', 'HTML', false],
  ['\x1f\x8b\x08', 'gzip', false],
  ['', 'nothing (0 bytes)', false],
  ['\x89PNG', 'bytes that begin with 89 50 4e 47', false],
  ['\x01', 'bytes that begin with 01', false],
])('%j is %s', (text, name, allowed) => {
  expect(imageFormat(latin1(text))).toBe(name)
  expect(isImageFormat(name)).toBe(allowed)
})

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
