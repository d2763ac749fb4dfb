import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { decode } from 'fast-png'
import { afterAll, expect, test } from 'vitest'
import { fromBytes, quantized } from './pixels.ts'
import { encodePng, writePng } from './png.ts'
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
