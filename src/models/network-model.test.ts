import { describe, expect, test } from 'vitest'
import { ZerothError } from '../core/errors.ts'
import type { Vector } from '../core/types.ts'
import { type NetworkParts, networkModel } from './network-model.ts'
import type { NetworkPlace } from './network-place.ts'
import { completePreprocessing } from './preprocessing.ts'

const shape = { channels: 1, height: 1, width: 1 }
const images = (rows: number) => ({
  rows,
  write: (row: number, into: Vector, offset = 0) => void into.fill(row, offset, offset + 1),
})

/** A network that gives for a pixel p the scores -1, p and 10 p, in places that note how many images they are given. */
function network(places: number, options: Partial<NetworkParts> = {}, run?: NetworkPlace['run']) {
  const calls: number[] = []
  const make = (): NetworkPlace => {
    const data = new Float32Array(4)
    const compute = async (count: number) => Array.from(data.subarray(0, count)).flatMap((p) => [-1, p, 10 * p])
    return { data, run: (count, signal) => (calls.push(count), (run ?? compute)(count, signal)) }
  }
  const model = networkModel({
    type: 'float32',
    name: 'a.onnx',
    preprocessing: completePreprocessing({ labelOffset: 1 }, { shape, layout: 'NCHW', type: 'float32' }, 'a'),
    outputs: 3,
    batch: 4,
    runtime: 'test',
    warnings: [],
    places: Array.from({ length: places }, make),
    release: async () => undefined,
    ...options,
  })
  return { model, calls }
}

async function scores(model: ReturnType<typeof networkModel>, rows: number): Promise<number[]> {
  const into = new Float64Array(rows * 2)
  await model.predict(images(rows), into)
  return Array.from(into)
}

test('dummy classes are skipped and not counted', async () => {
  const { model } = network(1)
  expect(model.classes).toBe(2)
  expect(await scores(model, 3)).toEqual([0, 0, 1, 10, 2, 20])
})

describe('as few calls as possible, about equally long', () => {
  test.each([
    [1, 3, [3]],
    [1, 4, [4]],
    [1, 5, [3, 2]],
    [1, 9, [3, 3, 3]],
    [2, 3, [2, 1]],
    [2, 9, [3, 3, 3]],
    [3, 11, [4, 4, 3]],
    [3, 1, [1]],
  ])('with %i places, %i images are asked as %o', async (places, rows, expected) => {
    const { model, calls } = network(places)
    expect(await scores(model, rows)).toEqual(Array.from({ length: rows }, (_, i) => [i, 10 * i]).flat())
    expect(calls).toEqual(expected)
  })
})

test('images that come while some places are busy are shared out among those that are free', async () => {
  let finish = (): void => undefined
  const all = new Promise<void>((resolve) => (finish = resolve))
  const { model, calls } = network(3, {}, async (count) => {
    await all
    return new Array(3 * count).fill(5)
  })
  const first = scores(model, 1)
  const second = scores(model, 4)
  const third = scores(model, 3)
  finish()
  await Promise.all([first, second, third])
  // One is busy with a single image, two take two each; nothing is free for the last.
  expect(calls).toEqual([1, 2, 2, 3])
})

describe('when a call fails', () => {
  const failing = (retryable: boolean) => async (count: number) => {
    if (count === 4) throw new ZerothError('query-failed', 'broken', { retryable })
    return new Array(3 * count).fill(5)
  }

  test('for good, nothing more is asked', async () => {
    const { model, calls } = network(1, {}, failing(false))
    await expect(scores(model, 12)).rejects.toThrow('broken')
    expect(calls).toEqual([4])
  })

  test('for now, the other images get their scores', async () => {
    const { model, calls } = network(1, {}, failing(true))
    const into = new Float64Array(22).fill(-7)
    await expect(model.predict(images(11), into)).rejects.toThrow('broken')
    expect(calls).toEqual([4, 4, 3])
    expect(Array.from(into)).toEqual([...new Array(16).fill(-7), ...new Array(6).fill(5)])
  })

  test('the place is free again', async () => {
    const { model } = network(1, {}, failing(false))
    await expect(scores(model, 4)).rejects.toThrow('broken')
    expect(await scores(model, 1)).toEqual([5, 5])
  })

  test('or gives too few scores, that is said', async () => {
    const { model } = network(1, {}, async () => [1, 2])
    await expect(scores(model, 2)).rejects.toThrow(
      'a.onnx gave Array(2) where 3 scores for each of 2 images were wanted',
    )
  })
})

describe('closing', () => {
  test('waits for calls under way, refuses later ones, and lets go once', async () => {
    let finish = (_: number[]) => undefined as unknown
    let released = 0
    const release = async () => void released++
    const { model } = network(1, { release }, () => new Promise((resolve) => (finish = resolve)))
    const work = scores(model, 1)
    const waiting = scores(model, 1)
    const closed = model.close()
    await expect(scores(model, 1)).rejects.toThrow('a.onnx is closed')
    expect(released).toBe(0)
    finish([1, 2, 3])
    expect(await work).toEqual([2, 3])
    await expect(waiting).rejects.toThrow('a.onnx is closed')
    await closed
    await model.close()
    expect(released).toBe(1)
  })

  test('ends calls that can be ended', async () => {
    let fail = (_: Error) => undefined as unknown
    const interrupt = () => void fail(new Error('given up'))
    const { model } = network(1, { interrupt }, () => new Promise((_, reject) => (fail = reject)))
    const work = scores(model, 1)
    await Promise.resolve()
    await Promise.all([expect(work).rejects.toThrow('given up'), model.close()])
  })
})
