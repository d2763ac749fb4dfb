import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { memoryDataset } from '../../../test/attacks/memory-dataset.ts'
import { type Dataset, imagesOfClass, subset } from './dataset.ts'

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

const withLabels = (labels: readonly (number | undefined)[]) =>
  memoryDataset(
    labels.map((label, i) => ({ pixels: [i / 100], label })),
    { classNames: ['a', 'b', 'c'] },
  )

describe('the images of a class', () => {
  test('are those with its label, in their order, with their own titles', async () => {
    const found = imagesOfClass(withLabels([2, 0, undefined, 2, 1]), 2)
    expect(found).toMatchObject({ name: 'memory, class 2', count: 2, classNames: ['a', 'b', 'c'] })
    expect([0, 1].map(found.title)).toEqual(['image 0', 'image 3'])
    expect([0, 1].map(found.label)).toEqual([2, 2])
    expect((await found.read(1)).pixels).toEqual(Float32Array.of(0.03))
    expect(() => found.title(2)).toThrow('asked for 2')
  })

  test('of all classes are all images, each once', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 30 }), (labels) => {
        const classes = [...new Set(labels)]
        const titles = classes.flatMap((each) => {
          const { count, title } = imagesOfClass(withLabels(labels), each)
          return Array.from({ length: count }, (_, i) => title(i))
        })
        expect(titles.sort()).toEqual(labels.map((_, i) => `image ${i}`).sort())
      }),
    )
  })

  test.each([
    [[3, 1, 1], 2, 'memory has no image of class 2: it has 1, 3'],
    [Array.from({ length: 30 }, (_, i) => i), 99, /it has 0, 1, .*, 19 and 10 more$/],
    [[undefined], 0, 'memory has no image of class 0: the classes of its images are not known'],
    [[], 0, 'are not known'],
  ])('must be there: %j has no %i', (labels, label, message) => {
    expect(() => imagesOfClass(withLabels(labels), label)).toThrow(message)
  })
})
