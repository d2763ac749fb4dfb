import { expect, test } from 'vitest'
import type { Dataset } from '../datasets/dataset.ts'
import { measureAccuracy } from './accuracy.ts'
import { classifierObjective } from './classifier-objective.ts'
import { linearModel } from './linear.ts'
import type { Model } from './model.ts'

const shape = { channels: 1, height: 1, width: 2 }
const source = linearModel({ shape, weights: [[1, 0], [0, 1]] }) // biome-ignore format: a matrix
const dataset: Dataset = {
  name: 'two',
  count: 2,
  title: String,
  label: (index) => index,
  read: async (index) => ({ shape, pixels: Float32Array.of(1 - index, index) }),
}

test.each<[string, unknown, string]>([
  ['one that is not open', source, 'open the model first: await onnxModel(...).open()'],
  ['a promise', source.open(), 'the model is a promise: await it'],
  ['nothing', undefined, 'the model must be an open one, such as await onnxModel(...).open(), got undefined'],
  ['a data set', dataset, 'the model must be an open one, such as await onnxModel(...).open(), got [object Object]'],
])('as a model, %s is refused', async (_, model, message) => {
  await expect(measureAccuracy(model as Model, dataset)).rejects.toThrow(`measureAccuracy: ${message}`)
  expect(() => classifierObjective(model as Model, () => 0)).toThrow(`classifierObjective: ${message}`)
})

test.each<[string, unknown, string]>([
  ['a promise', Promise.resolve(dataset), 'the data set is a promise: await it'],
  ['nothing', null, 'the data set must be one such as await folderDataset(...), got null'],
  ['a list', [], 'the data set must be one such as await folderDataset(...), got Array(0)'],
  ['no count', { ...dataset, count: undefined }, "the data set's count must be a whole number of at least 0"],
])('as a data set, %s is refused', async (_, given, message) => {
  const model = await source.open()
  await expect(measureAccuracy(model, given as Dataset)).rejects.toMatchObject({
    code: 'invalid-data',
    message: expect.stringContaining(`measureAccuracy: ${message}`),
  })
})

test.each<[object, string]>([
  [{ cuont: 5 }, 'measureAccuracy has no option cuont; did you mean count?'],
  [{ count: -1 }, 'measureAccuracy.count must be at least 1, got -1'],
  [{ count: 0 }, 'measureAccuracy.count must be at least 1, got 0'],
  [{ count: 2.5 }, 'measureAccuracy.count must be a whole number, got 2.5'],
  [{ count: '10' }, 'measureAccuracy.count must be a number, got "10"'],
  [{ signal: {} }, 'measureAccuracy.signal must be an AbortSignal'],
  [{ onProgress: 5 }, 'measureAccuracy.onProgress must be a function, got 5'],
  [{ diagnose: 'no' }, 'measureAccuracy.diagnose must be a boolean, got "no"'],
])('the options %j are refused', async (options, message) => {
  const model = await source.open()
  await expect(measureAccuracy(model, dataset, options)).rejects.toThrow(message)
})

test('options that are left undefined are left out', async () => {
  const options = { count: undefined, signal: undefined, onProgress: undefined, diagnose: undefined }
  expect(await measureAccuracy(await source.open(), dataset, options)).toMatchObject({ accuracy: 1, count: 2 })
})

test('a loss that is no function is refused', async () => {
  const model = await source.open()
  expect(() => classifierObjective(model, undefined as never)).toThrow(
    'classifierObjective: the loss must be a function of the scores of an image, got undefined',
  )
})
