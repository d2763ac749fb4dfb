import { expect, test } from 'vitest'
import type { Dataset } from '../datasets/dataset.ts'
import type { Model } from '../models/model.ts'
import { zoSignSGD } from '../parts.ts'
import { constrained } from './constrained.ts'
import { evaluateRobustness } from './evaluate-robustness.ts'

/** Two pixels; class 0 as long as their mean is below 0.5: an image of mean m is fooled from linf 0.5 - m on. */
function thresholdModel(calls: { count: number } = { count: 0 }): Model {
  return {
    shape: { channels: 1, height: 1, width: 2 },
    classes: 2,
    scores: 'logits',
    bounds: { lower: 0, upper: 1 },
    batch: 16,
    runtime: 'test',
    warnings: [],
    predict(images, scores) {
      const pixels = new Float64Array(2)
      for (let row = 0; row < images.rows; row++) {
        images.write(row, pixels)
        calls.count++
        scores.set([0, (pixels[0] ?? 0) + (pixels[1] ?? 0) - 1], 2 * row)
      }
    },
    close: async () => undefined,
  }
}

const images = (...means: readonly number[]): Dataset => ({
  name: 'means',
  count: means.length,
  title: (index) => `${index}.png`,
  label: () => 0,
  read: async (index) => ({
    shape: { channels: 1, height: 1, width: 2 },
    pixels: new Float32Array(2).fill(means[index] ?? 0),
  }),
})

const solver = zoSignSGD({ learningRate: 0.02, directions: 2, smoothing: 0.01 })
const several = {
  solver,
  form: constrained({ linf: 0.2 }),
  smaller: [constrained({ linf: 0.1 }), constrained({ linf: 0.05 })],
  maxQueries: 90,
  earlyStop: true,
  seed: 3,
}

test('an image counts as fooled within a limit only by a point evaluated within it', async () => {
  const calls = { count: 0 }
  const { summary, images: records } = await evaluateRobustness(
    thresholdModel(calls),
    images(0.2, 0.35, 0.43, 0.47),
    several,
  )
  const statuses = records.map(({ limits = [] }) => limits.map(({ status }) => status))
  expect(statuses).toEqual([
    ['robust', 'robust', 'robust'],
    ['fooled', 'robust', 'robust'],
    ['fooled', 'fooled', 'robust'],
    ['fooled', 'fooled', 'fooled'],
  ])
  for (const { limits = [] } of records) {
    for (const { linf = 0, success } of limits)
      if (success !== null) expect(success.linf).toBeLessThanOrEqual(linf + 1e-6)
  }
  expect(
    summary.limits?.map(({ linf, robustAccuracy, fooled, robust }) => [linf, robustAccuracy, fooled, robust]),
  ).toEqual([
    [0.05, 0.75, 1, 3],
    [0.1, 0.5, 2, 2],
    [0.2, 0.25, 3, 1],
  ])
  expect(summary.robustAccuracy).toBe(0.25)
  expect(summary.modelCalls).toBe(calls.count)
})

test('what withstands a limit is not attacked within smaller ones, and each limit has the whole budget', async () => {
  const { summary, images: records } = await evaluateRobustness(thresholdModel(), images(0.2, 0.35), several)
  const [stood, fooled] = records.map(({ limits = [] }) => limits.map(({ from, queries }) => [from, queries]))
  expect(stood?.slice(1)).toEqual([
    ['larger limit', 0],
    ['larger limit', 0],
  ])
  expect(fooled?.[1]?.[0]).toBe('attack')
  for (const { queries, limits = [] } of records) {
    expect(queries).toBe(limits.reduce((sum, each) => sum + each.queries, 0))
    for (const each of limits) expect(each.queries).toBeLessThanOrEqual(90)
  }
  expect(summary.queries).toBe(records.reduce((sum, { queries }) => sum + queries, 0))
})

test('the attack within the largest limit is what it is alone', async () => {
  const { smaller: _, ...single } = several
  const alone = await evaluateRobustness(thresholdModel(), images(0.35, 0.43), single)
  const all = await evaluateRobustness(thresholdModel(), images(0.35, 0.43), several)
  expect(all.images.map(({ first, best }) => [first, best])).toEqual(
    alone.images.map(({ first, best }) => [first, best]),
  )
  expect(alone.summary.limits).toBeUndefined()
  expect(alone.images[0]).not.toHaveProperty('limits')
})

test('one perturbation for all images has one limit', async () => {
  const work = evaluateRobustness(thresholdModel(), images(0.4), { ...several, universal: true })
  await expect(work).rejects.toThrow('a universal attack has one limit: leave out smaller, or universal')
})
