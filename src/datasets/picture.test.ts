import fc from 'fast-check'
import { expect, test } from 'vitest'
import { magnified, perturbationPicture } from './picture.ts'
import { toBytes } from './pixels.ts'

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
