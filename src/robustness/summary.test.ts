import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { screenedRecord } from './attack-task.ts'
import type { AttackPoint, ImageRecord } from './records.ts'
import { robustnessStatement, summarizeAttack, wilson } from './summary.ts'

describe('summary', () => {
  const weights = { lambda: 10, kappa: 0.5 }

  const point = (iteration: number, l2: number, margin: number, linf = l2 / 2): AttackPoint => ({
    ...{ iteration, queries: 11 * iteration + 1, l2, l2sq: l2 * l2, linf, margin },
    ...{ predicted: margin < 0 ? 1 : 0, fooled: margin <= -0.5 },
  })

  /** An image of class 0 that was screened and nothing else, changed as a test needs it. */
  function image(changes: Partial<ImageRecord>): ImageRecord {
    const screened = { index: 0, title: '', label: 0, predicted: 0, target: null, reason: null, modelCalls: 1 }
    return { ...screenedRecord({ ...screened, status: 'attacked' }), ...changes }
  }

  /** Three fooled, one of which came back; one robust; one misclassified; one failed; one unreadable. */
  const images: readonly ImageRecord[] = [
    image({
      ...{ status: 'fooled', queries: 111, modelCalls: 113, success8bit: true },
      ...{ first: point(2, 4, -1), best: point(5, 1, -0.5), final: point(10, 2, -0.75) },
    }),
    image({
      ...{ status: 'fooled', queries: 111, modelCalls: 114, success8bit: false },
      ...{ first: point(4, 2, -0.5), best: point(4, 2, -0.5), final: point(10, 3, 0.25) },
    }),
    image({
      ...{ status: 'fooled', queries: 100, modelCalls: 102, success8bit: true },
      ...{ first: point(9, 6, -2), best: point(9, 6, -2), final: null },
    }),
    image({ status: 'robust', queries: 111, modelCalls: 112, final: point(10, 1, 2) }),
    image({ status: 'skipped', predicted: 3, modelCalls: 1 }),
    image({ status: 'failed', queries: 44, modelCalls: 45, reason: 'the model does not answer any more' }),
    image({ status: 'failed', predicted: null, modelCalls: 0, reason: 'no PNG file' }),
  ]

  describe('the summary of an evaluation', () => {
    const summary = summarizeAttack(images, weights)

    test('counts what became of the images', () => {
      expect(summary).toMatchObject({ looked: 6, attacked: 4, skipped: 1, failed: 2, fooled: 3 })
      expect(summary).toMatchObject({ queries: 477, modelCalls: 487 })
    })

    test('has rates as fractions of those screened and of those attacked', () => {
      expect(summary.cleanAccuracy).toBe(5 / 6)
      expect(summary.attackSuccessRate).toBe(3 / 4)
      expect(summary.success8bit).toBe(2 / 4)
      expect(summary.attackSuccessInterval).toEqual(wilson(3, 4))
    })

    test('calls robust only what stood an attack to its end: a failed attack shows nothing', () => {
      expect(summary.robustAccuracy).toBe(1 / 6)
    })

    test('has mean and median over the images that were fooled', () => {
      expect(summary.firstSuccessIterations).toEqual({ mean: 5, median: 4 })
      expect(summary.firstSuccessQueries).toEqual({ mean: 56, median: 45 })
      expect(summary.firstSuccessL2).toEqual({ mean: 4, median: 4 })
      expect(summary.firstSuccessL2sq).toEqual({ mean: 56 / 3, median: 16 })
      expect(summary.firstSuccessLinf).toEqual({ mean: 2, median: 2 })
      expect(summary.bestL2).toEqual({ mean: 3, median: 2 })
      expect(summary.bestL2sq).toEqual({ mean: 41 / 3, median: 4 })
      expect(summary.bestLinf).toEqual({ mean: 1.5, median: 1 })
    })

    test('has the last points of those that were fooled, whether these still fool the model or not', () => {
      expect(summary.finalL2).toEqual({ mean: 2.5, median: 2.5 })
      expect(summary.finalL2sq).toEqual({ mean: 6.5, median: 6.5 })
      expect(summary.finalLinf).toEqual({ mean: 1.25, median: 1.25 })
      expect(summary.kept).toBe(1 / 3)
    })

    test('has the objective at the last points of all that were attacked, the loss cut off at -kappa', () => {
      // 10 * -0.5 + 4, 10 * 0.25 + 9 and 10 * 2 + 1.
      expect(summary.finalObjective.mean).toBeCloseTo((-1 + 11.5 + 21) / 3, 12)
      expect(summary.finalObjective.median).toBe(11.5)
    })
  })

  describe('a summary', () => {
    test('where nobody was fooled has no means', () => {
      const summary = summarizeAttack([image({ status: 'robust', final: point(3, 1, 1) })], weights)
      expect(summary).toMatchObject({ attacked: 1, fooled: 0, attackSuccessRate: 0, robustAccuracy: 1 })
      for (const at of ['firstSuccessQueries', 'firstSuccessL2sq', 'bestL2', 'finalLinf'] as const) {
        expect(summary[at]).toEqual({ mean: Number.NaN, median: Number.NaN })
      }
      expect(summary.kept).toBeNaN()
      expect(summary.finalObjective.mean).toBe(11)
    })

    test('of nothing has no rates, and its interval says that nothing is known', () => {
      const summary = summarizeAttack([], weights)
      expect(summary).toMatchObject({ looked: 0, attacked: 0, queries: 0, modelCalls: 0 })
      expect([summary.cleanAccuracy, summary.robustAccuracy, summary.attackSuccessRate]).toEqual([NaN, NaN, NaN])
      expect(summary.attackSuccessInterval).toEqual([0, 1])
    })

    test('where every attack failed calls nothing robust', () => {
      const failed = [1, 2, 3].map((index) => image({ index, status: 'failed' }))
      expect(summarizeAttack(failed, weights)).toMatchObject({
        looked: 3,
        failed: 3,
        cleanAccuracy: 1,
        robustAccuracy: 0,
      })
    })

    test('of a targeted attack skips images of the target class, which are right', () => {
      const own = image({ status: 'skipped', reason: 'is already of the target, class 0' })
      const fooled = image({ status: 'fooled', first: point(1, 1, -1), best: point(1, 1, -1), final: point(1, 1, -1) })
      const summary = summarizeAttack([own, fooled, image({ status: 'skipped', predicted: 2 })], weights)
      expect(summary).toMatchObject({ looked: 3, attacked: 1, skipped: 2, cleanAccuracy: 2 / 3, robustAccuracy: 1 / 3 })
    })

    test('of a universal attack counts its queries once and its model calls for every image', () => {
      const each = [1, 2].map((index) => image({ index, status: 'robust', modelCalls: 2, final: point(9, 1, 1) }))
      const summary = summarizeAttack(each, { ...weights, universal: { queries: 100, modelCalls: 200 } })
      expect(summary).toMatchObject({ queries: 100, modelCalls: 204 })
    })
  })

  describe("Wilson's interval", () => {
    test.each([
      [78, 100, 0.68929646, 0.84998718],
      [3, 4, 0.30064184, 0.95441274],
      // Nobody of n: up to z^2 / (n + z^2). Half of n: 0.5 z / sqrt(n + z^2) to either side.
      [0, 10, 0, 3.8414588 / 13.8414588],
      [10, 10, 1 - 3.8414588 / 13.8414588, 1],
      [1, 2, 0.5 - 0.97998199 / Math.sqrt(5.8414588), 0.5 + 0.97998199 / Math.sqrt(5.8414588)],
    ])('of %i of %i is from %d to %d', (successes, count, lower, upper) => {
      const [low, high] = wilson(successes, count)
      expect(low).toBeCloseTo(lower, 7)
      expect(high).toBeCloseTo(upper, 7)
    })

    test('ends where the share found is 1.96 standard deviations away from the true one', () => {
      for (const [successes, count] of [
        [78, 100],
        [3, 4],
        [1, 50],
        [9, 10],
      ] as const) {
        // biome-ignore format: one line
        for (const p of wilson(successes, count)) {
        const deviation = Math.sqrt((p * (1 - p)) / count)
        expect(Math.abs(successes / count - p) / deviation).toBeCloseTo(1.959963984540054, 10)
      }
      }
    })

    test('lies within 0 and 1 around the share, and gets narrower with more images', () => {
      fc.assert(
        fc.property(fc.integer({ min: 1, max: 1000 }), fc.double({ min: 0, max: 1, noNaN: true }), (count, share) => {
          const successes = Math.round(share * count)
          const [low, high] = wilson(successes, count)
          expect(low).toBeGreaterThanOrEqual(0)
          expect(high).toBeLessThanOrEqual(1)
          expect(low).toBeLessThanOrEqual(successes / count + 1e-12)
          expect(high).toBeGreaterThanOrEqual(successes / count - 1e-12)
          const [lower, higher] = wilson(4 * successes, 4 * count)
          expect(higher - lower).toBeLessThan(high - low)
        }),
        { seed: 8 },
      )
    })
  })
})

describe('meaning', () => {
  const found = { robustAccuracy: 0.7, attacked: 20, methods: ['square', 'back', 'nearest-boundary'] }
  const effort = { maxQueries: 1000, universal: false }

  test('a robust accuracy is never said without the size of the changes it holds for', () => {
    const said = (within: { linf?: number; l2?: number }) => robustnessStatement(found, { ...effort, within }).meaning
    const end = 'by square and nearest-boundary with 1,000 queries each; a stronger attack may fool more'
    expect(said({ linf: 8 / 255 })).toBe(`70 % of the images withstood changes of at most 8/255 (linf) ${end}`)
    expect(said({ linf: 0.1, l2: 2 })).toBe(
      `70 % of the images withstood changes of at most 0.1 (linf) and 2 (l2) ${end}`,
    )
    expect(said({})).toBe(`70 % of the images withstood changes of any size ${end}`)
  })

  test('nothing is said where no image was attacked', () => {
    expect(robustnessStatement({ ...found, attacked: 0 }, { ...effort, within: {} })).toEqual({})
  })
})
