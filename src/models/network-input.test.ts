import { describe, expect, test } from 'vitest'
import { networkInput, type Sides } from './network-input.ts'
import type { PreprocessingOption } from './preprocessing.ts'

const open = undefined
const fitted = (sides: Sides, given: PreprocessingOption = {}) => {
  const { shape, layout, fixedBatch, sides: sidesOf } = networkInput(sides, given, 'a.onnx: the input "x"')
  return { shape: [shape.channels, shape.height, shape.width], layout, fixedBatch, tensor: sidesOf(fixedBatch ?? 5) }
}
const shape = (channels: number, height: number, width: number) => ({ shape: { channels, height, width } })

describe('images fit', () => {
  test.each<[string, Sides, PreprocessingOption, ReturnType<typeof fitted>]>([
    [
      'channels first',
      [open, 3, 8, 9],
      {},
      { shape: [3, 8, 9], layout: 'NCHW', fixedBatch: open, tensor: [5, 3, 8, 9] },
    ],
    [
      'channels last',
      [open, 8, 9, 3],
      {},
      { shape: [3, 8, 9], layout: 'NHWC', fixedBatch: open, tensor: [5, 8, 9, 3] },
    ],
    [
      'one at a time',
      [1, 1, 28, 28],
      {},
      { shape: [1, 28, 28], layout: 'NCHW', fixedBatch: 1, tensor: [1, 1, 28, 28] },
    ],
    ['four at a time', [4, 9, 9, 1], {}, { shape: [1, 9, 9], layout: 'NHWC', fixedBatch: 4, tensor: [4, 9, 9, 1] }],
    [
      'a size that the user says',
      [open, 3, open, open],
      shape(3, 8, 9),
      { shape: [3, 8, 9], layout: 'NCHW', fixedBatch: open, tensor: [5, 3, 8, 9] },
    ],
    [
      'a size that the user says, channels last',
      [open, open, open, 3],
      shape(3, 8, 9),
      { shape: [3, 8, 9], layout: 'NHWC', fixedBatch: open, tensor: [5, 8, 9, 3] },
    ],
    [
      'four channels that the user says',
      [open, 4, 8, 9],
      shape(4, 8, 9),
      { shape: [4, 8, 9], layout: 'NCHW', fixedBatch: open, tensor: [5, 4, 8, 9] },
    ],
    [
      'a layout that the user says',
      [open, 3, 3, 3],
      { layout: 'NHWC' },
      { shape: [3, 3, 3], layout: 'NHWC', fixedBatch: open, tensor: [5, 3, 3, 3] },
    ],
    ['no side for the images', [3, 8, 9], {}, { shape: [3, 8, 9], layout: 'NCHW', fixedBatch: 1, tensor: [3, 8, 9] }],
    [
      'no side for them, channels last',
      [8, 9, 3],
      {},
      { shape: [3, 8, 9], layout: 'NHWC', fixedBatch: 1, tensor: [8, 9, 3] },
    ],
    [
      'grey without channels',
      [open, 8, 9],
      {},
      { shape: [1, 8, 9], layout: 'NCHW', fixedBatch: open, tensor: [5, 8, 9] },
    ],
    ['sixteen of them', [16, 8, 9], {}, { shape: [1, 8, 9], layout: 'NCHW', fixedBatch: 16, tensor: [16, 8, 9] }],
    [
      'all pixels in a row',
      [open, 72],
      shape(1, 8, 9),
      { shape: [1, 8, 9], layout: 'NCHW', fixedBatch: open, tensor: [5, 72] },
    ],
    ['one row', [72], shape(1, 8, 9), { shape: [1, 8, 9], layout: 'NCHW', fixedBatch: 1, tensor: [72] }],
  ])('%s', (_, sides, given, expected) => {
    expect(fitted(sides, given)).toEqual(expected)
  })
})

describe('what does not fit is refused', () => {
  test.each<[string, Sides, PreprocessingOption, string]>([
    [
      'an open size',
      [open, 3, open, open],
      {},
      'takes [?, 3, ?, ?]: preprocessing.shape must say the size, the network leaves height and width open',
    ],
    ['another size', [open, 3, 8, 8], shape(3, 9, 9), 'takes [?, 3, 8, 8]: preprocessing.shape 3x9x9 does not fit'],
    ['another size in a known layout', [open, 3, 8, 8], { ...shape(3, 9, 9), layout: 'NCHW' }, 'the network has 3x8x8'],
    [
      'channels anywhere',
      [open, 4, 4, 4],
      {},
      'set preprocessing.layout to NCHW (channels first) or NHWC (channels last)',
    ],
    ['channels on both sides', [open, 3, 8, 3], {}, 'set preprocessing.layout'],
    ['nothing known', [open, open, open, open], shape(3, 8, 8), 'set preprocessing.layout'],
    [
      'a row of unknown meaning',
      [open, 72],
      {},
      'preprocessing.shape must say which channels, height and width that is',
    ],
    ['a row of another length', [open, 72], shape(1, 8, 8), 'preprocessing.shape 1x8x8 has 64 values'],
    ['a video', [open, 3, 8, 8, 8], {}, 'images have 1 to 4 sides here'],
    ['a number', [], {}, 'takes []: images have 1 to 4 sides here'],
  ])('%s', (_, sides, given, message) => {
    expect(() => fitted(sides, given)).toThrow(message)
    expect(() => fitted(sides, given)).toThrow(/^a\.onnx: the input "x" takes \[/)
  })
})
