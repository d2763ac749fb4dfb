import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Dataset } from '../datasets/dataset.ts'
import { measureAccuracy } from './accuracy.ts'
import { spreadSample } from './accuracy-diagnosis.ts'
import type { Model } from './model.ts'

const shape = { channels: 1, height: 1, width: 2 }

/** Pixels that tell the class: as a byte, 25.5 times the class and a half. */
const shades = (labels: readonly number[]): Dataset => ({
  name: 'shades',
  count: labels.length,
  title: String,
  label: (index) => labels[index],
  read: async (index) => ({ shape, pixels: Float32Array.of(((labels[index] as number) + 0.5) / 10, 1) }),
})

/** A model of ten classes that says this to the first value it is fed. */
const modelThatSays = (answer: (value: number) => number): Model => ({
  shape,
  classes: 10,
  scores: 'probabilities',
  bounds: { lower: 0, upper: 1 },
  batch: 16,
  runtime: 'test',
  warnings: [],
  predict(images, into) {
    const pixels = new Float64Array(2)
    for (let row = 0; row < images.rows; row++) {
      images.write(row, pixels)
      into[row * 10 + answer(pixels[0] as number)] = 1
    }
  },
  close: () => undefined,
})

const made = modelThatSays((value) => Math.min(9, Math.max(0, Math.floor(value / 25.5))))

/** As many images of each class, one class after the other. */
const sortedFrom = (first: number, each = 40) =>
  Array.from({ length: 10 * each }, (_, i) => (first + Math.floor(i / each)) % 10)

const unknown = 'check the preprocessing, the labels and the size of the images'

describe('images sorted by class', () => {
  test.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])('get the same, right advice if class %i comes first', async (first) => {
    const { warnings } = await measureAccuracy(made, shades(sortedFrom(first)))
    expect(warnings).toEqual([
      'the accuracy is 10 % on 400 images, hardly better than chance (10 %): with range [0, 255] it would be 100 % on 32 images; change preprocessing.range',
    ])
  })

  test('are looked at only as far as they were wanted', async () => {
    const read = new Set<number>()
    const set = shades(sortedFrom(3))
    const watched = async (index: number) => {
      read.add(index)
      return set.read(index)
    }
    await measureAccuracy(made, { ...set, read: watched }, { count: 90 })
    expect(Math.max(...read)).toBe(89)
  })
})

describe('no advice is given', () => {
  test.each(Array.from({ length: 10 }, (_, k) => k))('where the model always says %i', async (k) => {
    const { warnings } = await measureAccuracy(
      modelThatSays(() => k),
      shades(sortedFrom(k)),
    )
    expect(warnings).toEqual([expect.stringContaining(unknown)])
  })

  test('where always saying the same would be right as often', async () => {
    // Fed as bytes it always says 4, as nearly all images are labelled.
    const model = modelThatSays((value) => (value > 1 ? 4 : 7))
    const { warnings } = await measureAccuracy(model, shades([...new Array(60).fill(4), 2, 3]))
    expect(warnings).toEqual([expect.stringContaining(unknown)])
  })

  test('where all images are of one class, and no more queries are asked', async () => {
    let rows = 0
    const counted = {
      ...made,
      predict: (...given: Parameters<Model['predict']>) => {
        rows += given[0].rows
        return made.predict(...given)
      },
    }
    const { warnings } = await measureAccuracy(counted, shades(new Array(40).fill(6)))
    expect(warnings).toEqual([expect.stringContaining(unknown)])
    expect(rows).toBe(40)
  })

  test('where three images are too few to tell', async () => {
    const { warnings } = await measureAccuracy(made, shades([1, 2, 3]))
    expect(warnings).toEqual([expect.stringContaining(unknown)])
  })

  test('to count labels otherwise, where some would then belong to no class', async () => {
    // Right for all classes but the first if they counted from one; but there is a class 0.
    const model = modelThatSays((value) => Math.max(0, Math.round(10 * value - 0.5) - 1))
    const { warnings } = await measureAccuracy(model, shades(sortedFrom(0)))
    expect(warnings.join()).not.toContain('lower by one')
  })

  test('where the model is often wrong and nothing else is clearly better', async () => {
    // Right for classes 0 to 3, however it is fed.
    const model = modelThatSays((value) => Math.min(3, Math.floor(value > 1 ? value / 25.5 : 10 * Math.max(0, value))))
    const { accuracy, warnings } = await measureAccuracy(model, shades(sortedFrom(0)))
    expect(accuracy).toBe(0.4)
    expect(warnings).toEqual([])
  })
})

test('takes as many of each class, from the front to the back, however the set is sorted', () => {
  const sorted = Array.from({ length: 100 }, (_, i) => Math.floor(i / 25))
  expect(spreadSample(sorted, 8)).toEqual([6, 18, 31, 43, 56, 68, 81, 93])
  const mixed = Array.from({ length: 100 }, (_, i) => i % 4)
  expect(spreadSample(mixed, 8).map((index) => mixed[index])).toEqual([0, 1, 2, 3, 0, 1, 2, 3])
})

test('fills up from large classes where small ones are used up', () => {
  expect(spreadSample([1, 0, 0, 0, 0, 0, 0, undefined], 5)).toEqual([0, 1, 3, 4, 6])
})

test('spreads over the classes where there are more of them than images wanted', () => {
  const labels = Array.from({ length: 1000 }, (_, i) => 999 - i)
  expect(spreadSample(labels, 4).map((index) => labels[index])).toEqual([875, 625, 375, 125])
})

test('takes everything there is, once, and nothing else', () => {
  const label = fc.option(fc.nat(5), { nil: undefined })
  fc.assert(
    fc.property(fc.array(label, { maxLength: 60 }), fc.nat(40), (labels, size) => {
      const taken = spreadSample(labels, size)
      const labelled = labels.filter((each) => each !== undefined).length
      expect(taken).toHaveLength(Math.min(size, labelled))
      expect(new Set(taken).size).toBe(taken.length)
      expect(taken.every((index) => labels[index] !== undefined)).toBe(true)
      const counts = labels.map((each) => taken.filter((index) => labels[index] === each).length)
      const sizes = labels.map((each) => labels.filter((other) => other === each).length)
      const most = Math.max(0, ...counts.filter((_, i) => labels[i] !== undefined))
      labels.forEach((each, i) => {
        if (each === undefined || size < 6) return
        expect(counts[i]).toBeGreaterThanOrEqual(Math.min(most - 1, sizes[i] as number))
      })
    }),
  )
})
