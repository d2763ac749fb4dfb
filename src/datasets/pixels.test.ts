import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ZerothError } from '../core/errors.ts'
import { fromBytes, quantized, toBytes } from './pixels.ts'

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
      once.pixels.forEach((value, i) => expect(Math.abs(value - (list[i] ?? 0))).toBeLessThanOrEqual(0.5 / 255 + 1e-7))
    }),
  )
})
