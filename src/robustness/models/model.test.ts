import { describe, expect, test } from 'vitest'
import { linearNetwork } from '../../../test/networks/linear-network.ts'
import { sampleQueries } from '../../../test/objectives/sample-queries.ts'
import { makeAnswers } from '../../optimizer/core/answers.ts'
import { ZerothError } from '../../optimizer/core/errors.ts'
import type { Queries } from '../../optimizer/core/types.ts'
import { zoAdaMM } from '../../optimizer/methods/presets.ts'
import { minimize } from '../../optimizer/minimize/minimize.ts'
import { box } from '../../optimizer/parts/sets/boxes.ts'
import type { Dataset } from '../images/dataset.ts'
import { measureAccuracy } from './accuracy.ts'
import { linearModel } from './linear.ts'
import { classifierObjective, type Loss, type Model } from './model.ts'
import { onnxModel } from './onnx.ts'

describe('model', () => {
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
})

describe('classifier objective', () => {
  const shape = { channels: 1, height: 1, width: 2 }
  const weights = [[1, 0], [0, 2], [1, 1]] // biome-ignore format: a matrix

  /** Rows at (0, 0), (1, 10), (2, 20), ..., or further on. */
  const queries = (rows: number, first = 0): Queries =>
    sampleQueries(rows, {
      original: (row) => 50 + row,
      write: (row, into, offset = 0) => into.set([first + row, 10 * (first + row)], offset),
    })

  const total: Loss = (scores) => scores.reduce((sum, each) => sum + each, 0)

  describe('a model that answers at once', () => {
    test('makes no promise, and every row gets the loss of its scores', async () => {
      const objective = classifierObjective(await linearModel({ shape, weights }).open(), total)
      const answers = makeAnswers(3)
      expect(objective.dim).toBe(2)
      expect(objective.evaluate(queries(3), answers)).toBeUndefined()
      expect(Array.from(answers.values)).toEqual([0, 32, 64])
    })

    test('tells the loss which row, iteration and sample the scores belong to', async () => {
      const seen: unknown[] = []
      const model = await linearModel({ shape, weights }).open()
      classifierObjective(model, (_, context) => seen.push(context)).evaluate(queries(2), makeAnswers(2))
      expect(seen).toEqual([
        { row: 50, iteration: 7, sample: 100 },
        { row: 51, iteration: 7, sample: 101 },
      ])
    })

    test('fails the row whose loss throws or is no number, and no other', async () => {
      const loss: Loss = (scores, { row }) => {
        if (row === 51) throw new Error('odd')
        return row === 52 ? ('x' as never) : total(scores, { row, iteration: 0, sample: 0 })
      }
      const answers = makeAnswers(4)
      classifierObjective(await linearModel({ shape, weights }).open(), loss).evaluate(queries(4), answers)
      expect(Array.from(answers.failed)).toEqual([0, 1, 1, 0])
      expect(answers.reasons[1]).toEqual(new Error('odd'))
      expect(answers.values[3]).toBe(96)
    })
  })

  describe('a model that cannot answer', () => {
    const broken = (predict: Model['predict']): Model => ({
      ...{ shape, classes: 3, scores: 'logits', bounds: { lower: 0, upper: 1 }, batch: 1, runtime: '', warnings: [] },
      predict,
      close: () => undefined,
    })
    const error = new ZerothError('query-failed', 'lost', { retryable: true })

    test('fails every row for its reason, whether it throws or rejects', async () => {
      const rejects = makeAnswers(2)
      await classifierObjective(
        broken(async () => Promise.reject(error)),
        total,
      ).evaluate(queries(2), rejects)
      const throws = makeAnswers(2)
      classifierObjective(
        broken(() => {
          throw error
        }),
        total,
      ).evaluate(queries(2), throws)
      for (const answers of [rejects, throws]) {
        expect(Array.from(answers.failed)).toEqual([1, 1])
        expect(answers.reasons).toEqual([error, error])
        expect(answers.values.every(Number.isNaN)).toBe(true)
      }
    })

    test('but had answers for some images fails the others only', async () => {
      const answers = makeAnswers(3)
      const some = broken(async (_, into) => {
        into.set([1, 2, 3], 3)
        throw error
      })
      await classifierObjective(some, total).evaluate(queries(3), answers)
      expect(Array.from(answers.failed)).toEqual([1, 0, 1])
      expect(answers.values[1]).toBe(6)
    })

    test('never leaves the scores of an earlier call behind', async () => {
      let calls = 0
      const once = broken(async (_, into) => {
        if (calls++ === 0) return void into.fill(1)
        throw error
      })
      const objective = classifierObjective(once, total)
      const [first, second] = [makeAnswers(2), makeAnswers(2)]
      await objective.evaluate(queries(2), first)
      await objective.evaluate(queries(2), second)
      expect(Array.from(first.values)).toEqual([3, 3])
      expect(Array.from(second.failed)).toEqual([1, 1])
    })

    test('because it was stopped fails nothing', async () => {
      const answers = makeAnswers(2)
      const signal = AbortSignal.abort()
      const stopped = broken(async () => signal.throwIfAborted())
      await classifierObjective(stopped, total).evaluate(queries(2), answers, signal)
      expect(Array.from(answers.failed)).toEqual([0, 0])
    })
  })

  test('two evaluations under way at once do not mix their scores', async () => {
    const model = await onnxModel({ bytes: linearNetwork({ weights, sides: ['N', 1, 1, 2] }) }).open()
    const objective = classifierObjective(model, total)
    const [few, many] = [makeAnswers(2), makeAnswers(40)]
    // Once before: there is then room to be reused.
    await objective.evaluate(queries(40), makeAnswers(40))
    await Promise.all([objective.evaluate(queries(40), many), objective.evaluate(queries(2, 5), few)])
    expect(Array.from(few.values)).toEqual([160, 192])
    expect(Array.from(many.values)).toEqual(Array.from({ length: 40 }, (_, i) => 32 * i))
    await model.close()
  })

  test('a run over a network in double precision takes the same path as over the same sums here', async () => {
    const bytes = linearNetwork({ weights, sides: ['N', 1, 1, 2], type: 'float64' })
    const loss: Loss = (scores) => Math.abs((scores[0] as number) - 0.3) + Math.abs((scores[1] as number) - 0.4)
    const options = { solver: zoAdaMM({ directions: 3 }), set: box({ lower: 0, upper: 1 }), seed: 4, maxIterations: 40 }
    const results = []
    for (const source of [onnxModel({ bytes }), linearModel({ shape, weights })]) {
      const model = await source.open()
      results.push(await minimize(classifierObjective(model, loss), [0.9, 0.9], options))
      await model.close()
    }
    expect(results[0]?.point).toEqual(results[1]?.point)
    expect(results[0]?.value).toBe(results[1]?.value)
    expect(results[0]?.value).toBeLessThan(1.5)
  })
})
