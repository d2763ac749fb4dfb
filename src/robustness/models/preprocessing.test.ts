import { describe, expect, test } from 'vitest'
import { parseOptions } from '../../optimizer/core/options.ts'
import {
  chooseValue,
  completePreprocessing,
  mergePreprocessing,
  networkInput,
  type PreprocessingOption,
  preprocessingOption,
  type Sides,
  scoresPerImage,
} from './preprocessing.ts'

const color = { shape: { channels: 3, height: 2, width: 2 }, layout: 'NCHW', type: 'float32' } as const
const grey = { ...color, shape: { channels: 1, height: 2, width: 2 } }
const complete = (given: PreprocessingOption, input: Parameters<typeof completePreprocessing>[1] = color) =>
  completePreprocessing(given, input, 'a.onnx')

describe('pixels become factor pixel + shift', () => {
  test.each<[string, PreprocessingOption, number[], number[]]>([
    ['nothing said', {}, [1, 1, 1], [0, 0, 0]],
    ['bytes', { range: [0, 255] }, [255, 255, 255], [0, 0, 0]],
    ['from -1 to 1', { range: [-1, 1] }, [2, 2, 2], [-1, -1, -1]],
    ['inverted', { range: [1, 0] }, [-1, -1, -1], [1, 1, 1]],
    ['(byte - 128) / 128', { range: [0, 255], mean: 128, std: 128 }, [255 / 128, 255 / 128, 255 / 128], [-1, -1, -1]],
    ['by channel', { mean: [1, 2, 3], std: [1, 2, 4] }, [1, 0.5, 0.25], [-1, -1, -0.75]],
    [
      'by channel of a BGR network',
      { mean: [1, 2, 3], std: [1, 2, 4], channelOrder: 'BGR' },
      [0.25, 0.5, 1],
      [-0.75, -1, -1],
    ],
  ])('%s', (_, given, factor, shift) => {
    expect(complete(given)).toMatchObject({ factor, shift })
  })

  test('in bytes for a network that takes bytes, unless it is said otherwise', () => {
    expect(complete({}, { ...grey, type: 'uint8' })).toMatchObject({ range: [0, 255], factor: [255] })
    expect(complete({ range: [0, 1] }, { ...grey, type: 'uint8' })).toMatchObject({ factor: [1] })
    expect(complete({ range: undefined }, { ...grey, type: 'uint8' })).toMatchObject({ factor: [255] })
  })
})

test('what is left out has a default', () => {
  const { factor: _, shift: __, ...rest } = complete({})
  expect(rest).toEqual({
    shape: color.shape,
    layout: 'NCHW',
    range: [0, 1],
    mean: 0,
    std: 1,
    channelOrder: 'RGB',
    scores: 'logits',
    labelOffset: 0,
  })
})

describe('what does not fit the network is refused by file and field', () => {
  test.each<[PreprocessingOption, string]>([
    [{ range: [3, 3] }, 'a.onnx: preprocessing.range must have two different ends, got [3, 3]'],
    [
      { mean: [1, 2, 3] },
      'a.onnx: preprocessing.mean must be one number, or a list with one for each channel (1), got 3',
    ],
    [{ std: [1, 2] }, 'a.onnx: preprocessing.std must be one number, or a list with one for each channel (1), got 2'],
    [{ channelOrder: 'BGR' }, 'a.onnx: preprocessing.channelOrder BGR needs 3 channels, the images have 1'],
  ])('%o', (given, message) => {
    expect(() => complete(given, grey)).toThrow(message)
  })
})

test('the option wins over the file, and what is undefined says nothing', () => {
  const merged = mergePreprocessing({ mean: 1, std: 2 }, { mean: 3, std: undefined, range: [0, 255] })
  expect(merged).toEqual({ mean: 3, std: 2, range: [0, 255] })
})

describe('options are checked by name', () => {
  test.each<[object, string]>([
    [{ range: [0] }, 'p.range must hold 2 entries, got Array(1)'],
    [{ std: 0 }, 'p.std must be above 0, got 0'],
    [{ std: [1, -1, 1] }, 'p.std.1 must be above 0, got -1'],
    [{ layout: 'CHW' }, 'p.layout must be one of "NCHW", "NHWC", got "CHW"'],
    [{ labelOffset: -1 }, 'p.labelOffset must be at least 0, got -1'],
    [{ shape: { channels: 1, height: 2 } }, 'p.shape.width is required (a number), got undefined'],
    [{ means: 1 }, 'p has no option means; did you mean mean?'],
    [JSON.parse('{"__proto__": {"mean": 1}}'), 'p has no option __proto__'],
  ])('%o', (given, message) => {
    expect(() => parseOptions('p', preprocessingOption, given)).toThrow(message)
  })
})

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

describe('the output that gives scores', () => {
  const label = { name: 'label', type: 'int64', sides: [undefined] }
  const scores = { name: 'probabilities', type: 'float32', sides: [undefined, 3] }
  const dictionary = { name: 'output_probability', type: 'no tensor', sides: [] }
  const chosen = (all: Parameters<typeof chooseValue>[0], name?: string) =>
    chooseValue(all, { kind: 'output', name, types: ['float32', 'int64'] }, 'a.onnx')

  test('is the only one that holds fractions, unless another is named', () => {
    expect(chosen([label, scores])).toEqual(scores)
    expect(chosen([label, scores], 'label')).toEqual(label)
    expect(() => chosen([scores, { ...scores, name: 'features' }])).toThrow(
      'a.onnx has 2 outputs (probabilities, features): choose one with the option output (--output)',
    )
  })

  test('cannot be a dictionary, as skl2onnx makes it: the error says how it is exported otherwise', () => {
    const hint = '; output_probability is not a tensor: if skl2onnx made it, export with zipmap=False'
    expect(() => chosen([label, dictionary])).toThrow(`choose one with the option output (--output)${hint}`)
    expect(() => chosen([label, dictionary], 'output_probability')).toThrow(`supported are float32, int64${hint}`)
  })
})

describe('pixels in a row', () => {
  test('may have further sides of length 1, which are kept', () => {
    const digits = { shape: [1, 28, 28], layout: 'NCHW' }
    expect(fitted([1, 784, 1], shape(1, 28, 28))).toEqual({ ...digits, fixedBatch: 1, tensor: [1, 784, 1] })
    expect(fitted([open, 1, 784], shape(1, 28, 28))).toEqual({ ...digits, fixedBatch: open, tensor: [5, 1, 784] })
    expect(fitted([open, 784, 1, 1], shape(1, 28, 28))).toEqual({ ...digits, fixedBatch: open, tensor: [5, 784, 1, 1] })
  })

  test('need a shape, which is said, and not a layout', () => {
    expect(() => fitted([1, 784, 1])).toThrow('takes [1, 784, 1]: preprocessing.shape must say which channels')
    expect(() => fitted([1, 784, 1], shape(1, 28, 29))).toThrow('preprocessing.shape 1x28x29 has 812 values')
  })

  test('are a line where the shape says so', () => {
    expect(fitted([1, 784, 1], shape(1, 784, 1)).shape).toEqual([1, 784, 1])
    expect(fitted([open, 1, 1, 784]).shape).toEqual([1, 1, 784])
  })
})

describe('scores', () => {
  test.each<[string, Sides, number | undefined, number | undefined]>([
    ['in a row', [open, 10], open, 10],
    ['with further sides of length 1', [open, 1000, 1, 1], open, 1000],
    ['of the only image', [10], 1, 10],
    ['of open length', [open, open], open, undefined],
  ])('%s are as many as they are', (_, sides, fixedBatch, count) => {
    expect(scoresPerImage(sides, fixedBatch, 'a.onnx')).toBe(count)
  })

  test('in several sides are what a detector gives, and refused', () => {
    expect(() => scoresPerImage([1, 125, 13, 13], 1, 'a.onnx: the output "grid"')).toThrow(
      'a.onnx: the output "grid" has the sides [1, 125, 13, 13]: a classifier gives one row of scores for each image',
    )
  })
})
