import fc from 'fast-check'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { ZerothError } from '../../optimizer/core/errors.ts'
import {
  type Crop,
  coverAndCrop,
  type Extent,
  fromBytes,
  imageFormat,
  isImageFormat,
  jpegScans,
  magnified,
  perturbationPicture,
  quantized,
  type Raster,
  resample,
  stretch,
  toBytes,
} from './pixels.ts'

describe('pixels', () => {
  const color = { channels: 3, height: 1, width: 2 }

  describe('bytes and pixels', () => {
    test('bytes are interleaved, pixels stand plane by plane', () => {
      const image = fromBytes(Uint8Array.of(255, 51, 0, 102, 204, 153), color)
      expect(image.shape).toEqual(color)
      expect(image.pixels).toEqual(Float32Array.of(1, 102 / 255, 51 / 255, 204 / 255, 0, 153 / 255))
      expect(Array.from(toBytes(image))).toEqual([255, 51, 0, 102, 204, 153])
    })

    test('a pixel is the float32 number nearest to byte / 255, and goes back to its byte', () => {
      const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte)
      const image = fromBytes(bytes, { channels: 1, height: 16, width: 16 })
      expect(Array.from(image.pixels)).toEqual(Array.from(bytes, (byte) => Math.fround(byte / 255)))
      expect(toBytes(image)).toEqual(bytes)
    })

    test('pixels in between go to the nearest byte, halves up', () => {
      const pixels = Float64Array.of(0.49 / 255, 0.5 / 255, 0.51 / 255, 254.5 / 255, 0.999, 1)
      expect(Array.from(toBytes({ shape: { channels: 1, height: 2, width: 3 }, pixels }))).toEqual([
        0, 1, 1, 255, 255, 255,
      ])
    })

    test('what rounding errors leave just outside is taken as 0 or 1', () => {
      const pixels = Float64Array.of(-9e-7, 1 + 9e-7)
      expect(Array.from(toBytes({ shape: { channels: 1, height: 1, width: 2 }, pixels }))).toEqual([0, 255])
    })

    test.each([
      [1.1, 'pixels must be from 0 to 1, got 1.1 (channel 1, row 1, column 2)'],
      [-0.00001, 'pixels must be from 0 to 1, got -0.00001 (channel 1, row 1, column 2)'],
      [Number.NaN, 'pixels must be from 0 to 1, got NaN (channel 1, row 1, column 2)'],
      [255, 'pixels must be from 0 to 1, got 255 (channel 1, row 1, column 2)'],
    ])('a pixel of %d is refused by value and place', (value, message) => {
      const pixels = new Float64Array(3 * 2 * 3)
      pixels[6 + 3 + 2] = value
      const shape = { channels: 3, height: 2, width: 3 }
      expect(() => toBytes({ shape, pixels })).toThrow(new ZerothError('invalid-data', message))
    })

    test.each([
      [{ channels: 4, height: 1, width: 1 }, 'an image must have 1 or 3 channels, got 4'],
      [{ channels: 1, height: 0, width: 4 }, 'the height of an image must be a whole number above 0, got 0'],
      [{ channels: 1, height: 4, width: 1.5 }, 'the width of an image must be a whole number above 0, got 1.5'],
      [{ channels: 3, height: 2, width: 2 }, 'an image of 3 x 2 x 2 must have 12 values, got Uint8Array(4)'],
    ])('the shape %o is refused for 4 values', (shape, message) => {
      expect(() => fromBytes(new Uint8Array(4), shape)).toThrow(new ZerothError('invalid-data', message))
    })
  })

  test('quantized is what bytes can hold, and quantizing that again changes nothing', () => {
    const pixel = fc.double({ min: 0, max: 1, noNaN: true })
    fc.assert(
      fc.property(fc.array(pixel, { minLength: 6, maxLength: 6 }), (list) => {
        const image = { shape: color, pixels: Float64Array.from(list) }
        const once = quantized(image)
        expect(quantized(once)).toEqual(once)
        once.pixels.forEach((value, i) =>
          expect(Math.abs(value - (list[i] ?? 0))).toBeLessThanOrEqual(0.5 / 255 + 1e-7),
        )
      }),
    )
  })
})

describe('picture', () => {
  test('each pixel becomes a square, in every channel plane', () => {
    const picture = { shape: { channels: 1, height: 2, width: 2 }, pixels: Float32Array.of(0, 0.25, 0.5, 1) }
    const { shape, pixels } = magnified(picture, 2)
    expect(shape).toEqual({ channels: 1, height: 4, width: 4 })
    expect([...pixels]).toEqual([0, 0, 0.25, 0.25, 0, 0, 0.25, 0.25, 0.5, 0.5, 1, 1, 0.5, 0.5, 1, 1])
    const color = { shape: { channels: 3, height: 1, width: 1 }, pixels: Float64Array.of(0.1, 0.2, 0.3) }
    expect([...magnified(color, 2).pixels]).toEqual([0.1, 0.1, 0.1, 0.1, 0.2, 0.2, 0.2, 0.2, 0.3, 0.3, 0.3, 0.3])
  })

  test('the pixel at any place is that of the small picture', () => {
    const sizes = { height: fc.integer({ min: 1, max: 5 }), width: fc.integer({ min: 1, max: 5 }) }
    const arbitrary = fc.record({ channels: fc.constantFrom(1, 3), ...sizes, factor: fc.integer({ min: 1, max: 4 }) })
    fc.assert(
      fc.property(arbitrary, ({ channels, height, width, factor }) => {
        const small = Float32Array.from({ length: channels * height * width }, (_, i) => i)
        const { pixels } = magnified({ shape: { channels, height, width }, pixels: small }, factor)
        pixels.forEach((pixel, i) => {
          const [y, x] = [Math.floor(i / (width * factor)), i % (width * factor)]
          expect(pixel).toBe(Math.floor(y / factor) * width + Math.floor(x / factor))
        })
      }),
      { numRuns: 50 },
    )
  })

  test('refuses a factor that is not a whole number above 0, and pixels that do not fit', () => {
    const picture = { shape: { channels: 1, height: 1, width: 1 }, pixels: Float32Array.of(1) }
    for (const factor of [0, -1, 1.5, Number.NaN]) expect(() => magnified(picture, factor)).toThrow('factor must be')
    expect(() => magnified({ ...picture, pixels: Float32Array.of(1, 2) }, 2)).toThrow('must have 1 values')
  })

  const shape = { channels: 1, height: 1, width: 4 }

  test('is grey where nothing changes, white and black at the largest change, and says how large that is', () => {
    const { pixels, largest } = perturbationPicture(Float64Array.of(0, 0.02, -0.02, 0.01), shape)
    expect(largest).toBe(0.02)
    expect([...pixels]).toEqual([0.5, 1, 0, 0.75])
  })

  test('no change at all is grey all over', () => {
    const picture = perturbationPicture(new Float32Array(4), shape)
    expect(picture.largest).toBe(0)
    expect([...toBytes(picture)]).toEqual([128, 128, 128, 128])
  })

  test('the smallest and the largest of all numbers still give pixels from 0 to 1', () => {
    for (const size of [Number.MIN_VALUE, Number.MAX_VALUE]) {
      const { pixels, largest } = perturbationPicture(Float64Array.of(size, -size, 0, 0), shape)
      expect([largest, ...pixels]).toEqual([size, 1, 0, 0.5, 0.5])
    }
  })

  test('refuses a change that is not finite, and one that does not fit the image', () => {
    expect(() => perturbationPicture(Float64Array.of(0, Number.NaN, 0, 0), shape)).toThrow(
      'a change of an image must be finite, got NaN at value 1',
    )
    expect(() => perturbationPicture(new Float64Array(3), shape)).toThrow('must have 4 values')
  })
})

describe('resample', () => {
  /** Grey that says where it is: the byte is the row or the column. */
  function ruler(height: number, width: number, along: 'rows' | 'columns'): Raster {
    const bytes = Uint8Array.from({ length: height * width }, (_, i) =>
      along === 'rows' ? Math.floor(i / width) : i % width,
    )
    return { shape: { channels: 1, height, width }, bytes }
  }

  const corners = ({ shape: { height, width }, bytes }: Raster) => [bytes[0], bytes[height * width - 1]]

  describe('cover and crop', () => {
    test('cuts out the middle where nothing needs resizing', () => {
      const size = { height: 14, width: 14 }
      expect(corners(coverAndCrop(ruler(16, 40, 'columns'), size, 0.875))).toEqual([13, 26])
      expect(corners(coverAndCrop(ruler(40, 16, 'rows'), size, 0.875))).toEqual([13, 26])
    })

    test.each([
      // torchvision's int(round(difference / 2)), which rounds halves to even: 0.5, 1.5, 2.5, 3.5.
      [17, 0],
      [19, 2],
      [21, 2],
      [23, 4],
      [22, 3],
    ])('begins in a side of %i where CenterCrop does', (width, first) => {
      const cropped = coverAndCrop(ruler(16, width, 'columns'), { height: 16, width: 16 }, 1)
      expect(corners(cropped)).toEqual([first, first + 15])
    })

    test('resizes the shorter side to size / cropFraction, rounded', () => {
      // 299 / 0.875 = 341.7: from 342 x 684 pixels it is a crop alone.
      const cropped = coverAndCrop(ruler(342, 684, 'rows'), { height: 299, width: 299 }, 0.875)
      expect(cropped.shape).toEqual({ channels: 1, height: 299, width: 299 })
      expect(cropped.bytes[0]).toBe(22)
      expect(cropped.bytes[299]).toBe(23)
    })

    test('rounds the longer side down', () => {
      const image = ruler(3, 5, 'columns')
      const expected = resample(image, { height: 4, width: 6 }, { top: 0, left: 1, height: 4, width: 4 })
      expect(coverAndCrop(image, { height: 4, width: 4 }, 1)).toEqual(expected)
    })

    test.each([
      [1, 1],
      [3, 2],
      [1, 5000],
      [5000, 1],
      [300, 200],
    ])('makes the size wanted out of %i x %i', (height, width) => {
      const flat: Raster = {
        shape: { channels: 3, height, width },
        bytes: new Uint8Array(3 * height * width).fill(9),
      }
      const { shape, bytes } = coverAndCrop(flat, { height: 20, width: 31 }, 0.875)
      expect(shape).toEqual({ channels: 3, height: 20, width: 31 })
      expect(bytes).toEqual(new Uint8Array(3 * 20 * 31).fill(9))
    })

    test('covers a size that is not square', () => {
      const wide = coverAndCrop(ruler(10, 30, 'columns'), { height: 10, width: 20 }, 1)
      expect(corners(wide)).toEqual([5, 24])
      const high = coverAndCrop(ruler(60, 20, 'rows'), { height: 40, width: 20 }, 1)
      expect(corners(high)).toEqual([10, 49])
    })
  })

  test('stretch keeps all of the image', () => {
    const { bytes } = stretch(ruler(1, 4, 'columns'), { height: 2, width: 2 })
    // Weights 1, 0.75, 0.25 of the triangle of radius 2: (0 + 0.75 * 1 + ...) / sum, rounded.
    expect(Array.from(bytes)).toEqual([1, 2, 1, 2])
    expect(Array.from(stretch(ruler(2, 1, 'rows'), { height: 2, width: 3 }).bytes)).toEqual([0, 0, 0, 1, 1, 1])
  })

  function raster(height: number, width: number, bytes: ArrayLike<number>, channels = 1): Raster {
    return { shape: { channels, height, width }, bytes: Uint8Array.from(bytes) }
  }

  const whole = (size: Extent): Crop => ({ top: 0, left: 0, ...size })
  const grey = raster(
    5,
    7,
    Array.from({ length: 35 }, (_, k) => (k * k * 37) % 256),
  )

  describe('gives the bytes of Pillow 11.3 (BILINEAR)', () => {
    test.each([
      [2, 3, [74, 123, 134, 133, 115, 107]],
      [2, 7, [36, 79, 126, 120, 129, 153, 113, 123, 178, 62, 149, 89, 125, 97]],
      [5, 2, [67, 102, 98, 149, 105, 143, 160, 114, 102, 73]],
      [1, 1, [114]],
    ])('from 5 x 7 to %i x %i', (height, width, expected) => {
      expect(Array.from(resample(grey, { height, width }, whole({ height, width })).bytes)).toEqual(expected)
    })

    test('enlarging a row', () => {
      const row = raster(1, 4, [0, 100, 200, 50])
      const { bytes } = resample(row, { height: 1, width: 8 }, whole({ height: 1, width: 8 }))
      expect(Array.from(bytes)).toEqual([0, 25, 75, 125, 175, 163, 88, 50])
    })

    test('in color, wider here and narrower there', () => {
      const color = Array.from({ length: 15 }, (_, k) => [(k * 40) % 256, (k * k * 11) % 256, 255 - k * 9]).flat()
      const { bytes } = resample(raster(3, 5, color, 3), { height: 4, width: 3 }, whole({ height: 4, width: 3 }))
      expect(Array.from(bytes)).toEqual(
        [
          [17, 5, 251, 80, 49, 237, 143, 143, 223],
          [142, 46, 223, 81, 74, 209, 108, 149, 195],
          [196, 69, 189, 113, 76, 175, 66, 129, 161],
          [161, 65, 161, 167, 53, 147, 31, 90, 133],
        ].flat(),
      )
    })
  })

  /** The same by its definition, in real numbers: every output is the mean of the inputs under its triangle. */
  function byDefinition({ shape, bytes }: Raster, full: Extent, y: number, x: number, channel: number): number {
    const weight = (from: number, to: number, out: number, at: number): number => {
      const radius = Math.max(from / to, 1)
      return Math.max(0, 1 - Math.abs((at + 0.5 - ((out + 0.5) * from) / to) / radius))
    }
    let [sum, total] = [0, 0]
    for (let row = 0; row < shape.height; row++) {
      for (let column = 0; column < shape.width; column++) {
        const w = weight(shape.height, full.height, y, row) * weight(shape.width, full.width, x, column)
        sum += w * (bytes[(row * shape.width + column) * shape.channels + channel] as number)
        total += w
      }
    }
    return sum / total
  }

  const side = fc.integer({ min: 1, max: 12 })
  const images = fc
    .tuple(side, side, fc.constantFrom(1, 3))
    .chain(([height, width, channels]) =>
      fc
        .uint8Array({ minLength: height * width * channels, maxLength: height * width * channels })
        .map((bytes) => raster(height, width, bytes, channels)),
    )

  describe('for any image', () => {
    test('every pixel is within one byte of the definition, in real numbers', () => {
      fc.assert(
        fc.property(images, side, side, (image, height, width) => {
          const full = { height, width }
          const { channels } = image.shape
          const out = resample(image, full, whole(full)).bytes
          out.forEach((byte, i) => {
            const pixel = Math.floor(i / channels)
            const expected = byDefinition(image, full, Math.floor(pixel / width), pixel % width, i % channels)
            expect(Math.abs(byte - expected)).toBeLessThan(1.001)
          })
        }),
        { numRuns: 60 },
      )
    })

    test('a crop is that part of the whole', () => {
      fc.assert(
        fc.property(images, side, side, side, side, (image, height, width, top, left) => {
          const full = { height: height + top, width: width + left }
          const all = resample(image, full, whole(full))
          const part = resample(image, full, { top, left, height, width })
          const { channels } = image.shape
          for (let y = 0; y < height; y++) {
            const from = ((top + y) * full.width + left) * channels
            const row = all.bytes.subarray(from, from + width * channels)
            expect(part.bytes.subarray(y * width * channels, (y + 1) * width * channels)).toEqual(row)
          }
        }),
      )
    })

    test('its own size changes nothing', () => {
      fc.assert(
        fc.property(images, (image) => {
          expect(resample(image, image.shape, whole(image.shape))).toEqual(image)
        }),
      )
    })
  })

  test('a middle of an image enlarged to a billion pixels is had without making them', () => {
    const thin = raster(20_000, 1, new Uint8Array(20_000).fill(77))
    const { shape, bytes } = resample(
      thin,
      { height: 5_120_000, width: 256 },
      { top: 2_559_888, left: 16, height: 224, width: 224 },
    )
    expect(shape).toEqual({ channels: 1, height: 224, width: 224 })
    expect(new Set(bytes)).toEqual(new Set([77]))
  })
})

describe('image-format', () => {
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
})
