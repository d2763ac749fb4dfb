import fc from 'fast-check'
import { expect, test } from 'vitest'
import { magnified } from './magnified.ts'

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
