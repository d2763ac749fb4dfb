import { describe, expect, test } from 'vitest'
import { linearNetwork } from '../../test/networks/linear-network.ts'
import { sampleQueries } from '../../test/objectives/sample-queries.ts'
import { makeAnswers } from '../core/answers.ts'
import { ZerothError } from '../core/errors.ts'
import type { Queries } from '../core/types.ts'
import { minimize } from '../run/minimize.ts'
import { box } from '../sets/box.ts'
import { zoAdaMM } from '../solvers/zo-adamm.ts'
import { classifierObjective, type Loss } from './classifier-objective.ts'
import { linearModel } from './linear.ts'
import type { Model } from './model.ts'
import { onnxModel } from './onnx.ts'

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
