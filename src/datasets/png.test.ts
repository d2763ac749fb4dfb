import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { decode } from 'fast-png'
import sharp from 'sharp'
import { afterAll, describe, expect, test } from 'vitest'
import { fromBytes, quantized } from './pixels.ts'
import { decodePlainPng, encodePng, essentialPng, plainPngHeader, writePng } from './png.ts'
import { readImage } from './read-image.ts'

const folder = mkdtempSync(join(tmpdir(), 'zeroth-png-'))
afterAll(() => rmSync(folder, { recursive: true }))

const bits = (pixels: Float32Array) => new Uint32Array(pixels.buffer, pixels.byteOffset, pixels.length)

test.each([1, 3] as const)(
  'bytes become pixels, a PNG, and the same pixels again, bit for bit (%i channels)',
  async (channels) => {
    const side = fc.integer({ min: 1, max: 9 })
    const shapes = fc.tuple(side, side).map(([height, width]) => ({ channels, height, width }))
    const images = shapes.chain((shape) => {
      const length = channels * shape.height * shape.width
      return fc.uint8Array({ minLength: length, maxLength: length }).map((bytes) => fromBytes(bytes, shape))
    })
    await fc.assert(
      fc.asyncProperty(images, async (image) => {
        const again = await readImage(encodePng(image))
        expect(again.shape).toEqual(image.shape)
        expect(bits(again.pixels)).toEqual(bits(image.pixels))
      }),
    )
  },
)

test.each([
  { channels: 1, height: 1, width: 256 },
  { channels: 1, height: 256, width: 1 },
  { channels: 3, height: 16, width: 16 },
])('all 256 values survive in %o', async (shape) => {
  const bytes = Uint8Array.from({ length: 256 * shape.channels }, (_, i) => i % 256)
  const image = fromBytes(bytes, shape)
  const file = join(folder, 'all.png')
  await writePng(file, image)
  expect(bits((await readImage(file)).pixels)).toEqual(bits(image.pixels))
})

test('any image read again is the quantized image', async () => {
  const pixels = Float64Array.from({ length: 3 * 5 * 7 }, (_, i) => (Math.sin(i) + 1) / 2)
  const image = { shape: { channels: 3, height: 5, width: 7 }, pixels }
  expect(await readImage(encodePng(image))).toEqual(quantized(image))
})

test('the file is an 8-bit PNG in grey or RGB without opacity', () => {
  for (const channels of [1, 3]) {
    const shape = { channels, height: 2, width: 3 }
    const decoded = decode(encodePng({ shape, pixels: new Float32Array(6 * channels) }))
    expect(decoded).toMatchObject({ depth: 8, channels, height: 2, width: 3 })
  }
})

test('a file that cannot be written is named', async () => {
  const image = fromBytes(Uint8Array.of(1), { channels: 1, height: 1, width: 1 })
  const file = join(folder, 'nowhere', 'a.png')
  const message = `${file}: cannot be written (there is no such file or folder)`
  await expect(writePng(file, image)).rejects.toMatchObject({ code: 'invalid-data', message })
})

test('an image out of range is not written at all', async () => {
  const file = join(folder, 'never.png')
  const image = { shape: { channels: 1, height: 1, width: 1 }, pixels: Float32Array.of(2) }
  await expect(writePng(file, image)).rejects.toThrow('pixels must be from 0 to 1, got 2')
  await expect(readImage(file)).rejects.toThrow('no such file')
})

const kinds = [
  ['grey', 1, 'b-w'],
  ['color', 3, 'srgb'],
  ['color with opacity', 4, 'srgb'],
] as const

describe('without sharp', () => {
  test.each(kinds)('a PNG image in %s has the header and the samples that sharp finds', async (_, channels, space) => {
    const data = Uint8Array.from({ length: 5 * 3 * channels }, (_, i) => (i * 37) % 256)
    const raw = sharp(data, { raw: { width: 5, height: 3, channels } }).toColourspace(space)
    const png = new Uint8Array(await raw.png().toBuffer())
    const { width, height, space: found, depth, hasAlpha } = await sharp(png).metadata()
    expect(plainPngHeader(png)).toEqual({ width, height, space: found, depth, hasAlpha })
    expect(decodePlainPng(png)).toEqual({ shape: { channels, height: 3, width: 5 }, values: data })
  })

  test('palettes are left to sharp', async () => {
    const raw = sharp(new Uint8Array(12), { raw: { width: 2, height: 2, channels: 3 } })
    expect(plainPngHeader(new Uint8Array(await raw.png({ palette: true }).toBuffer()))).toBeUndefined()
  })
})

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
