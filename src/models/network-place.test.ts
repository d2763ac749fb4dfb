import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Vector } from '../core/types.ts'
import { networkInput } from './network-input.ts'
import { breathing, networkPlace, placeData, tensorWriter } from './network-place.ts'
import { completePreprocessing, type Layout, type PreprocessingOption, type TensorData } from './preprocessing.ts'

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
    await breathing(tensorWriter(preprocessing), preprocessing)(own, 1, 4, slowly, () => void looks++)
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
