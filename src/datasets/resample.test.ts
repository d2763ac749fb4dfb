import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Raster } from './raster.ts'
import { type Crop, type Extent, resample } from './resample.ts'

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
