import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { Dataset } from '../datasets/dataset.ts'
import { toBytes } from '../datasets/pixels.ts'
import { encodePng } from '../datasets/png.ts'
import { readImage } from '../datasets/read-image.ts'
import { embeddedImages } from './embedded-images.ts'
import { embeddedNames } from './embedded-names.ts'

const indices = (count: number, from = 0) => Array.from({ length: count }, (_, i) => from + i)
const titles = (set: Dataset) => indices(set.count).map((i) => set.title(i))
const labels = (set: Dataset) => indices(set.count).map((i) => set.label(i))
const folder = (name: string) => fileURLToPath(new URL(`../../assets/${name}`, import.meta.url))

describe.each(embeddedNames)('%s', (name) => {
  test('has 40 images for tuning and 130 others held out, the first 170 of the test set', async () => {
    const [tuning, heldOut] = [await embeddedImages(name, 'tuning'), await embeddedImages(name, 'held-out')]
    expect(titles(tuning)).toEqual(indices(40).map(String))
    expect(titles(heldOut)).toEqual(indices(130, 40).map(String))
    expect(tuning.name).toBe(`${name}, tuning (40 of 170 images)`)
    expect(heldOut.name).toBe(`${name}, held-out (130 of 170 images)`)
  })

  test('has no image twice, within a split or across them', async () => {
    const sets = [await embeddedImages(name, 'tuning'), await embeddedImages(name)]
    const images = await Promise.all(sets.flatMap((set) => indices(set.count).map((i) => set.read(i))))
    expect(new Set(images.map((image) => toBytes(image).join())).size).toBe(170)
  })

  test('gives those held out unless told otherwise', async () => {
    const byDefault = await embeddedImages(name)
    const heldOut = await embeddedImages(name, 'held-out')
    expect([byDefault.name, titles(byDefault), labels(byDefault)]).toEqual([
      heldOut.name,
      titles(heldOut),
      labels(heldOut),
    ])
  })

  test('has every class among those held out, and no other', async () => {
    const set = await embeddedImages(name)
    expect([...new Set(labels(set))].sort()).toEqual(indices(10))
    expect(set.classNames).toHaveLength(10)
  })

  test('has images that a PNG file holds without loss', async () => {
    const set = await embeddedImages(name)
    for (const index of [0, 64, 129]) {
      const image = await set.read(index)
      expect(await readImage(encodePng(image))).toEqual(image)
      expect(image.shape).toEqual(set.shape)
    }
  })

  test('refuses images that are not there', async () => {
    const set = await embeddedImages(name)
    await expect(set.read(130)).rejects.toThrow(
      `the data set ${name}, held-out (130 of 170 images) has images 0 to 129, asked for 130`,
    )
  })
})

test.each([
  ['digits', 1_000_000],
  ['cifar10', 2_000_000],
])('all that ships for %s is below %i bytes', (name, limit) => {
  const sizes = readdirSync(folder(name)).map((file) => statSync(join(folder(name), file)).size)
  expect(sizes).toHaveLength(6)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(limit)
})

describe('the digits', () => {
  test('begin with the labels of the MNIST test set', async () => {
    const set = await embeddedImages('digits', 'tuning')
    expect(labels(set).slice(0, 20)).toEqual([7, 2, 1, 0, 4, 1, 4, 9, 5, 9, 0, 6, 9, 0, 1, 5, 9, 7, 3, 4])
    expect(set.classNames).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
    expect(set.shape).toEqual({ channels: 1, height: 28, width: 28 })
  })

  test('look like their labels: the first is a seven', async () => {
    const { pixels } = await (await embeddedImages('digits', 'tuning')).read(0)
    // Every other pixel of every other row.
    const rows = indices(14).map((y) =>
      indices(14)
        .map((x) => ((pixels[56 * y + 2 * x] as number) > 0.3 ? '#' : '.'))
        .join(''),
    )
    expect(rows).toMatchInlineSnapshot(`
      [
        "..............",
        "..............",
        "..............",
        "..............",
        "...########...",
        "..........#...",
        ".........##...",
        ".........#....",
        "........#.....",
        "........#.....",
        ".......#......",
        "......##......",
        "......#.......",
        ".....##.......",
      ]
    `)
  })
})

describe('the color images', () => {
  test('begin with the labels of the CIFAR-10 test set', async () => {
    const set = await embeddedImages('cifar10', 'tuning')
    expect(labels(set).slice(0, 20)).toEqual([3, 8, 8, 0, 6, 6, 1, 6, 3, 1, 0, 9, 5, 7, 9, 8, 5, 7, 8, 6])
    expect([0, 1, 3, 4].map((i) => set.classNames?.[set.label(i) as number])).toEqual([
      'cat',
      'ship',
      'airplane',
      'frog',
    ])
    expect(set.shape).toEqual({ channels: 3, height: 32, width: 32 })
  })

  test('have their channels in order: the sea and the sky around a ship are blue', async () => {
    const { pixels } = await (await embeddedImages('cifar10', 'tuning')).read(2)
    const mean = (plane: number) =>
      pixels.subarray(1024 * plane, 1024 * (plane + 1)).reduce((sum, pixel) => sum + pixel, 0) / 1024
    expect([0, 1, 2].map((plane) => Math.round(255 * mean(plane)))).toEqual([121, 133, 144])
  })
})

test.each([
  ['digit', undefined, 'the embedded image set must be one of "digits", "cifar10", got "digit"; did you mean digits?'],
  ['digits', 'heldout', 'the split must be one of "held-out", "tuning", got "heldout"; did you mean held-out?'],
  [undefined, undefined, 'the embedded image set must be one of "digits", "cifar10", got undefined'],
])('%j with the split %j is refused', async (name, split, message) => {
  await expect(embeddedImages(name as never, split as never)).rejects.toMatchObject({
    code: 'invalid-option',
    message,
  })
})
