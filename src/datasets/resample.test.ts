import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Raster } from './raster.ts'
import { type Crop, coverAndCrop, type Extent, resample, stretch } from './resample.ts'

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
