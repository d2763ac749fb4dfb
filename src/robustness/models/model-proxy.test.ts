import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ZerothError } from '../../optimizer/core/errors.ts'
import type { Vector } from '../../optimizer/core/types.ts'
import type { Images, Model } from './model.ts'
import { type Answered, type Asking, canBeProxied, modelFacts, modelProxy, modelServer } from './model-proxy.ts'
import { tensorWriter } from './network-model.ts'
import { completePreprocessing, type PreprocessingOption, type TensorType } from './preprocessing.ts'

const shape = { channels: 3, height: 2, width: 2 }
const size = 12

const preprocessed = (given: PreprocessingOption = {}, type: TensorType = 'float32') =>
  completePreprocessing(given, { shape, layout: given.layout ?? 'NCHW', type }, 'a')

/** A network with two classes whose first score is what its input adds up to. */
function network(given: PreprocessingOption = {}, type: TensorType = 'float32', overrides: Partial<Model> = {}): Model {
  const preprocessing = preprocessed(given, type)
  const write = tensorWriter(preprocessing)
  return {
    ...{ shape, classes: 2, scores: 'logits', bounds: { lower: 0, upper: 1 }, batch: 4, runtime: 'sum', warnings: [] },
    preprocessing,
    tensor: type,
    predict(images, into) {
      const data = new Float64Array(images.rows * size)
      write(images, 0, images.rows, data)
      for (let row = 0; row < images.rows; row++) {
        into[2 * row] = data.subarray(row * size, (row + 1) * size).reduce((sum, x, i) => sum + (i + 1) * x, 0)
        into[2 * row + 1] = row
      }
    },
    close: () => undefined,
    ...overrides,
  }
}

/** Row r has the pixels (r + 1) / (i + 2). */
const pictures = (rows: number, more: Partial<Images> = {}): Images => ({
  rows,
  write(row, into: Vector, offset = 0) {
    for (let i = 0; i < size; i++) into[offset + i] = (row + 1) / (i + 2)
  },
  ...more,
})

/** A model and the same one lent, as messages between threads would have it: later, and as copies. */
function lent(model: Model) {
  const sent: (Asking | Answered)[] = []
  const later = <T extends Asking | Answered>(take: (message: T) => void) => {
    return (message: T): void => {
      sent.push(message)
      setImmediate(() => take(message))
    }
  }
  const served = modelServer(
    model,
    later<Answered>((answer) => borrowed.answered(structuredClone(answer))),
  )
  const borrowed = modelProxy(
    structuredClone(modelFacts(model)),
    later<Asking>((asking) => served.asked(asking)),
  )
  return { model: borrowed.model, sent }
}

test('a lent model gives the same scores, whatever its network takes', async () => {
  const whole = fc.constantFrom<TensorType>('float32', 'float64', 'uint8', 'int8')
  const layout = fc.constantFrom('NCHW' as const, 'NHWC' as const)
  const order = fc.constantFrom('RGB' as const, 'BGR' as const)
  await fc.assert(
    fc.asyncProperty(whole, layout, order, fc.integer({ min: 1, max: 5 }), async (type, layout, channelOrder, rows) => {
      const given = { layout, channelOrder, ...(type.startsWith('float') ? { range: [-1, 0.75] as const } : {}) }
      const own = network(given as PreprocessingOption, type)
      const [here, there] = [new Float64Array(2 * rows), new Float64Array(2 * rows)]
      // What is written for a network of another kind is rounded to it, here as there.
      const rounded = { ...own, predict: viaTensor(own, type) }
      await rounded.predict(pictures(rows), here)
      await lent(own).model.predict(pictures(rows), there)
      expect(there).toEqual(here)
    }),
  )
})

/** Scores of rows that were first written as numbers of a kind. */
function viaTensor(model: Model, type: TensorType): Model['predict'] {
  const write = tensorWriter(preprocessedOf(model))
  const arrays = { float32: Float32Array, float64: Float64Array, uint8: Uint8Array, int8: Int8Array }
  return (images, into) => {
    const data = new arrays[type](images.rows * size)
    write(images, 0, images.rows, data)
    const ready = pictures(images.rows, {
      writeTensor(row, room, offset) {
        room.set(data.subarray(row * size, (row + 1) * size), offset)
        return true
      },
    })
    return model.predict(ready, into)
  }
}

const preprocessedOf = ({ preprocessing }: Model) => preprocessing as NonNullable<Model['preprocessing']>

test('memory is used again by later calls, and a longer call has its own', async () => {
  const { model, sent } = lent(network())
  const tensors = async (rows: number) => {
    await model.predict(pictures(rows), new Float64Array(2 * rows))
    return sent.flatMap((message) => (message.kind === 'ask' ? [message.tensor.buffer] : []))
  }
  await tensors(4)
  await tensors(2)
  const buffers = await tensors(5)
  expect(buffers[1]).toBe(buffers[0])
  expect(buffers[2]).not.toBe(buffers[0])
  expect(buffers[0]).toBeInstanceOf(SharedArrayBuffer)
})

test('calls under way at once do not share memory', async () => {
  const { model } = lent(network())
  const scores = [new Float64Array(2), new Float64Array(6)]
  await Promise.all([
    model.predict(pictures(1), scores[0] as Float64Array),
    model.predict(pictures(3), scores[1] as Float64Array),
  ])
  const alone = new Float64Array(6)
  await lent(network()).model.predict(pictures(3), alone)
  expect(scores[1]).toEqual(alone)
  expect(scores[0]).toEqual(alone.subarray(0, 2))
})

describe('what goes wrong', () => {
  test('is the same error on the other side, with the scores that there are', async () => {
    const error = new ZerothError('query-failed', 'no way', { retryable: true, unreached: true, retryAfter: 7 })
    const failing = network({}, 'float32', {
      predict(_, into) {
        into[0] = 5
        throw error
      },
    })
    const into = new Float64Array(4)
    const caught = await Promise.resolve(lent(failing).model.predict(pictures(2), into)).catch((each: unknown) => each)
    expect(caught).toBeInstanceOf(ZerothError)
    expect(caught).toMatchObject({ code: 'query-failed', message: 'no way', retryable: true, unreached: true })
    expect((caught as ZerothError).retryAfter).toBe(7)
    expect(Array.from(into)).toEqual([5, Number.NaN, Number.NaN, Number.NaN])
  })

  test('of another kind keeps its words', async () => {
    const failing = network({}, 'float32', { predict: () => Promise.reject(new TypeError('odd')) })
    await expect(lent(failing).model.predict(pictures(1), new Float64Array(2))).rejects.toThrow('odd')
  })

  test('and was asked again is told of, row by row', async () => {
    const twice = network({}, 'float32', {
      predict(images, into) {
        for (const row of [0, 2, 2]) images.askedAgain?.(row)
        into.fill(1)
      },
    })
    const again: number[] = []
    await lent(twice).model.predict(pictures(3, { askedAgain: (row) => void again.push(row) }), new Float64Array(6))
    expect(again).toEqual([0, 2, 2])
  })

  test('a call that is given up ends with the reason of who gave it up, once the other side has let go', async () => {
    let isEnded = false
    const silent = network({}, 'float32', {
      predict: (_, __, signal) =>
        new Promise((_resolve, reject) => {
          signal?.addEventListener('abort', () => {
            isEnded = true
            reject(signal.reason)
          })
        }),
    })
    const abort = new AbortController()
    const { model } = lent(silent)
    const call = model.predict(pictures(1), new Float64Array(2), abort.signal)
    setTimeout(() => abort.abort(new Error('enough')), 5)
    await expect(call).rejects.toThrow('enough')
    expect(isEnded).toBe(true)
    await expect(model.predict(pictures(1), new Float64Array(2), abort.signal)).rejects.toThrow('enough')
  })
})

test('a model that is no network cannot be lent', () => {
  const { preprocessing: _, ...bare } = network()
  expect(canBeProxied(network())).toBe(true)
  expect(canBeProxied(bare)).toBe(false)
  expect(() => modelProxy(modelFacts(bare), () => undefined)).toThrow('no network')
})
