import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { encode } from 'fast-png'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ZerothError } from '../core/errors.ts'
import { readImage } from './read-image.ts'

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
  const started = performance.now()
  const error = await readImage(file, maxPixels === undefined ? {} : { maxPixels }).then(
    () => new Error('it was read'),
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(ZerothError)
  const { code, message } = error as ZerothError
  expect(code).toBe('invalid-data')
  expect(message).not.toContain('\n')
  expect(performance.now() - started).toBeLessThan(1000)
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
    const started = performance.now()
    expect((await readImage(bytes)).pixels).toEqual(Float32Array.of(200 / 255))
    expect(performance.now() - started).toBeLessThan(1000)
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

  /** Either an image or a proper refusal, in time. */
  async function survives(bytes: Uint8Array): Promise<void> {
    const started = performance.now()
    try {
      const { shape, pixels } = await readImage(bytes)
      expect(pixels.length).toBe(shape.channels * shape.height * shape.width)
    } catch (error) {
      expect(error).toBeInstanceOf(ZerothError)
      expect((error as ZerothError).code).toBe('invalid-data')
      expect((error as ZerothError).message).not.toContain('\n')
    }
    expect(performance.now() - started).toBeLessThan(1000)
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
