import { describe, expect, test } from 'vitest'
import { linearNetwork } from '../../test/networks/linear-network.ts'
import type { Vector } from '../core/types.ts'
import type { Dataset } from '../datasets/dataset.ts'
import { measureAccuracy } from './accuracy.ts'
import type { Model } from './model.ts'
import { withClassesOf } from './model-classes.ts'
import { onnxModel } from './onnx.ts'
import type { PreprocessingOption } from './preprocessing.ts'

/** Three classes: the first pixel, the second, and their distance from white. */
const weights = [
  [1, 0],
  [0, 1],
  [0.4, 0.4],
]
const sides = ['N', 1, 1, 2]
const rows = [
  [0.9, 0.1],
  [0.2, 0.8],
  [0.5, 0.5],
]
const images = { rows: 3, write: (row: number, into: Vector, offset = 0) => into.set(rows[row] as number[], offset) }

const labelled = (labels: readonly number[], classNames?: readonly string[]): Dataset => ({
  name: 'three',
  count: labels.length,
  classNames,
  title: String,
  label: (index) => labels[index],
  read: async (index) => ({
    shape: { channels: 1, height: 1, width: 2 },
    pixels: Float32Array.from(rows[index] as number[]),
  }),
})

const open = (network: Uint8Array, preprocessing: PreprocessingOption = {}): Promise<Model> =>
  onnxModel({ bytes: network, preprocessing }).open()

async function answered(model: Model): Promise<number[]> {
  const scores = new Float32Array(3 * model.classes).fill(7)
  await model.predict(images, scores)
  return Array.from(scores)
}

describe('a network that answers with a class', () => {
  test.each([
    ['one whole number per image', { answer: 'int64', outputSides: ['N'] } as const],
    ['with a side of its own', { answer: 'int64', outputSides: ['N', 1] } as const],
    ['as a float', { answer: 'float32', outputSides: ['N', 1] } as const],
  ])('is recognised: %s', async (_, how) => {
    const model = await open(linearNetwork({ weights, sides, ...how }), { classes: 3 })
    expect(model).toMatchObject({ scores: 'labels', classes: 3 })
    expect(model).not.toHaveProperty('withClasses')
    expect(model.warnings).toEqual([
      'the model answers with a class and no scores: only methods for labels can attack it',
    ])
    expect(await answered(model)).toEqual([1, 0, 0, 0, 1, 0, 1, 0, 0])
    await model.close()
  })

  test('has as many classes as its images have names, or else labels', async () => {
    const model = await open(linearNetwork({ weights, sides, answer: 'int64', outputSides: ['N'] }))
    expect(model.classes).toBe(0)
    await expect(answered(model)).rejects.toThrow('say how many classes there are with preprocessing.classes')
    expect(withClassesOf(model, labelled([0, 1], ['a', 'b', 'c', 'd'])).classes).toBe(4)
    expect(withClassesOf(model, labelled([0, 1])).classes).toBe(2)
    expect(() => withClassesOf(model, labelled([0, 0]))).toThrow('the labels of "three" do not tell')
    const { accuracy } = await measureAccuracy(model, labelled([0, 1, 0]))
    expect(accuracy).toBe(1)
    await model.close()
  })

  test('that it cannot have is wrong about everything: the evaluation ends', async () => {
    const model = await open(linearNetwork({ weights, sides, answer: 'int64', outputSides: ['N'] }), { classes: 1 })
    await expect(answered(model)).rejects.toMatchObject({
      code: 'invalid-option',
      message: expect.stringContaining('answered with the class 1 where a whole number from 0 to 0 was wanted'),
    })
    await model.close()
  })

  test('after dummy classes', async () => {
    const said = { classes: 1, labelOffset: 1 }
    const model = await open(linearNetwork({ weights, sides, answer: 'int64', outputSides: ['N'] }), said)
    await expect(answered(model)).rejects.toThrow('answered with the class 0 where a whole number from 1 to 1')
    await model.close()
  })
})

test('one score that is not whole is no class: what can be done is said', async () => {
  const opening = open(linearNetwork({ weights: [[0.7, 0.1]], sides }))
  await expect(opening).rejects.toThrow(/gives one number per image, such as 0\.24\d*: neither scores .* nor a class/)
  await expect(opening).rejects.toThrow('let the network give [0, s] for its logit s')
})

test('scores can be hidden: what is left is the class', async () => {
  const model = await open(linearNetwork({ weights, sides }), { scores: 'labels' })
  expect(model).toMatchObject({ scores: 'labels', classes: 3 })
  expect(await answered(model)).toEqual([1, 0, 0, 0, 1, 0, 1, 0, 0])
  await model.close()
})
