import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { decode, encode } from 'fast-png'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ZerothError } from '../../optimizer/core/errors.ts'
import {
  decodePlainPng,
  encodePng,
  essentialPng,
  type ImageOptions,
  plainPngHeader,
  readImage,
  writePng,
} from './image-file.ts'
import { fromBytes, quantized, toBytes } from './pixels.ts'

describe('read-image', () => {
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
      expect(await readImage(progressive)).toEqual(
        await readImage(await blockPicture().jpeg({ quality: 90 }).toBuffer()),
      )
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
      expect(Array.from((await bytesOf(encode({ data, channels, height: 1, width: 3, depth }))).bytes)).toEqual(
        expected,
      )
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
})

describe('open-image', () => {
  const folder = mkdtempSync(join(tmpdir(), 'zeroth-open-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  const noise = Uint8Array.from({ length: 3 * 24 * 24 }, (_, i) => (i * i * 31) % 251)
  const picture = sharp(noise, { raw: { width: 24, height: 24, channels: 3 } })
  const valid: Record<'png' | 'jpeg' | 'progressive' | 'webp', Buffer> = {} as never
  beforeAll(async () => {
    valid.png = await picture.clone().png().toBuffer()
    valid.jpeg = await picture.clone().jpeg().withMetadata({ orientation: 6 }).toBuffer()
    valid.progressive = await picture.clone().jpeg({ progressive: true }).toBuffer()
    valid.webp = await picture.clone().webp().toBuffer()
  })

  /** A PNG file of hand-made chunks, their checksums right. */
  function png(...chunks: readonly (readonly [type: string, data: Uint8Array])[]): Buffer {
    const parts = chunks.map(([type, data]) => {
      const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
      const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
      length.writeUInt32BE(data.length)
      sum.writeUInt32BE(crc(body))
      return Buffer.concat([length, body, sum])
    })
    return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...parts])
  }

  function crc(bytes: Uint8Array): number {
    let sum = ~0
    for (const byte of bytes) {
      sum ^= byte
      for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (0xedb88320 & -(sum & 1))
    }
    return ~sum >>> 0
  }

  function header(width: number, height: number, rest: readonly number[] = [8, 0, 0, 0, 0]): Buffer {
    const data = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, ...rest])
    data.writeUInt32BE(width >>> 0, 0)
    data.writeUInt32BE(height >>> 0, 4)
    return data
  }

  async function refusal(file: string | Uint8Array, maxPixels?: number): Promise<string> {
    const error = await readImage(file, maxPixels === undefined ? {} : { maxPixels }).then(
      () => new Error('it was read'),
      (reason: unknown) => reason,
    )
    expect(error).toBeInstanceOf(ZerothError)
    const { code, message } = error as ZerothError
    expect(code).toBe('invalid-data')
    expect(message).not.toContain('\n')
    return message
  }

  describe('bombs are refused within a second', () => {
    test('a PNG of 50000 x 50000 zeros', async () => {
      const zeros = deflateSync(Buffer.alloc(6251 * 200))
      const file = join(folder, 'bomb.png')
      writeFileSync(
        file,
        png(['IHDR', header(50_000, 50_000, [1, 0, 0, 0, 0])], ['IDAT', zeros], ['IEND', Buffer.alloc(0)]),
      )
      expect(await refusal(file)).toBe(
        `${file}: the PNG image has 50000 x 50000 = 2500000000 pixels, at most 50000000 are allowed (maxPixels)`,
      )
    })

    test('the limit can be moved, and is exact', async () => {
      expect(await refusal(valid.png, 575)).toMatch(/has 24 x 24 = 576 pixels, at most 575 are allowed/)
      expect((await readImage(valid.png, { maxPixels: 576 })).pixels.length).toBe(1728)
      expect(await refusal(valid.jpeg, 575)).toMatch(/the JPEG image has 24 x 24/)
      expect(await refusal(valid.webp, 575)).toMatch(/the WebP image has 24 x 24/)
    })

    test('a JPEG whose pixels are passed over again and again', async () => {
      const at = valid.progressive.lastIndexOf(Buffer.from([0xff, 0xda]))
      const scan = valid.progressive.subarray(at, -2)
      const many = Buffer.concat([valid.progressive.subarray(0, at), ...Array.from({ length: 1000 }, () => scan)])
      expect(await refusal(many)).toMatch(/the JPEG image has 1009 scans, at most 100 are allowed$/)
    })

    test('texts inside a PNG, which nobody unpacks', async () => {
      const text = Buffer.concat([Buffer.from('key\0\0', 'latin1'), deflateSync(Buffer.alloc(7_900_000))])
      const broken = Buffer.from('profile\0\0not packed at all')
      const texts = Array.from({ length: 100 }, () => ['zTXt', text] as const)
      const pixels = deflateSync(Buffer.from([0, 200]))
      const end = Buffer.alloc(0)
      const bytes = png(['IHDR', header(1, 1)], ['iCCP', broken], ...texts, ['IDAT', pixels], ['IEND', end])
      bytes[bytes.indexOf('zTXt') + 20] = 1
      expect((await readImage(bytes)).pixels).toEqual(Float32Array.of(200 / 255))
    })

    test('a file far larger than any image within the limit', async () => {
      const file = join(folder, 'sparse.png')
      writeFileSync(file, valid.png)
      truncateSync(file, 100_000_000)
      expect(await refusal(file, 1000)).toBe(`${file}: has 100000000 bytes, at most 67116864 are allowed`)
    })
  })

  describe('what is not an image is refused by what was found', () => {
    test.each([
      ['drawing.png', '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>', 'SVG'],
      ['paper.jpg', '%PDF-1.7 ...', 'PDF'],
      ['moving.gif', 'GIF89a...', 'GIF'],
      ['scan.tif', 'II*\0....', 'TIFF'],
      ['empty.png', '', 'nothing (0 bytes)'],
      ['hello.png', 'hello', 'bytes that begin with 68 65 6c 6c'],
    ])('%s', async (name, text, found) => {
      const file = join(folder, name)
      writeFileSync(file, text)
      const rule = 'is not an image that can be read'
      expect(await refusal(file)).toBe(`${file}: ${rule}: found ${found}, allowed are JPEG, PNG, WebP`)
    })

    test('a folder, a device, nothing at all', async () => {
      const inside = join(folder, 'inside')
      mkdirSync(inside)
      expect(await refusal(inside)).toBe(`${inside}: is a folder, not a file`)
      expect(await refusal('/dev/zero')).toBe('/dev/zero: is not an ordinary file')
      const missing = join(folder, 'line\nbreak.png')
      expect(await refusal(missing)).toBe(
        `${missing.replace('\n', ' ')}: cannot be read (there is no such file or folder)`,
      )
      expect(await refusal('zero\0byte.png')).toMatch(/^zero byte.png: cannot be read/)
    })
  })

  describe('damaged images', () => {
    test.each(['png', 'jpeg', 'progressive', 'webp'] as const)(
      'a truncated %s is refused wherever it ends',
      async (format) => {
        const bytes = valid[format]
        for (let length = 0; length < bytes.length - 30; length += 37) {
          expect(await refusal(bytes.subarray(0, length))).toMatch(/is damaged|is not an image that can be read/)
        }
      },
    )

    test('pixels with a wrong checksum are refused, not read', async () => {
      const bytes = Buffer.from(valid.png)
      const at = bytes.indexOf('IDAT') + 100
      bytes[at] = (bytes[at] as number) ^ 1
      expect(await refusal(bytes)).toMatch(/^an image of \d+ bytes: the PNG image is damaged \(.+\)$/)
    })

    const mutation = fc.record({
      at: fc.nat(),
      byte: fc.nat(255),
      cut: fc.nat(),
      insert: fc.uint8Array({ maxLength: 4 }),
    })

    /** Either an image or a proper refusal. */
    async function survives(bytes: Uint8Array): Promise<void> {
      try {
        const { shape, pixels } = await readImage(bytes)
        expect(pixels.length).toBe(shape.channels * shape.height * shape.width)
      } catch (error) {
        expect(error).toBeInstanceOf(ZerothError)
        expect((error as ZerothError).code).toBe('invalid-data')
        expect((error as ZerothError).message).not.toContain('\n')
      }
    }

    test.each(['png', 'jpeg', 'progressive', 'webp'] as const)('a changed %s is read or refused', async (format) => {
      await fc.assert(
        fc.asyncProperty(fc.array(mutation, { minLength: 1, maxLength: 4 }), async (list) => {
          let bytes = Buffer.from(valid[format])
          for (const { at, byte, cut, insert } of list) {
            // Half of the changes hit the first 64 bytes, where the header is.
            const place = at % (at % 2 === 0 ? 64 : bytes.length)
            bytes[place] = byte
            if (cut % 3 === 0) bytes = Buffer.concat([bytes.subarray(0, place), insert, bytes.subarray(place)])
          }
          await survives(bytes)
        }),
        { numRuns: 150 },
      )
    })

    test('a PNG with any header, its checksum right, is read or refused', async () => {
      const size = fc.oneof(fc.nat(40), fc.nat(0xffffffff))
      const rest = fc.tuple(
        fc.constantFrom(1, 2, 4, 8, 16, 3),
        fc.constantFrom(0, 2, 3, 4, 6, 1),
        fc.nat(1),
        fc.nat(1),
        fc.nat(2),
      )
      const body = deflateSync(Buffer.alloc(5000))
      await fc.assert(
        fc.asyncProperty(size, size, rest, async (width, height, fields) => {
          await survives(png(['IHDR', header(width, height, fields)], ['IDAT', body], ['IEND', Buffer.alloc(0)]))
        }),
        { numRuns: 200 },
      )
    })

    test('random bytes, with and without the beginning of an image, are refused', async () => {
      const starts = [
        '',
        '\xff\xd8\xff',
        '\x89PNG\r\n\x1a\n',
        'RIFF\x10\0\0\0WEBPVP8 ',
        '<svg',
        '%PDF',
        'GIF89a',
        'II*\0',
      ]
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...starts), fc.uint8Array({ maxLength: 300 }), async (start, bytes) => {
          await refusal(Buffer.concat([Buffer.from(start, 'latin1'), bytes]))
        }),
        { numRuns: 300 },
      )
    })
  })

  test('a good image after all that is still read', async () => {
    const image = await readImage(encode({ width: 2, height: 1, data: Uint8Array.of(3, 4), channels: 1 }))
    expect(image.pixels).toEqual(Float32Array.of(3 / 255, 4 / 255))
  })
})

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
