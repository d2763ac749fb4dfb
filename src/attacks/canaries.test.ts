import { describe, expect, test } from 'vitest'
import { fakeModel } from '../../test/attacks/fake-model.ts'
import { memoryDataset } from '../../test/attacks/memory-dataset.ts'
import { ZerothError } from '../core/errors.ts'
import type { Model } from '../models/model.ts'
import { askCanaries } from './canaries.ts'
import { screenImages } from './screening.ts'

const dataset = memoryDataset(Array.from({ length: 12 }, (_, i) => ({ pixels: [i / 12, 0.5], label: 0 })))

/** Asks one model first and another one at the end. */
async function asked(before: Model, after: Model, signal?: AbortSignal) {
  return askCanaries(after, dataset, await screenImages(before, dataset, {}), signal)
}

const logits = (shift = 0) => fakeModel(2, 3, ([x = 0]) => [10 - x + shift, 0, -10 - 2 * shift])
const probabilities = (rest: number) => fakeModel(2, 2, () => [1 - rest, rest], { scores: 'probabilities' })

describe('clean images that are asked about again', () => {
  test('are ten at most, and the same answers say nothing', async () => {
    const model = logits()
    expect(await asked(logits(), model)).toEqual({
      record: { asked: 10, changed: 0, unanswered: 0, reason: null },
      ...{ failedQueries: 0, retries: 0 },
    })
    expect(model.calls).toEqual([10])
  })

  test.each([
    ['noise of a thousandth of the range', logits(), logits(0.02), 0],
    ['a tenth of the range', logits(), logits(2), 10],
    ['other last digits of probabilities', probabilities(1e-4), probabilities(0), 0],
    ['another second class of a model that is sure', probabilities(1e-4), probabilities(0.02), 10],
  ])('show %s', async (_, before, after, changed) => {
    expect((await asked(before, after)).record).toMatchObject({ asked: 10, changed, unanswered: 0 })
  })

  test('say what changed first', async () => {
    const other = fakeModel(2, 3, () => [0, 10, -10])
    expect((await asked(logits(), other)).record.reason).toBe('image 0: class 0 before, class 1 now')
    expect((await asked(logits(), logits(2))).record.reason).toBe('image 0: scores moved by up to 4')
  })

  test('that get no answer are counted, and are no change', async () => {
    const gone = logits()
    const lost = { ...gone, predict: async () => Promise.reject(new ZerothError('query-failed', 'gone')) }
    const { record, failedQueries } = await asked(logits(), lost)
    expect(record).toEqual({ asked: 10, changed: 0, unanswered: 10, reason: null })
    expect(failedQueries).toBe(10)
  })
})
