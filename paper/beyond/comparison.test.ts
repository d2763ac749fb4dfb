import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type AttackReport, summarizeAttack } from '../../src/robustness/index.ts'

import { attackPoint, imageRecord } from '../../test/attacks/image-record.ts'
import type { Run } from './attacks.ts'
import { average, compare, ratioOfMeans } from './comparison.ts'

type Image = { readonly queries: number; readonly final: number; readonly best?: number } | null

/** An attack whose images were fooled after so many queries, or not at all. */
function run(seed: number, images: readonly Image[]): Run {
  const records = images.map((image, index) =>
    image === null
      ? imageRecord({ index, status: 'robust', first: null, best: null, final: attackPoint({ fooled: false }) })
      : imageRecord({
          index,
          first: attackPoint({ queries: image.queries }),
          best: attackPoint({ l2sq: image.best ?? image.final }),
          final: attackPoint({ l2sq: image.final }),
        }),
  )
  const report: AttackReport = {
    summary: summarizeAttack(records, { lambda: 10, kappa: 0 }),
    images: records,
    universal: null,
    warnings: [],
  }
  return { seed, cell: { name: 'x', spec: {}, calls: 0 }, report }
}

describe('an average over seeds', () => {
  test("has Student's 95 % interval", () => {
    const { mean, reach } = average([1, 2, 3])
    expect(mean).toBe(2)
    expect(reach).toBeCloseTo(4.302653 / Math.sqrt(3), 5)
  })

  test('of one seed has none, and of a seed that fooled no image nothing', () => {
    expect(average([5])).toEqual({ mean: 5, reach: Number.NaN })
    expect(average([5, Number.NaN, 7]).mean).toBe(6)
  })
})

describe('a comparison', () => {
  test('is over the images both fooled', () => {
    const ours = [run(1, [{ queries: 10, final: 1 }, { queries: 20, final: 1 }, null, { queries: 5, final: 9 }])]
    const theirs = [run(1, [{ queries: 40, final: 2 }, { queries: 180, final: 3 }, { queries: 7, final: 1 }, null])]
    const found = compare(ours, theirs)
    expect(found).toMatchObject({ images: 2, queries: 15, otherQueries: 110 })
    expect(found.timesFewer.value).toBeCloseTo(6, 12)
    expect(found.timesFewerOfMeans.value).toBeCloseTo(110 / 15, 12)
    expect(found.finalShare.value).toBeCloseTo(0.4, 12)
  })

  test('counts an image once, averaged over the seeds that both have', () => {
    const ours = [
      run(1, [
        { queries: 10, final: 1, best: 0.5 },
        { queries: 10, final: 1 },
      ]),
      run(2, [{ queries: 30, final: 3, best: 1.5 }, null]),
      run(9, [
        { queries: 1, final: 100 },
        { queries: 1, final: 100 },
      ]),
    ]
    const theirs = [
      run(1, [
        { queries: 40, final: 4 },
        { queries: 20, final: 4 },
      ]),
      run(2, [
        { queries: 120, final: 4 },
        { queries: 1, final: 1 },
      ]),
    ]
    const found = compare(ours, theirs)
    expect(found).toMatchObject({ images: 2, queries: 15, otherQueries: 50 })
    // Image by image: 4 times with either seed, and 2 times.
    expect(found.timesFewer.value).toBeCloseTo(Math.sqrt(8), 12)
    expect(found.finalShare.value).toBeCloseTo((2 + 1) / (4 + 4), 12)
    expect(found.bestShare.value).toBeCloseTo((1 + 1) / (4 + 4), 12)
  })

  test('of methods that fooled no image together says nothing', () => {
    const found = compare([run(1, [null])], [run(1, [{ queries: 1, final: 1 }])])
    expect(found.images).toBe(0)
    expect(found.timesFewer.value).toBeNaN()
    expect(found.finalShare.value).toBeNaN()
    expect(compare([{ ...run(1, []), report: undefined }], []).images).toBe(0)
  })
})

describe('the ratio of two means', () => {
  test('is certain where all pairs have the same ratio, however they differ', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0.1, max: 10, noNaN: true }), { minLength: 2, maxLength: 20 }),
        (values) => {
          const { value, low, high } = ratioOfMeans(values.map((each) => [3 * each, each]))
          expect(value).toBeCloseTo(3, 9)
          expect(high - low).toBeLessThan(1e-9)
        },
      ),
    )
  })

  test('lies within its interval in about 95 of 100 samples', () => {
    // Pairs (2 b + e, b): the true ratio is 2. A fixed sequence instead of chance.
    let state = 1
    const uniform = (): number => {
      state = (state * 16807) % 2147483647
      return state / 2147483647
    }
    const noise = (): number => Array.from({ length: 12 }, uniform).reduce((sum, each) => sum + each, -6)
    const isCovered = (): boolean => {
      const pairs = Array.from({ length: 20 }, (): [number, number] => {
        const b = 1 + uniform()
        return [2 * b + 0.3 * noise(), b]
      })
      const { low, high } = ratioOfMeans(pairs)
      return low <= 2 && 2 <= high
    }
    const covered = Array.from({ length: 1000 }, isCovered).filter(Boolean).length
    expect(covered).toBeGreaterThan(925)
    expect(covered).toBeLessThan(975)
  })
})
