import { expect, test } from 'vitest'
import { imageSeed } from './image-seed.ts'

test('the seed of an image depends on the seed of the evaluation and on its number alone', () => {
  const forwards = [0, 1, 2, 3].map((index) => imageSeed(7, index))
  const backwards = [3, 2, 1, 0].map((index) => imageSeed(7, index)).reverse()
  expect(backwards).toEqual(forwards)
  expect(forwards).toEqual([3811593939, 3059234334, 3341457293, 2579152463])
})

test('10,000 images have 10,000 seeds, all of them seeds a session takes', () => {
  const seeds = Array.from({ length: 10_000 }, (_, index) => imageSeed(0, index))
  expect(new Set(seeds).size).toBe(10_000)
  expect(seeds.every((seed) => Number.isSafeInteger(seed) && seed >= 0)).toBe(true)
})

test('another evaluation has other seeds for the same images, also where its seed is beyond 32 bits', () => {
  const of = (seed: number) => [0, 1, 2].map((index) => imageSeed(seed, index))
  expect(of(1)).not.toEqual(of(2))
  expect(of(2 ** 40)).not.toEqual(of(0))
})
