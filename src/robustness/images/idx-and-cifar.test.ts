import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { encode } from 'fast-png'
import { afterAll, describe, expect, test } from 'vitest'
import { ZerothError } from '../../optimizer/core/errors.ts'
import { cifarDataset, idxDataset } from './idx-and-cifar.ts'

describe('idx', () => {
  const folder = mkdtempSync(join(tmpdir(), 'zeroth-idx-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  let files = 0

  function save(...parts: readonly Uint8Array[]): string {
    const file = join(folder, `${files++}-ubyte`)
    writeFileSync(file, Buffer.concat(parts))
    return file
  }

  /** The header of an IDX file: two zeros, the type, the number of sizes, the sizes. */
  function head(sizes: readonly number[], type = 8): Buffer {
    const bytes = Buffer.alloc(4 + 4 * sizes.length)
    bytes.set([0, 0, type, sizes.length])
    sizes.forEach((size, i) => bytes.writeUInt32BE(size, 4 + 4 * i))
    return bytes
  }

  const pixels = Uint8Array.from({ length: 3 * 2 * 4 }, (_, i) => 10 * i)
  const images = save(head([3, 2, 4]), pixels)
  const labels = save(head([3]), Uint8Array.of(9, 0, 255))

  describe('reads', () => {
    test('grey images and their classes', async () => {
      const set = await idxDataset({ images, labels, name: 'three' })
      expect([set.name, set.count, set.shape]).toEqual(['three', 3, { channels: 1, height: 2, width: 4 }])
      expect([0, 1, 2].map(set.label)).toEqual([9, 0, 255])
      expect([0, 1, 2].map(set.title)).toEqual(['0', '1', '2'])
      expect((await set.read(1)).pixels).toEqual(Float32Array.from(pixels.subarray(8, 16), (byte) => byte / 255))
    })

    test('gzipped files, whatever they are called', async () => {
      const zipped = { images: save(gzipSync(Buffer.concat([head([3, 2, 4]), pixels]))) }
      const set = await idxDataset({
        ...zipped,
        labels: save(gzipSync(Buffer.concat([head([3]), Uint8Array.of(1, 2, 3)]))),
      })
      expect([0, 1, 2].map(set.label)).toEqual([1, 2, 3])
      expect(await set.read(2)).toEqual(await (await idxDataset({ images })).read(2))
    })

    test('images without classes, called like their file', async () => {
      const set = await idxDataset({ images })
      expect([set.name, set.label(0)]).toEqual(['0-ubyte', undefined])
    })
  })

  const refusal = (file: string) => idxDataset({ images: file }).then(String, (error: ZerothError) => error.message)

  describe('refuses', () => {
    test.each([
      ['labels for images', [head([3]), Uint8Array.of(1, 2, 3)], /the header must have 16 bytes, got 11$/],
      [
        'four dimensions',
        [head([3, 2, 4, 1]), pixels],
        /the magic number must be 0x00000803 \(unsigned bytes, 3 dimensions\), got 0x00000804$/,
      ],
      ['floats', [head([3, 2, 4], 0x0d), pixels], /must be 0x00000803 .*, got 0x00000d03$/],
      ['text', [Buffer.from('this is not an IDX file')], /must be 0x00000803 .*, got 0x74686973$/],
      ['an empty file', [], /the header must have 16 bytes, got 0$/],
      ['a size of nothing', [head([3, 0, 4])], /size 2 of 3 must be above 0, got 0$/],
      [
        'too few bytes',
        [head([3, 2, 4]), pixels.subarray(1)],
        /must hold 3 x 2 x 4 = 24 bytes after its header, got 23$/,
      ],
      ['too many bytes', [head([3, 2, 4]), pixels, pixels], /must hold 3 x 2 x 4 = 24 bytes .*, there are more$/],
      [
        'sizes beyond all measure',
        [head([4e9, 4e9, 4e9])],
        /announces 6.4e\+28 bytes, at most 1073741824 are allowed$/,
      ],
    ])('%s', async (_, parts, message) => {
      const file = save(...parts)
      expect(await refusal(file)).toMatch(message)
      expect(await refusal(save(gzipSync(Buffer.concat(parts))))).toMatch(message)
    })

    test('another number of classes than of images, by both files', async () => {
      const two = save(head([2]), Uint8Array.of(1, 2))
      await expect(idxDataset({ images, labels: two })).rejects.toMatchObject({
        code: 'invalid-data',
        message: `${two}: must hold 3 labels, one for each image of ${images}, got 2`,
      })
    })

    test('a gzip bomb, after what its header announces', async () => {
      const bomb = save(gzipSync(Buffer.concat([head([3, 2, 4]), Buffer.alloc(100_000_000)]), { level: 1 }))
      expect(await refusal(bomb)).toMatch(/there are more$/)
    })

    test('damaged gzip data, a missing file and a folder', async () => {
      const zipped = gzipSync(Buffer.concat([head([3, 2, 4]), pixels]))
      expect(await refusal(save(zipped.subarray(0, -9)))).toMatch(
        /the gzip data are damaged \(unexpected end of file\)$/,
      )
      const missing = join(folder, 'missing')
      expect(await refusal(missing)).toBe(`${missing}: cannot be read (there is no such file or folder)`)
      mkdirSync(join(folder, 'inside'))
      expect(await refusal(join(folder, 'inside'))).toMatch(/inside: is a folder, not a file$/)
    })

    test('any bytes, properly', async () => {
      const start = fc.constantFrom(
        Buffer.alloc(0),
        head([1, 1, 1]),
        Buffer.from([0, 0, 8, 3]),
        Buffer.from([0x1f, 0x8b, 8]),
      )
      await fc.assert(
        fc.asyncProperty(start, fc.uint8Array({ maxLength: 40 }), async (first, rest) => {
          const file = save(first, rest)
          const error = await idxDataset({ images: file }).catch((reason: unknown) => reason)
          if (!(error instanceof ZerothError)) expect(error).toHaveProperty('count')
        }),
      )
    })
  })
})

describe('cifar png', () => {
  const folder = mkdtempSync(join(tmpdir(), 'zeroth-cifar-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  /** Images of 2 x 2 pixels; pixel p of image i is (first + i, p, 200). */
  function sheet(name: string, rows: number, first: number): string {
    const data = Uint8Array.from({ length: rows * 4 * 3 }, (_, i) => {
      const pixel = Math.floor(i / 3)
      return [first + Math.floor(pixel / 4), pixel % 4, 200][i % 3] as number
    })
    const file = join(folder, name)
    writeFileSync(file, encode({ data, channels: 3, width: 4, height: rows }))
    return file
  }

  function text(name: string, content: string): string {
    const file = join(folder, name)
    writeFileSync(file, content)
    return file
  }

  const images = [sheet('a.png', 3, 10), sheet('b.png', 2, 50)]
  const size = 2

  describe('reads', () => {
    test('rows of several files as images, one count over all', async () => {
      const labels = [text('a.json', '[3,1,4,1]'), text('b.json', ' [5] ')]
      const set = await cifarDataset({ images, labels, size, name: 'five' })
      expect([set.name, set.count, set.shape]).toEqual(['five', 5, { channels: 3, height: 2, width: 2 }])
      expect([0, 1, 2, 3, 4].map(set.label)).toEqual([3, 1, 4, 1, 5])
      expect([0, 4].map(set.title)).toEqual(['0', '4'])
      const reds = await Promise.all([0, 1, 2, 3, 4].map(async (i) => (await set.read(i)).pixels[0]))
      expect(reds).toEqual([10, 11, 12, 50, 51].map((byte) => Math.fround(byte / 255)))
      const expected = [51, 51, 51, 51, 0, 1, 2, 3, 200, 200, 200, 200]
      expect((await set.read(4)).pixels).toEqual(Float32Array.from(expected, (byte) => byte / 255))
    })

    test('one file without classes, called like it', async () => {
      const set = await cifarDataset({ images: images[0] as string, size })
      expect([set.name, set.count, set.label(2)]).toEqual(['a.png', 3, undefined])
    })

    test('a file again that could not be read the first time', async () => {
      const file = sheet('c.png', 1, 70)
      const set = await cifarDataset({ images: file, size })
      writeFileSync(file, 'gone')
      await expect(set.read(0)).rejects.toThrow('c.png: is not an image')
      sheet('c.png', 2, 70)
      await expect(set.read(0)).rejects.toThrow('c.png: was 4 x 1 pixels and is 4 x 2 now')
      sheet('c.png', 1, 70)
      expect((await set.read(0)).pixels[0]).toBe(Math.fround(70 / 255))
    })
  })

  describe('refuses', () => {
    test('rows of another length', async () => {
      const rule = 'must be a PNG image 1024 pixels wide, a row for each image of 32 x 32'
      await expect(cifarDataset({ images })).rejects.toThrow(`${images[0]}: ${rule}; it is PNG, 4 wide`)
    })

    test.each([
      ['[1,2]', 'must hold 5 labels, one for each image, got 2'],
      ['{"length":5}', 'must be a JSON list of whole numbers'],
      ['[1,2,3,4', 'is not JSON'],
      ['[1,2,-3,4,5]', 'entry 2 must be a whole number of at least 0, got -3'],
      ['[1,2,3,"4",5]', 'entry 3 must be a whole number of at least 0, got "4"'],
      ['[1.5,2,3,4,5]', 'entry 0 must be a whole number of at least 0, got 1.5'],
      ['[{"__proto__":1},2,3,4,5]', 'entry 0 must be a whole number of at least 0, got {"__proto__":1}'],
    ])('the labels %s', async (content, message) => {
      const labels = text('wrong.json', content)
      await expect(cifarDataset({ images, labels, size })).rejects.toMatchObject({
        code: 'invalid-data',
        message: `${labels}: ${message}`,
      })
    })

    test('a missing file, an empty list', async () => {
      const missing = join(folder, 'missing.png')
      await expect(cifarDataset({ images: missing })).rejects.toThrow(
        `${missing}: cannot be read (there is no such file`,
      )
      await expect(cifarDataset({ images: [] })).rejects.toThrow('cifarDataset.images must')
    })
  })
})
