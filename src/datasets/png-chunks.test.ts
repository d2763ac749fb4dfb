import { expect, test } from 'vitest'
import { essentialPng } from './png-chunks.ts'

const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

function chunk(type: string, length = 5, claimed = length): Buffer {
  const bytes = Buffer.alloc(12 + length, 7)
  bytes.writeUInt32BE(claimed)
  bytes.write(type, 4, 'latin1')
  return bytes
}

const file = (...chunks: Buffer[]) => Buffer.concat([signature, ...chunks])

test('keeps pixels, palette, transparency and orientation, in order and to the byte', () => {
  const good = [
    chunk('IHDR'),
    chunk('PLTE'),
    chunk('tRNS'),
    chunk('eXIf'),
    chunk('IDAT'),
    chunk('IDAT', 0),
    chunk('IEND'),
  ]
  expect(essentialPng(file(...good))).toEqual(file(...good))
})

test('drops texts, profiles, huge EXIF data and what follows the end', () => {
  const given = file(
    chunk('IHDR'),
    chunk('iCCP'),
    chunk('zTXt', 5000),
    chunk('eXIf', 70_000),
    chunk('IDAT'),
    chunk('iTXt'),
    chunk('IEND'),
    chunk('tEXt'),
    Buffer.from('trailing'),
  )
  expect(essentialPng(given)).toEqual(file(chunk('IHDR'), chunk('IDAT'), chunk('IEND')))
})

test('leaves a file alone whose chunks reach beyond its end', () => {
  const cut = file(chunk('IHDR'), chunk('zTXt', 5, 0xffffffff), chunk('IDAT'))
  expect(essentialPng(cut)).toBe(cut)
})

test('takes any view of the bytes', () => {
  const all = Buffer.concat([Buffer.alloc(3), file(chunk('IHDR'), chunk('tEXt'), chunk('IEND'))])
  expect(essentialPng(new Uint8Array(all).subarray(3))).toEqual(file(chunk('IHDR'), chunk('IEND')))
})
