import { expect, test } from 'vitest'
import type { Dataset } from './dataset.ts'
import { subset } from './subset.ts'

const shape = { channels: 1, height: 1, width: 1 }
const ten: Dataset = {
  name: 'ten',
  count: 10,
  shape,
  classNames: ['even', 'odd'],
  title: (index) => `image ${index}`,
  label: (index) => index % 2,
  read: async (index) => ({ shape, pixels: Float32Array.of(index / 10) }),
}

test('holds the images listed, in that order', async () => {
  const some = subset(ten, [7, 2])
  expect(some).toMatchObject({ name: 'ten (2 of 10 images)', count: 2, shape, classNames: ['even', 'odd'] })
  expect([0, 1].map(some.title)).toEqual(['image 7', 'image 2'])
  expect([0, 1].map(some.label)).toEqual([1, 0])
  expect((await some.read(0)).pixels).toEqual(Float32Array.of(0.7))
})

test('holds a stretch, and subsets of subsets', () => {
  const middle = subset(ten, { from: 3, count: 4 })
  expect([0, 1, 2, 3].map(middle.title)).toEqual(['image 3', 'image 4', 'image 5', 'image 6'])
  expect(subset(middle, [3]).title(0)).toBe('image 6')
  expect(subset(ten, { from: 0, count: 10 }).count).toBe(10)
})

test('may be empty', async () => {
  expect(subset(ten, []).count).toBe(0)
  expect(subset(ten, { from: 3, count: 0 }).count).toBe(0)
  await expect(subset(ten, []).read(0)).rejects.toThrow('ten (0 of 10 images) has no images, asked for 0')
})

test('does not change when the list does', () => {
  const list = [1, 2]
  const some = subset(ten, list)
  list[0] = 9
  expect(some.title(0)).toBe('image 1')
})

test.each([
  [[10], 'the data set ten has images 0 to 9, asked for 10'],
  [[-1], 'the data set ten has images 0 to 9, asked for -1'],
  [[0.5], 'the data set ten has images 0 to 9, asked for 0.5'],
  [['1'], 'the data set ten has images 0 to 9, asked for "1"'],
  [[3, 1, 3], 'subset has image 3 twice'],
  [{ from: 8, count: 3 }, 'the data set ten has images 0 to 9, asked for 10'],
  [{ from: -1, count: 3 }, 'the data set ten has images 0 to 9, asked for -1'],
  [{ from: 0, count: 1.5 }, 'subset.count must be a whole number of at least 0, got 1.5'],
  [{ from: 0 }, 'subset takes a list of numbers or { from, count }, got [object Object]'],
  [undefined, 'subset takes a list of numbers or { from, count }, got undefined'],
])('%j is refused', (which, message) => {
  expect(() => subset(ten, which as never)).toThrow(message)
})
