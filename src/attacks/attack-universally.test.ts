import { describe, expect, test } from 'vitest'
import { threshold } from '../../test/attacks/fake-model.ts'
import { memoryDataset } from '../../test/attacks/memory-dataset.ts'
import { sampleQueries } from '../../test/objectives/sample-queries.ts'
import { makeAnswers } from '../core/answers.ts'
import { parseOptions } from '../core/parse-options.ts'
import type { Model } from '../models/model.ts'
import { zoAdaMM } from '../solvers/zo-adamm.ts'
import type { AttackProgress, AttackWatch } from './attack-task.ts'
import { attackUniversally } from './attack-universally.ts'
import { driveAttack } from './drive-attack.ts'
import { type RobustnessOptions, robustnessOptions } from './robustness-options.ts'
import type { Screened } from './screening.ts'

/** Class 1 where the two pixels add up to more than 1. */
const boundary = (changes: Partial<Model> = {}) => threshold([1, 1], 1, changes)

/** The first two can be fooled by brightening, the third is too dark for it: it would need a change of 0.9 in all. */
const dataset = memoryDataset([
  { pixels: [0.4, 0.45], label: 0 },
  { pixels: [0.45, 0.4], label: 0 },
  { pixels: [0.05, 0.05], label: 0 },
])
const images = [0, 1, 2].map(
  (index): Screened => ({
    ...{ index, title: `image ${index}`, label: 0, predicted: 0, target: null, status: 'attacked', reason: null },
    modelCalls: 1,
  }),
)

async function attack(
  model: Model,
  given: Partial<RobustnessOptions> = {},
  control: AttackWatch = {},
  run = driveAttack,
) {
  const wanted = { solver: zoAdaMM({ learningRate: 0.05 }), universal: true, lambda: 1, ...given }
  const options = parseOptions('test', robustnessOptions, wanted)
  const session = { solver: options.solver, maxQueries: 331, failures: options.failures, seed: 1, trackBest: true }
  return attackUniversally({ model, dataset, options, control, run }, images, session)
}

describe('one perturbation for several images', () => {
  test('is a query that classifies every image, and both are counted', async () => {
    const model = boundary()
    const { queries, modelCalls, images: attacked, curve } = await attack(model)
    expect([queries, modelCalls]).toEqual([331, 993])
    // 30 iterations, the last point, and one look at each saved picture.
    expect(model.calls).toEqual([...new Array<number>(30).fill(33), 3, 1, 1, 1])
    expect(attacked.map(({ record }) => record.queries)).toEqual([0, 0, 0])
    expect(attacked.map(({ record }) => record.modelCalls)).toEqual([2, 2, 2])
    expect(curve.queries).toEqual(curve.iteration.map((each) => 11 * each + 1))
  })

  test('fools those it can, and counts as it is at its end', async () => {
    const { images: attacked, curve } = await attack(boundary())
    expect(attacked.map(({ record }) => record.status)).toEqual(['fooled', 'fooled', 'robust'])
    for (const { record } of attacked.slice(0, 2)) {
      expect(record.final?.fooled).toBe(true)
      expect(record.success8bit).toBe(true)
      expect(record.saved).toMatchObject({ from: 'final', predicted: 1 })
      expect(record.stopReason).toBe('max-queries')
      expect(record.curve).toBeNull()
    }
    expect(curve.fooled.at(-1)).toBe(2 / 3)
    // All share the perturbation, and so its size.
    expect(new Set(attacked.map(({ record }) => record.final?.l2sq)).size).toBe(1)
    expect(curve.l2sq.at(-1)).toBe(attacked[0]?.record.final?.l2sq)
  })

  test('makes the picture of each image from its own original', async () => {
    const { images: attacked } = await attack(boundary())
    const [one, two] = attacked.map(({ picture }) => picture)
    expect(Array.from(one?.original ?? [])).toEqual([0.4, 0.45].map(Math.fround))
    const change = (picture: typeof one) => (picture?.adversarial[0] as number) - (picture?.original[0] as number)
    expect(Math.abs(change(one) - change(two))).toBeLessThan(2 / 255)
    expect(attacked[2]?.picture?.original[0]).toBe(Math.fround(0.05))
    expect(attacked[2]?.record.success8bit).toBe(false)
  })

  test('counts an image that it fooled only on the way as robust', async () => {
    const steps = [0, 0.1, 0.05]
    const { images: attacked } = await attack(boundary(), {}, {}, async ({ objective }) => {
      steps.forEach((step, i) => {
        const write = (_: number, into: Float32Array | Float64Array, offset = 0) => into.set([step, step], offset)
        void objective.evaluate(sampleQueries(1, { key: { seed: 0, iteration: i + 1 }, write }), makeAnswers(1))
      })
      return { status: 'finished', stopReason: 'max-queries' }
    })
    expect(attacked.map(({ record }) => record.first?.iteration)).toEqual([1, 1, undefined])
    expect(attacked.map(({ record }) => record.status)).toEqual(['robust', 'robust', 'robust'])
    expect(attacked[0]?.record.final).toMatchObject({ iteration: 2, fooled: false })
  })

  test('stops early when all are fooled at once', async () => {
    const { images: attacked, queries } = await attack(threshold([1, 1], 0.2), { earlyStop: true })
    expect(attacked.every(({ record }) => record.status === 'fooled')).toBe(true)
    expect(attacked[0]?.record.stopReason).toBe('early-stop')
    expect(queries).toBeLessThan(331)
    expect(queries % 11).toBe(0)
  })

  test('says how many it fools, as image -1', async () => {
    const seen: AttackProgress[] = []
    await attack(boundary(), {}, { onIteration: (at) => seen.push({ ...at, variables: at.variables?.slice() }) })
    expect(seen).toHaveLength(30)
    const variables = seen[0]?.variables?.map(() => 0)
    expect(seen[0]).toEqual({ index: -1, title: 'universal', iteration: 0, queries: 11, fooled: 0, variables })
    expect(seen[1]?.variables).not.toEqual(variables)
    expect(seen.at(-1)).toMatchObject({ iteration: 29, queries: 330, fooled: 2 })
  })

  test('has failed for all where the model does not answer', async () => {
    const model = boundary({ predict: async () => Promise.reject(new Error('gone')) })
    const { images: attacked, queries } = await attack(model)
    expect(attacked.map(({ record }) => record.status)).toEqual(['failed', 'failed', 'failed'])
    expect(attacked[0]?.record.reason).toBe('the model does not answer any more: Error: gone')
    expect(attacked[0]?.picture).toBeUndefined()
    expect(queries).toBe(28)
  })

  test('that is stopped rejects with the reason of the signal', async () => {
    const controller = new AbortController()
    const reason = new Error('enough')
    const control = { signal: controller.signal, onIteration: () => controller.abort(reason) }
    await expect(attack(boundary(), {}, control)).rejects.toBe(reason)
  })
})
