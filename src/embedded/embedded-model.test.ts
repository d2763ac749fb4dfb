import { describe, expect, test } from 'vitest'
import type { Dataset } from '../datasets/dataset.ts'
import { measureAccuracy } from '../models/accuracy.ts'
import type { Model } from '../models/model.ts'
import { embeddedImages } from './embedded-images.ts'
import { type EmbeddedModelOptions, embeddedModel } from './embedded-model.ts'
import type { EmbeddedName } from './embedded-names.ts'

async function opened<T>(
  name: EmbeddedName,
  options: EmbeddedModelOptions,
  use: (model: Model) => Promise<T>,
): Promise<T> {
  const model = await embeddedModel(name, options).open()
  try {
    return await use(model)
  } finally {
    await model.close()
  }
}

async function scoresOf(model: Model, dataset: Dataset): Promise<Float32Array> {
  const images = await Promise.all(Array.from({ length: dataset.count }, (_, index) => dataset.read(index)))
  const scores = new Float32Array(images.length * model.classes)
  const write = (row: number, into: Float32Array | Float64Array, offset = 0) =>
    into.set(images[row]?.pixels ?? [], offset)
  await model.predict({ rows: images.length, write }, scores)
  return scores
}

describe.each([
  ['digits', 39, 129, [18, 62]],
  ['cifar10', 39, 117, [20, 49, 52, 57, 58, 59, 61, 68, 78, 95, 112, 125, 128, 147]],
] as const)('%s', (name, tuning, heldOut, mistaken) => {
  test(`is right on ${tuning} of 40 images for tuning and ${heldOut} of 130 held out`, async () => {
    const wrong: number[] = []
    const counts = await opened(name, {}, async (model) => {
      const correct: number[] = []
      for (const split of ['tuning', 'held-out'] as const) {
        const images = await embeddedImages(name, split)
        const { predictions, warnings, ...accuracy } = await measureAccuracy(model, images)
        predictions.forEach((each, i) => each === images.label(i) || wrong.push(Number(images.title(i))))
        expect(warnings).toEqual([])
        correct.push(accuracy.correct)
      }
      return correct
    })
    expect(counts).toEqual([tuning, heldOut])
    expect(wrong).toEqual(mistaken)
  })

  test('gives ten logits, not probabilities', async () => {
    const images = await embeddedImages(name)
    const scores = await opened(name, {}, async (model) => {
      expect(model).toMatchObject({ shape: images.shape, classes: 10, scores: 'logits', warnings: [] })
      return scoresOf(model, images)
    })
    expect(scores.every(Number.isFinite)).toBe(true)
    expect(Math.min(...scores)).toBeLessThan(-1)
    expect(Math.max(...scores)).toBeGreaterThan(5)
  })

  test('answers the same whatever else is in the call, and in threads of its own', async () => {
    const images = await embeddedImages(name, 'tuning')
    const ask = (options: EmbeddedModelOptions) => opened(name, options, (model) => scoresOf(model, images))
    const single = await ask({ batch: 1 })
    expect(await ask({})).toEqual(single)
    expect(await ask({ batch: 40 })).toEqual(single)
    expect(await ask({ sessions: 2, batch: 7 })).toEqual(single)
  })
})

test('passes its options on', async () => {
  await opened('digits', { batch: 3, sessions: 2 }, async ({ batch, runtime }) => {
    expect(batch).toBe(3)
    expect(runtime).toMatch(/^onnxruntime-node .*, 2 sessions of one thread$/)
  })
})

test.each([
  ['mnist', {}, 'the embedded model must be one of "digits", "cifar10", got "mnist"'],
  ['cifar', {}, 'the embedded model must be one of "digits", "cifar10", got "cifar"; did you mean cifar10?'],
  ['digits', { batch: 0 }, 'embeddedModel.batch must be at least 1, got 0'],
  ['digits', { sessions: 65 }, 'embeddedModel.sessions must be at most 64, got 65'],
  ['digits', { file: 'a.onnx' }, 'embeddedModel has no option file (known: batch, sessions, providers)'],
  ['digits', 4, 'embeddedModel takes an options object, got 4'],
])('%j with %j is refused before anything is read', (name, options, message) => {
  expect(() => embeddedModel(name as never, options as never)).toThrow(message)
})
