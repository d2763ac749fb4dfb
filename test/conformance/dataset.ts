import { beforeAll, expect, test } from 'vitest'
import { ZerothError } from '../../src/optimizer/core/errors.ts'
import type { Dataset } from '../../src/robustness/images/dataset.ts'

/** What every data set must do. */
export function datasetConforms(open: () => Dataset | Promise<Dataset>): void {
  let set: Dataset
  const indices = () => Array.from({ length: set.count }, (_, index) => index)
  beforeAll(async () => {
    set = await open()
  })

  test('has a name and a whole number of images', () => {
    expect(set.name).toMatch(/./)
    expect(Number.isSafeInteger(set.count) && set.count >= 0).toBe(true)
  })

  test('calls every image by a name of its own', () => {
    const titles = indices().map((index) => set.title(index))
    for (const title of titles) expect(title).toMatch(/^[^\n]+$/)
    expect(new Set(titles).size).toBe(set.count)
  })

  test('has classes that are whole numbers, or not known, each with its name where there are names', () => {
    for (const index of indices()) {
      const label = set.label(index)
      if (label === undefined) continue
      expect(Number.isSafeInteger(label) && label >= 0).toBe(true)
      if (set.classNames !== undefined) expect(set.classNames[label]).toMatch(/./)
    }
  })

  test('reads images of the shape declared, with pixels that are bytes divided by 255', async () => {
    for (const index of indices()) {
      const { shape, pixels } = await set.read(index)
      if (set.shape !== undefined) expect(shape).toEqual(set.shape)
      expect([1, 3]).toContain(shape.channels)
      expect(pixels).toBeInstanceOf(Float32Array)
      expect(pixels.length).toBe(shape.channels * shape.height * shape.width)
      expect(pixels.every((pixel) => pixel === Math.fround(Math.round(255 * pixel) / 255))).toBe(true)
      expect(pixels.every((pixel) => pixel >= 0 && pixel <= 1)).toBe(true)
    }
  })

  test('reads the same image twice, each time into memory of its own', async () => {
    for (const index of indices()) {
      const first = await set.read(index)
      const copy = first.pixels.slice()
      const second = await set.read(index)
      first.pixels.fill(-1)
      expect(second.pixels).toEqual(copy)
      expect((await set.read(index)).pixels).toEqual(copy)
    }
  })

  test('reads images in any order, and several at once', async () => {
    const alone = []
    for (const index of indices()) alone.push(await set.read(index))
    const together = await Promise.all(
      indices()
        .reverse()
        .map((index) => set.read(index)),
    )
    expect(together.reverse()).toEqual(alone)
  })

  test.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, '0', '__proto__', undefined, 'beyond'])(
    'says which images there are when asked for %s',
    async (asked) => {
      const index = (asked === 'beyond' ? set.count : asked) as number
      const range = set.count === 0 ? 'no images' : `images 0 to ${set.count - 1}`
      const complaint = expect.objectContaining({
        code: 'invalid-option',
        message: expect.stringContaining(`has ${range}, asked for`),
      })
      for (const method of ['title', 'label'] as const) expect(() => set[method](index)).toThrow(complaint)
      await expect(set.read(index)).rejects.toEqual(complaint)
      await expect(set.read(index)).rejects.toBeInstanceOf(ZerothError)
    },
  )
}
