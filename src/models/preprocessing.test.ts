import { describe, expect, test } from 'vitest'
import { parseOptions } from '../core/parse-options.ts'
import {
  completePreprocessing,
  mergePreprocessing,
  type PreprocessingOption,
  preprocessingOption,
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
