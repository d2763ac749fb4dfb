import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { linearNetwork } from '../../../test/networks/linear-network.ts'
import { ZerothError } from '../../optimizer/core/errors.ts'
import type { Vector } from '../../optimizer/core/types.ts'
import type { Dataset } from '../images/dataset.ts'
import { measureAccuracy } from './accuracy.ts'
import { type Model, withClassesOf } from './model.ts'
import {
  type NetworkParts,
  type NetworkPlace,
  networkModel,
  networkPlace,
  placeData,
  tensorWriter,
  yieldingWriter,
} from './network-model.ts'
import { onnxModel } from './onnx.ts'
import {
  completePreprocessing,
  type Layout,
  networkInput,
  type PreprocessingOption,
  type TensorData,
} from './preprocessing.ts'

describe('network-model', () => {
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
})

describe('network-place', () => {
  const ofFour = networkInput([4, 1, 1, 2], {}, 'a.onnx')

  test('calls of fewer images than the network takes are filled up with black, whatever was there before', async () => {
    const data = Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8)
    const place = networkPlace(ofFour, data, async (count) => Array.from(data.subarray(0, 2 * count), (x) => 10 * x))
    expect(Array.from(await place.run(3))).toEqual([10, 20, 30, 40, 50, 60])
    expect(Array.from(data)).toEqual([1, 2, 3, 4, 5, 6, 0, 0])
    expect(Array.from(await place.run(4))).toHaveLength(8)
  })

  test('memory is of the kind that the network takes, and shared where that is wanted', () => {
    const size = { name: 'a.onnx', type: 'float64', images: ofFour, batch: 4 } as const
    expect(placeData(size)).toEqual(new Float64Array(8))
    expect(placeData({ ...size, type: 'uint8' }, 'shared').buffer).toBeInstanceOf(SharedArrayBuffer)
    expect(placeData({ ...size, type: 'float32' }, 'kernels')).toEqual(new Float32Array(8))
    expect(placeData(size, 'kernels')).toEqual(new Float64Array(8))
    expect(() => placeData({ ...size, batch: 1e9 })).toThrow('a.onnx with 1000000000 images of 1x1x2 at a time needs')
  })

  /** Row r has the pixels r + 0.01, r + 0.02, ... */
  const images = (rows: number, size: number) => ({
    rows,
    write(row: number, into: Vector, offset = 0) {
      for (let i = 0; i < size; i++) into[offset + i] = row + (i + 1) / 100
    },
  })

  interface Case extends PreprocessingOption {
    readonly channels: number
    readonly height: number
    readonly width: number
    readonly layout: Layout
  }

  function writer({ channels, height, width, layout, ...given }: Case) {
    const shape = { channels, height, width }
    return tensorWriter(completePreprocessing(given, { shape, layout, type: 'float32' }, 'a'))
  }

  function written(each: Case, first: number, count: number, data: TensorData): number[] {
    writer(each)(images(first + count, each.channels * each.height * each.width), first, count, data)
    return Array.from(data)
  }

  const tiny = { channels: 3, height: 1, width: 2 }

  test('rows go straight into the tensor where layout and order are ours', () => {
    const data = new Float64Array(6)
    const seen: unknown[] = []
    const own = { rows: 1, write: (_: number, into: Vector, offset?: number) => void seen.push(into, offset) }
    writer({ ...tiny, layout: 'NCHW' })(own, 0, 1, data)
    expect(seen[0]).toBe(data)
    expect(seen[1]).toBe(0)
  })

  describe('rows that can be written two at a time', () => {
    const pairs = (rows: number, isPossible: (row: number) => boolean) => {
      const seen: string[] = []
      const plain = images(rows, 6)
      const write: typeof plain.write = (row, into, offset) => {
        seen.push(`${row}`)
        plain.write(row, into, offset)
      }
      const writeTwo = (row: number, into: Vector, offset: number): boolean => {
        if (!isPossible(row)) return false
        seen.push(`${row}+${row + 1}`)
        for (const i of [0, 1]) plain.write(row + i, into, offset + 6 * i)
        return true
      }
      return { seen, images: { rows, write, writeTwo } }
    }

    test('are, where both are wanted and possible, and scaled as others are', () => {
      const each = { ...tiny, layout: 'NCHW', range: [0, 100], mean: [0, 3, 6] } as Case
      const { seen, images } = pairs(8, (row) => row !== 3)
      const data = new Float64Array(6 * 6)
      writer(each)(images, 1, 6, data)
      expect(seen).toEqual(['1+2', '3', '4+5', '6'])
      expect(Array.from(data)).toEqual(written(each, 1, 6, new Float64Array(6 * 6)))
    })

    test('are the same a few at a time, with a look in between whether they are still wanted', async () => {
      const each = { shape: { channels: 1, height: 500, width: 1000 }, layout: 'NCHW', type: 'float32' } as const
      const preprocessing = completePreprocessing({}, each, 'a')
      const own = images(5, 500_000)
      const [slowly, atOnce] = [new Float32Array(4 * 500_000), new Float32Array(4 * 500_000)]
      let looks = 0
      await yieldingWriter(tensorWriter(preprocessing), preprocessing)(own, 1, 4, slowly, () => void looks++)
      tensorWriter(preprocessing)(own, 1, 4, atOnce)
      expect(looks).toBe(2)
      expect(Buffer.from(slowly.buffer).equals(Buffer.from(atOnce.buffer))).toBe(true)
    })
  })

  describe('the values and their places', () => {
    test.each<[string, Case, number[]]>([
      ['as they are', { ...tiny, layout: 'NCHW' }, [0.01, 0.02, 0.03, 0.04, 0.05, 0.06]],
      ['in bytes', { ...tiny, layout: 'NCHW', range: [0, 100] }, [1, 2, 3, 4, 5, 6]],
      [
        'by channel',
        { ...tiny, layout: 'NCHW', range: [0, 100], mean: [0, 3, 6], std: [1, 1, 2] },
        [1, 2, 0, 1, -0.5, 0],
      ],
      ['channels last', { ...tiny, layout: 'NHWC', range: [0, 100] }, [1, 3, 5, 2, 4, 6]],
      ['blue first', { ...tiny, layout: 'NCHW', range: [0, 100], channelOrder: 'BGR' }, [5, 6, 3, 4, 1, 2]],
      [
        'blue first, channels last',
        { ...tiny, layout: 'NHWC', range: [0, 100], channelOrder: 'BGR' },
        [5, 3, 1, 6, 4, 2],
      ],
      [
        'the mean of a BGR network is in its own order',
        { ...tiny, layout: 'NHWC', range: [0, 100], channelOrder: 'BGR', mean: [5, 3, 1] },
        [0, 0, 0, 1, 1, 1],
      ],
    ])('%s', (_, each, expected) => {
      const found = written(each, 0, 1, new Float64Array(6))
      found.forEach((value, i) => {
        expect(value).toBeCloseTo(expected[i] as number, 12)
      })
    })

    test('of several images from a row on, one after the other', () => {
      const each: Case = { channels: 1, height: 1, width: 2, layout: 'NHWC', range: [0, 100] }
      const found = written(each, 2, 3, new Float64Array(7).fill(-1))
      expect(found.map(Math.round)).toEqual([201, 202, 301, 302, 401, 402, -1])
    })

    test('bytes are rounded to the nearest and do not wrap around', () => {
      const each: Case = { channels: 1, height: 1, width: 4, layout: 'NCHW', range: [0, 100], mean: 0, std: 1 }
      const own = { rows: 1, write: (_: number, into: Vector) => into.set([-0.5, 0.016, 0.5, 3]) }
      const data = new Uint8Array(4)
      writer(each)(own, 0, 1, data)
      expect(Array.from(data)).toEqual([0, 2, 50, 255])
    })
  })

  test('any shape, layout and order: every value is factor pixel + shift at its place, to the bit', () => {
    const cases = fc.record({
      channels: fc.constantFrom(1, 2, 3, 5),
      height: fc.integer({ min: 1, max: 5 }),
      width: fc.integer({ min: 1, max: 5 }),
      layout: fc.constantFrom<Layout>('NCHW', 'NHWC'),
      isSwapped: fc.boolean(),
    })
    fc.assert(
      fc.property(cases, ({ isSwapped, ...shape }) => {
        const { channels, height, width, layout } = shape
        const channelOrder = isSwapped && channels === 3 ? 'BGR' : 'RGB'
        const mean = Array.from({ length: channels }, (_, i) => i / 7)
        const plane = height * width
        const size = channels * plane
        const found = written({ ...shape, channelOrder, mean, std: 0.3 }, 1, 2, new Float64Array(2 * size))
        for (let i = 0; i < 2 * size; i++) {
          const [row, channel, pixel] = [Math.floor(i / size), Math.floor((i % size) / plane), i % plane]
          const place = channelOrder === 'BGR' ? channels - 1 - channel : channel
          const at = row * size + (layout === 'NCHW' ? place * plane + pixel : pixel * channels + place)
          const value = row + 1 + ((i % size) + 1) / 100
          expect(found[at]).toBe(value * (1 / 0.3) + (0 - (mean[place] as number)) / 0.3)
        }
      }),
    )
  })

  test('rows that were prepared for the network are taken as they are, each for itself', () => {
    const ready = Float32Array.of(9, 8, 7, 6, 5, 4)
    const mixed = {
      ...images(3, 6),
      writeTensor(row: number, into: TensorData, offset: number) {
        if (row === 1) into.set(ready, offset)
        return row === 1
      },
    }
    for (const layout of ['NCHW', 'NHWC'] as const) {
      const data = new Float32Array(18)
      writer({ ...tiny, layout, range: [0, 2] })(mixed, 0, 3, data)
      const plain = new Float32Array(18)
      writer({ ...tiny, layout, range: [0, 2] })(images(3, 6), 0, 3, plain)
      expect(data.subarray(6, 12)).toEqual(ready)
      expect(data.subarray(0, 6)).toEqual(plain.subarray(0, 6))
      expect(data.subarray(12)).toEqual(plain.subarray(12))
    }
  })
})

describe('class-answers', () => {
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
})
