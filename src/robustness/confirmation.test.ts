import { describe, expect, test } from 'vitest'
import { type FakeModel, threshold } from '../../test/attacks/fake-model.ts'
import { memoryDataset } from '../../test/attacks/memory-dataset.ts'
import { incompleteReason } from '../app/jobs/evaluation/status.ts'
import { zoAdaMM } from '../optimizer/methods/presets.ts'
import { mostConfirmations, movement } from './confirmation.ts'
import { evaluateRobustness } from './evaluate-robustness.ts'
import { constrained } from './formulations.ts'
import type { Model } from './models/model.ts'
import { batchedModel } from './models/model-wrappers.ts'
import type { RobustnessOptions } from './robustness-options.ts'

const solver = zoAdaMM({ learningRate: { value: 0.05, decay: 'sqrt' } })

/** The model, of whose calls for a whole iteration one is answered with the other class for the current point. */
const onceWrong = (honest: FakeModel, wrong: number): Model => {
  let calls = 0
  return {
    ...honest,
    predict(images, into, signal) {
      const isWrong = images.rows === 11 && calls++ === wrong
      const work = honest.predict(images, into, signal)
      // The first row is the current point.
      if (isWrong) into.set([into[1] as number, into[0] as number])
      return work
    },
  }
}
const dark = memoryDataset([{ pixels: [0.3, 0.3], label: 0 }])
const evaluated = (model: Model, linf: number, given: RobustnessOptions = {}) =>
  evaluateRobustness(model, dark, { solver, maxQueries: 331, formulation: constrained({ linf }), ...given })

describe('one wrong answer in an attack', () => {
  test('does not end it early, nor make an image fooled that withstands: it is unconfirmed', async () => {
    const { images, summary, warnings } = await evaluated(onceWrong(threshold([1, 1], 1), 5), 0.1, { earlyStop: true })
    expect(images[0]).toMatchObject({ status: 'unconfirmed', queries: 331, first: null, best: null, saved: null })
    expect(images[0]?.confirmations).toEqual({ successes: 1, contradicted: 1, clean: 1, changed: 0 })
    expect(images[0]?.reason).toContain('the model did not say the same when it was asked again')
    expect(summary).toMatchObject({ fooled: 0, unconfirmed: 1, robustAccuracy: 0, robustAccuracyBounds: [0, 1] })
    expect(warnings.join()).toContain('1 success on 1 image did not show again when the model was asked again')
  })

  test('is a reason for exit code 1, unless that is allowed', async () => {
    const report = await evaluated(onceWrong(threshold([1, 1], 1), 5), 0.1)
    expect(incompleteReason({}, report)).toBe('1 unconfirmed image; --allow-unfinished permits 0')
    expect(incompleteReason({ allowUnfinished: 1 }, report)).toBeUndefined()
  })

  test('leaves an image fooled that is, and its first success is the first one that was confirmed', async () => {
    const [honest, lying] = [threshold([1, 1], 1), onceWrong(threshold([1, 1], 1), 1)]
    const [before, after] = [(await evaluated(honest, 0.5)).images[0], (await evaluated(lying, 0.5)).images[0]]
    expect(before?.confirmations).toMatchObject({ contradicted: 0 })
    expect(after).toMatchObject({ status: 'fooled', success8bit: true })
    expect(after?.confirmations?.contradicted).toBe(1)
    // The second answer took the place of the first one, and the attack went on as if nothing had been.
    expect(after?.first).toEqual(before?.first)
    expect(after?.best).toEqual(before?.best)
    expect(after?.best?.l2sq).toBeGreaterThan(0.07)
  })

  test('is found wherever it falls: nothing false is said', async () => {
    for (let wrong = 0; wrong < 30; wrong++) {
      const [image] = (await evaluated(onceWrong(threshold([1, 1], 1), wrong), 0.1)).images
      expect([wrong, image?.status]).toEqual([wrong, 'unconfirmed'])
    }
  })
})

test('a model that is replaced on the way is seen on the way', async () => {
  let calls = 0
  const [before, after] = [threshold([1, 1], 1), threshold([1, 1], 0.9)]
  const replaced = {
    ...before,
    predict: (...at: Parameters<Model['predict']>) => (++calls < 20 ? before : after).predict(...at),
  }
  const { summary } = await evaluated(replaced, 0.1, { maxQueries: 2003 })
  // Every 500 queries the clean image is asked about.
  expect(summary.confirmations).toMatchObject({ clean: 4, changed: 4 })
})

test('pictures that are to be alone have a request of their own, whoever asks at the same time', async () => {
  const model = threshold([1, 1], 1)
  const shared = batchedModel(model)
  const write = (_: number, into: Float32Array | Float64Array, offset = 0) => into.set([0.5, 0.6], offset)
  const scores = [1, 2, 3, 4].map(() => new Float64Array(2))
  await Promise.all(scores.map((into, i) => shared.predict({ rows: 1, isAlone: i % 2 === 1, write }, into)))
  expect([...model.calls].sort()).toEqual([1, 1, 2])
  for (const [own, other] of scores) expect([own, other]).toEqual([0, 0.5 + 0.6 - 1])
})

test('classes that are masked out have not moved; scores that cannot be told apart from noise neither', () => {
  expect(movement([1, Number.NEGATIVE_INFINITY], [1.01, Number.NEGATIVE_INFINITY], 1)).toBeUndefined()
  expect(movement([1, 0], [1.05, 0], 1)).toBeCloseTo(0.05, 12)
})

test('what an attack asks beside its budget is limited, and a small part of the usual budget', () => {
  expect(mostConfirmations(11_001, 1)).toBe((20 + 30) * 2 + 2 * 23 + (3 + 3) * 16)
  expect(mostConfirmations(331, 4)).toBe(21 * 5 + 2 + 4 * (1 + 3) * 16)
})
