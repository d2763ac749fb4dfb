import { expect, test } from 'vitest'
import { perturbationPicture } from './perturbation-picture.ts'
import { toBytes } from './pixels.ts'

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
