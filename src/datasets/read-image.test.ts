import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decode, encode } from 'fast-png'
import sharp from 'sharp'
import { afterAll, describe, expect, test } from 'vitest'
import type { ImageOptions } from './dataset-options.ts'
import { fromBytes, toBytes } from './pixels.ts'
import { encodePng } from './png.ts'
import { readImage } from './read-image.ts'

const folder = mkdtempSync(join(tmpdir(), 'zeroth-read-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Six flat blocks of 16 x 16 pixels, no two alike in either direction. */
const blocks = { channels: 3, height: 32, width: 48 } as const
const blockBytes = Uint8Array.from({ length: 3 * 32 * 48 }, (_, i) => {
  const pixel = Math.floor(i / 3)
  const block = 3 * Math.floor(pixel / 48 / 16) + Math.floor((pixel % 48) / 16)
  return (40 * block + 60 * (i % 3) + 10) % 256
})
const blockPicture = () => sharp(blockBytes, { raw: blocks })
const bytesOf = async (file: string | Uint8Array, options?: ImageOptions) => {
  const { shape, pixels } = await readImage(file, options)
  return { shape, bytes: toBytes({ shape, pixels }) }
}
const largestDifference = (a: Uint8Array, b: Uint8Array) =>
  Math.max(...a.map((byte, i) => Math.abs(byte - (b[i] as number))))

describe('formats', () => {
  test.each([
    ['jpeg', { quality: 100, chromaSubsampling: '4:4:4' }],
    ['webp', { lossless: true }],
  ] as const)('%s, from a file and from bytes', async (format, options) => {
    const bytes = await blockPicture().toFormat(format, options).toBuffer()
    const file = join(folder, `blocks.${format}`)
    writeFileSync(file, bytes)
    const image = await bytesOf(file)
    expect(image.shape).toEqual(blocks)
    expect(largestDifference(image.bytes, blockBytes)).toBeLessThanOrEqual(4)
    expect(await bytesOf(new Uint8Array(bytes))).toEqual(image)
  })

  test('a name says nothing about the format', async () => {
    const file = join(folder, 'really-a-png.jpg')
    writeFileSync(file, encodePng(fromBytes(blockBytes, blocks)))
    expect((await bytesOf(file)).bytes).toEqual(blockBytes)
  })

  test('a progressive JPEG and an interlaced PNG', async () => {
    const progressive = await blockPicture().jpeg({ progressive: true, quality: 90 }).toBuffer()
    expect(await readImage(progressive)).toEqual(await readImage(await blockPicture().jpeg({ quality: 90 }).toBuffer()))
    const interlaced = encode({ data: blockBytes, ...blocks }, { interlace: 'Adam7' })
    expect((await bytesOf(interlaced)).bytes).toEqual(blockBytes)
  })

  test('a palette PNG', async () => {
    const palette = [
      [1, 2, 3],
      [200, 100, 50],
    ]
    const png = encode({ width: 8, height: 1, data: Uint8Array.of(0, 1, 1, 0, 0, 0, 1, 1), channels: 1, palette })
    const { shape, bytes } = await bytesOf(png)
    expect(shape).toEqual({ channels: 3, height: 1, width: 8 })
    expect(Array.from(bytes.subarray(0, 9))).toEqual([1, 2, 3, 200, 100, 50, 200, 100, 50])
  })

  test.each([1, 3])('a 16-bit PNG of %i channels is rounded to the nearest byte', async (channels) => {
    const data = Uint16Array.from({ length: 3 * 400 }, (_, i) => Math.min(65535, 55 * i))
    const { bytes } = await bytesOf(encode({ data, channels, height: 3 / channels, width: 400, depth: 16 }))
    expect(Array.from(bytes)).toEqual(Array.from(data, (value) => Math.round(value / 257)))
  })

  test('a CMYK JPEG becomes RGB', async () => {
    const flat = { create: { width: 16, height: 16, channels: 3, background: { r: 150, g: 120, b: 100 } } } as const
    const jpeg = await sharp(flat).toColourspace('cmyk').jpeg({ quality: 100 }).toBuffer()
    expect(await sharp(jpeg).metadata()).toMatchObject({ space: 'cmyk', channels: 4 })
    const { shape, bytes } = await bytesOf(jpeg)
    expect(shape).toEqual({ channels: 3, height: 16, width: 16 })
    expect(largestDifference(bytes.subarray(0, 3), Uint8Array.of(150, 120, 100))).toBeLessThanOrEqual(10)
  })

  test('color profiles are ignored: the bytes in the file count', async () => {
    const png = await blockPicture().withIccProfile('p3').png().toBuffer()
    expect((await sharp(png).metadata()).hasProfile).toBe(true)
    const stored = decode(png).data as Uint8Array
    expect(largestDifference(stored, blockBytes)).toBeGreaterThan(5)
    expect((await bytesOf(png)).bytes).toEqual(stored)
    const jpeg = await blockPicture().withIccProfile('p3').jpeg().toBuffer()
    const hidden = Buffer.from(jpeg.toString('latin1').replace('ICC_PROFILE', 'XYZ_PROFILE'), 'latin1')
    expect((await sharp(hidden).metadata()).hasProfile).toBe(false)
    expect(await readImage(jpeg)).toEqual(await readImage(hidden))
  })

  test.each([
    [1, 1],
    [1, 20_000],
    [20_000, 1],
  ])('a PNG of %i x %i pixels', async (height, width) => {
    const bytes = Uint8Array.from({ length: height * width }, (_, i) => i % 251)
    const png = encode({ data: bytes, channels: 1, height, width })
    expect(await bytesOf(png)).toEqual({ shape: { channels: 1, height, width }, bytes })
  })
})

describe('opacity is painted on white', () => {
  test.each([
    [2, 8, [0, 0, 10, 255, 128, 128], [255, 10, 191]],
    [4, 8, [9, 9, 9, 0, 1, 2, 3, 255, 100, 0, 255, 51], [255, 255, 255, 1, 2, 3, 224, 204, 255]],
    [2, 16, [0, 0, 2570, 65535, 32896, 32896], [255, 10, 191]],
    [4, 16, [9, 9, 9, 0, 257, 514, 771, 65535, 25700, 0, 65535, 13107], [255, 255, 255, 1, 2, 3, 224, 204, 255]],
  ] as const)('with %i channels of %i bits', async (channels, depth, values, expected) => {
    const data = depth === 16 ? Uint16Array.from(values) : Uint8Array.from(values)
    expect(Array.from((await bytesOf(encode({ data, channels, height: 1, width: 3, depth }))).bytes)).toEqual(expected)
  })

  test('and grey stays grey', async () => {
    const grey = encode({ width: 2, height: 1, data: Uint8Array.of(7, 255, 9, 51), channels: 2 })
    expect((await readImage(grey)).shape).toEqual({ channels: 1, height: 1, width: 2 })
    expect(Array.from((await bytesOf(grey, { channels: 3 })).bytes)).toEqual([7, 7, 7, 206, 206, 206])
  })

  test('in a palette', async () => {
    const palette = [
      [0, 0, 0, 51],
      [7, 8, 9, 255],
    ]
    const png = encode({ width: 2, height: 1, data: Uint8Array.of(0, 1), channels: 1, palette })
    expect(Array.from((await bytesOf(png)).bytes)).toEqual([204, 204, 204, 7, 8, 9])
  })
})

describe('grey and color', () => {
  const grey = encode({ width: 3, height: 1, data: Uint8Array.of(0, 100, 255), channels: 1 })

  test('the file decides if nothing is said', async () => {
    expect((await readImage(grey)).shape.channels).toBe(1)
    const jpeg = await sharp(new Uint8Array(64).fill(50), { raw: { width: 8, height: 8, channels: 1 } })
      .toColourspace('b-w')
      .jpeg()
      .toBuffer()
    expect(await bytesOf(jpeg)).toEqual({
      shape: { channels: 1, height: 8, width: 8 },
      bytes: new Uint8Array(64).fill(50),
    })
  })

  test('grey is copied to three channels', async () => {
    expect(Array.from((await bytesOf(grey, { channels: 3 })).bytes)).toEqual([0, 0, 0, 100, 100, 100, 255, 255, 255])
  })

  test('color becomes the luma that Pillow computes', async () => {
    const data = Uint8Array.from(
      Array.from({ length: 15 }, (_, k) => [(k * 40) % 256, (k * k * 11) % 256, 255 - k * 9]).flat(),
    )
    const { bytes } = await bytesOf(encode({ width: 5, height: 3, data, channels: 3 }), { channels: 1 })
    expect(Array.from(bytes)).toEqual([29, 46, 77, 120, 176, 95, 177, 45, 153, 123, 106, 103, 112, 57, 92])
  })
})

/** Where the pixel at (y, x) of the upright image is stored, by the EXIF standard; h and w as stored. */
const storedAt: Record<number, (y: number, x: number, h: number, w: number) => [number, number]> = {
  1: (y, x) => [y, x],
  2: (y, x, _, w) => [y, w - 1 - x],
  3: (y, x, h, w) => [h - 1 - y, w - 1 - x],
  4: (y, x, h) => [h - 1 - y, x],
  5: (y, x) => [x, y],
  6: (y, x, h) => [h - 1 - x, y],
  7: (y, x, h, w) => [h - 1 - x, w - 1 - y],
  8: (y, x, _, w) => [x, w - 1 - y],
}

describe('EXIF orientation', () => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8])('%i is honored in JPEG, PNG and WebP', async (orientation) => {
    for (const format of ['jpeg', 'png', 'webp'] as const) {
      const options = format === 'webp' ? { lossless: true } : {}
      const plain = await bytesOf(await blockPicture().toFormat(format, options).toBuffer())
      const turned = await blockPicture().toFormat(format, options).withMetadata({ orientation }).toBuffer()
      const { shape, bytes } = await bytesOf(turned)
      const { height: h, width: w } = blocks
      expect(shape).toEqual(orientation < 5 ? blocks : { channels: 3, height: w, width: h })
      const expected = Uint8Array.from(bytes, (_, i) => {
        const pixel = Math.floor(i / 3)
        const place = storedAt[orientation]?.(Math.floor(pixel / shape.width), pixel % shape.width, h, w) ?? [0, 0]
        return plain.bytes[3 * (place[0] * w + place[1]) + (i % 3)] as number
      })
      expect(bytes).toEqual(expected)
    }
  })

  test('comes before resizing', async () => {
    const turned = await blockPicture().png().withMetadata({ orientation: 6 }).toBuffer()
    const { shape, bytes } = await bytesOf(turned, { size: { height: 48, width: 32 }, resize: 'none' })
    expect(shape).toEqual({ channels: 3, height: 48, width: 32 })
    expect(bytes.subarray(0, 3)).toEqual(blockBytes.subarray(3 * 48 * 31, 3 * 48 * 31 + 3))
  })
})

describe('size', () => {
  const gradient = (height: number, width: number) => {
    const bytes = Uint8Array.from({ length: height * width }, (_, i) => Math.round((255 * (i % width)) / (width - 1)))
    return encode({ data: bytes, channels: 1, height, width })
  }

  test('the ImageNet convention shrinks a gradient to the gradient of its middle', async () => {
    // 128 x 192 shrinks to 64 x 96, of which columns 20 to 75 stay: their centers are 2 * (20 + x) + 0.5 of 191.
    const { shape, bytes } = await bytesOf(gradient(128, 192), { size: 56 })
    expect(shape).toEqual({ channels: 1, height: 56, width: 56 })
    bytes.forEach((byte, i) =>
      expect(Math.abs(byte - (255 * (2 * (20 + (i % 56)) + 0.5)) / 191)).toBeLessThanOrEqual(1),
    )
  })

  test('smaller images are enlarged about their middle', async () => {
    // 8 x 16 grows to 64 x 128, of which columns 36 to 91 stay: pixel x lies at (36 + x + 0.5) / 8 - 0.5 of 15.
    const { shape, bytes } = await bytesOf(gradient(8, 16), { size: 56 })
    expect(shape).toEqual({ channels: 1, height: 56, width: 56 })
    bytes.forEach((byte, i) =>
      expect(Math.abs(byte - (255 * ((36.5 + (i % 56)) / 8 - 0.5)) / 15)).toBeLessThanOrEqual(1),
    )
  })

  test('cropFraction says how much of the middle stays', async () => {
    const all = await bytesOf(gradient(64, 64), { size: 64, cropFraction: 1 })
    expect([all.bytes[0], all.bytes[63]]).toEqual([0, 255])
    const half = await bytesOf(gradient(64, 64), { size: 32, cropFraction: 0.5 })
    expect(half.bytes.subarray(0, 32)).toEqual(all.bytes.subarray(16, 48))
  })

  test('stretch keeps everything, none asks for the size itself', async () => {
    const { bytes } = await bytesOf(gradient(4, 100), { size: { height: 2, width: 50 }, resize: 'stretch' })
    expect(bytes.length).toBe(100)
    expect(bytes[0]).toBeLessThan(4)
    expect(bytes[49]).toBeGreaterThan(251)
    expect((await readImage(gradient(4, 100), { size: { height: 4, width: 100 }, resize: 'none' })).shape.width).toBe(
      100,
    )
    await expect(readImage(gradient(4, 100), { size: 100, resize: 'none' })).rejects.toThrow(
      'bytes: must be 100 high and 100 wide, is 4 and 100',
    )
  })

  test('a very long thin image is cropped like any other', async () => {
    const { shape, bytes } = await bytesOf(gradient(1, 60_000), { size: 224 })
    expect(shape).toEqual({ channels: 1, height: 224, width: 224 })
    expect(new Set(bytes)).toEqual(new Set([127, 128]))
  })
})

describe('refuses', () => {
  const png = encodePng(fromBytes(blockBytes, blocks))
  test.each([
    [{ channels: 2 }, 'readImage.channels must be one of 1, 3, got 2'],
    [{ size: 0 }, 'readImage.size must be at least 1'],
    [{ size: { height: 3 } }, 'readImage.size.width is required (a number), got undefined'],
    [{ size: 10_000 }, 'readImage.size must be at most 50000000 pixels, got 10000 x 10000'],
    [{ resize: 'stretch' }, 'readImage.size is required for resize "stretch"'],
    [{ resize: 'fit' }, 'readImage.resize must be one of "imagenet", "stretch", "none", got "fit"'],
    [{ cropFraction: 1.5 }, 'readImage.cropFraction must be at most 1, got 1.5'],
    [{ sizes: 3 }, 'readImage has no option sizes; did you mean size?'],
  ])('the options %j', async (options, message) => {
    await expect(readImage(png, options as ImageOptions)).rejects.toThrow(message)
  })

  test('what is neither a path nor bytes', async () => {
    const message = "an image is read from a file's path or a Uint8Array, got 7"
    await expect(readImage(7 as never)).rejects.toMatchObject({ code: 'invalid-option', message })
  })
})
