import { expect, test } from 'vitest'
import type { Dataset } from '../datasets/dataset.ts'
import { examplesFor } from './examples.ts'
import type { Screened } from './screening.ts'

const shape = { channels: 1, height: 1, width: 2 }

/** Images whose pixels are their number over 100; one cannot be read, one has no label. */
const labels = [0, 1, 1, undefined, 2, 0, 2, 3, 1, 1]
const dataset: Dataset = {
  name: 'numbers',
  count: labels.length,
  title: String,
  label: (index) => labels[index],
  read: async (index) => {
    if (index === 1) throw new Error('unreadable')
    return { shape, pixels: new Float32Array(2).fill(index / 100) }
  },
}

const image = (index: number, target: number | null): Screened => ({
  index,
  title: String(index),
  label: labels[index] ?? null,
  predicted: labels[index] ?? null,
  target,
  status: 'attacked',
  reason: null,
  modelCalls: 1,
})

const numbersOf = async (screened: Screened, length = 2) =>
  (await examplesFor(dataset, screened, length)).map((pixels) => Math.round(100 * (pixels[0] as number)))

test('are the first images of the target class that can be read', async () => {
  expect(await numbersOf(image(0, 1))).toEqual([2, 8, 9])
})

test('or the first of each of some other classes where any will do', async () => {
  expect(await numbersOf(image(0, null))).toEqual([2, 4, 7])
  expect(await numbersOf(image(2, null))).toEqual([0, 4, 7])
})

test('images of another size are none', async () => {
  expect(await numbersOf(image(0, 1), 3)).toEqual([])
})
