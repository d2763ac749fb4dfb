import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { memoryDataset } from '../../test/attacks/memory-dataset.ts'
import { imagesOfClass } from './images-of-class.ts'

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
