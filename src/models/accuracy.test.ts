import { describe, expect, test } from 'vitest'
import type { Dataset } from '../datasets/dataset.ts'
import { measureAccuracy } from './accuracy.ts'
import { linearModel } from './linear.ts'
import { networkModel } from './network-model.ts'
import { completePreprocessing, type PreprocessingOption } from './preprocessing.ts'

const color = { channels: 3, height: 1, width: 2 }
const grey = { channels: 1, height: 1, width: 2 }

/** How red, or how bright, the images of a class are. */
const shadeOf = (label: number) => (label + 0.5) / 10

/** Labelled images of ten classes, blue and green without meaning. */
function shades(count: number, shape = color, change: Partial<Dataset> = {}): Dataset {
  const label = (index: number) => (index * 7) % 10
  return {
    name: 'shades',
    count,
    title: (index) => `image ${index}`,
    label,
    async read(index) {
      const red = shadeOf(label(index))
      const pixels = [red - 0.01, red + 0.01, 0.5, (index % 9) / 9, 1 - red, 0.1].slice(0, 2 * shape.channels)
      return { shape, pixels: Float32Array.from(pixels) }
    },
    ...change,
  }
}

interface NetworkOptions {
  readonly wants?: PreprocessingOption
  readonly told?: PreprocessingOption
  readonly shape?: typeof color
  readonly probabilities?: boolean
}

/** A network that knows the ten shades if it is fed as it wants, and is told how by a user who may be wrong. */
function network({ wants = {}, told = wants, shape = color, probabilities = false }: NetworkOptions) {
  const complete = (option: PreprocessingOption) =>
    completePreprocessing(option, { shape, layout: 'NCHW', type: 'float32' }, 'network')
  const { factor, shift, channelOrder, labelOffset } = complete(wants)
  const redAt = channelOrder === 'BGR' ? 4 : 0
  const size = 2 * shape.channels
  const data = new Float32Array(16 * size)
  const scoresOf = (row: number): number[] => {
    const value = ((data[row * size + redAt] as number) + (data[row * size + redAt + 1] as number)) / 2
    const red = (value - (shift[0] as number)) / (factor[0] as number)
    const distances = Array.from({ length: 10 }, (_, k) => -100 * Math.abs(red - shadeOf(k)))
    const scores = [...new Array<number>(labelOffset).fill(-9e9), ...distances]
    const powers = scores.map((each) => Math.exp(each - Math.max(...scores)))
    const sum = powers.reduce((total, each) => total + each, 0)
    return probabilities ? powers.map((each) => each / sum) : scores
  }
  return networkModel({
    type: 'float32',
    name: 'network',
    preprocessing: complete(told),
    outputs: 10 + labelOffset,
    batch: 16,
    runtime: 'test',
    warnings: [],
    places: [{ data, run: async (count) => Array.from({ length: count }, (_, row) => scoresOf(row)).flat() }],
    release: async () => undefined,
  })
}

test('accuracy is the share of images whose class has the highest score', async () => {
  const progress: unknown[] = []
  const onProgress = (done: number, total: number) => progress.push([done, total])
  const result = await measureAccuracy(network({}), shades(150), { onProgress })
  expect(result).toMatchObject({ accuracy: 1, correct: 150, count: 150, warnings: [] })
  expect(Array.from(result.predictions.subarray(0, 4))).toEqual([0, 7, 4, 1])
  expect(progress).toEqual([
    [64, 150],
    [128, 150],
    [150, 150],
  ])
})

test('only as many images are read as wanted, and those without a label do not count', async () => {
  const half = shades(100, color, { label: (index) => (index % 2 === 0 ? (index * 7) % 10 : undefined) })
  const result = await measureAccuracy(network({}), half, { count: 51 })
  expect(result).toMatchObject({ accuracy: 1, correct: 26, count: 26 })
  expect(result.predictions).toHaveLength(51)
})

describe('a mistake in the preprocessing is found and named', () => {
  const imagenet = { mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225] }
  test.each<[string, NetworkOptions, string]>([
    [
      'bytes wanted',
      { wants: { range: [0, 255] }, told: {} },
      'with range [0, 255] it would be 100 % on 32 images; change preprocessing.range',
    ],
    ['0 to 1 wanted', { wants: {}, told: { range: [0, 255] } }, 'with range [0, 1] it would be 100 %'],
    ['-1 to 1 wanted', { wants: { range: [-1, 1] }, told: {} }, 'with range [-1, 1] it would be 100 %'],
    ['inverted', { wants: {}, told: { range: [1, 0] }, shape: grey }, 'with range [0, 1] it would be 100 %'],
    [
      'ImageNet wanted',
      { wants: imagenet, told: {} },
      'with mean [0.485, 0.456, 0.406], std [0.229, 0.224, 0.225] it would be',
    ],
    [
      'bytes wanted, ImageNet told',
      { wants: { range: [0, 255] }, told: imagenet },
      'with range [0, 255], mean 0, std 1 it would be 100 % on 32 images; change preprocessing.range, preprocessing.mean, preprocessing.std',
    ],
    ['BGR wanted', { wants: { channelOrder: 'BGR' }, told: {} }, 'with channelOrder BGR it would be 100 %'],
    ['RGB wanted', { wants: {}, told: { channelOrder: 'BGR' } }, 'with channelOrder RGB it would be 100 %'],
    [
      'BGR bytes wanted',
      { wants: { channelOrder: 'BGR', range: [0, 255] }, told: {} },
      'with range [0, 255], channelOrder BGR it would be 100 %',
    ],
    [
      'a dummy class',
      { wants: { labelOffset: 1 }, told: {} },
      'with labelOffset 1 it would be 100 % on 32 images; change preprocessing.labelOffset',
    ],
    [
      'a dummy class and bytes',
      { wants: { labelOffset: 1, range: [0, 255] }, told: {} },
      'with range [0, 255], labelOffset 1 it would be 100 %',
    ],
    ['one dummy too many', { wants: { labelOffset: 1 }, told: { labelOffset: 2 } }, 'with labelOffset 1 it would be'],
  ])('%s', async (_, options, cure) => {
    const { warnings } = await measureAccuracy(network(options), shades(100, options.shape))
    const said = warnings.filter((each) => /^the accuracy is [\d.]+ % on 100 images/.test(each))
    expect(said).toEqual([expect.stringContaining(cure)])
  })

  test('labels that count from one', async () => {
    const fromOne = shades(100, color, { label: (index) => ((index * 7) % 10) + 1 })
    const { accuracy, warnings } = await measureAccuracy(network({}), fromOne)
    expect(accuracy).toBe(0)
    expect(warnings).toContain(
      'the accuracy is 0 % on 100 images, hardly better than chance (10 %): with labels lower by one it would be 100 % on 32 images; change the labels',
    )
    expect(warnings).toContain('image 7 has the label 10, but the model has 10 classes, counted from 0')
  })

  test('also where the model says nothing about its preprocessing', async () => {
    const weights = Array.from({ length: 10 }, (_, k) => [k / 255, 0])
    const bias = Array.from({ length: 10 }, (_, k) => -(k * k) / 20)
    const model = await linearModel({ shape: grey, weights, bias }).open()
    const { warnings } = await measureAccuracy(model, shades(100, grey))
    expect(warnings[0]).toContain('with range [0, 255] it would be')
  })
})

test('where nothing helps, chance is called chance', async () => {
  const random = shades(200, color, { label: (index) => (Math.imul(index + 1, 2654435761) >>> 0) % 10 })
  const { warnings } = await measureAccuracy(network({}), random)
  expect(warnings).toHaveLength(1)
  expect(warnings[0]).toMatch(
    /^the accuracy is [\d.]+ % on 200 images, hardly better than chance \(10 %\): check the preprocessing, the labels/,
  )
})

test('nothing more is asked where that was not wanted, or where the model is mostly right', async () => {
  for (const [told, diagnose] of [
    [{}, false],
    [{ range: [0, 255] }, true],
  ] as const) {
    const model = network({ wants: { range: [0, 255] }, told: told as PreprocessingOption })
    let images = 0
    const predict: typeof model.predict = (rows, ...rest) => {
      images += rows.rows
      return model.predict(rows, ...rest)
    }
    await measureAccuracy({ ...model, predict }, shades(50), { diagnose })
    expect(images).toBe(50)
  }
})

describe('odd images and scores are noticed', () => {
  const reading = (pixels: number[]) => ({ read: async () => ({ shape: color, pixels: Float32Array.from(pixels) }) })

  test('pixels that are bytes', async () => {
    const { warnings } = await measureAccuracy(network({}), shades(3, color, reading([0, 255, 3, 4, 5, 6])), {
      diagnose: false,
    })
    expect(warnings).toEqual([
      "image 0 has pixels from 0 to 255, outside of the model's 0 to 1: bytes must be divided by 255",
    ])
  })

  test('images of one color', async () => {
    const { warnings } = await measureAccuracy(network({}), shades(3, color, reading(new Array(6).fill(0.5))), {
      diagnose: false,
    })
    expect(warnings).toEqual(['all images are of one color: they were probably not read well'])
  })

  test('scores that are called probabilities and are none', async () => {
    const told = { scores: 'probabilities' } as const
    const { warnings } = await measureAccuracy(network({ told }), shades(30))
    expect(warnings).toEqual([
      expect.stringMatching(
        /^the scores of image 0 sum to .*, so they are no probabilities: set preprocessing.scores to logits$/,
      ),
    ])
  })

  test('scores that are probabilities and are not called so', async () => {
    const { warnings } = await measureAccuracy(network({ probabilities: true }), shades(30))
    expect(warnings).toEqual(['all scores lie between 0 and 1 and sum to 1: set preprocessing.scores to probabilities'])
    const told = { scores: 'probabilities' } as const
    expect((await measureAccuracy(network({ probabilities: true, told }), shades(30))).warnings).toEqual([])
  })

  test('another number of classes', async () => {
    const { warnings } = await measureAccuracy(network({}), shades(30, color, { classNames: ['dark', 'bright'] }))
    expect(warnings).toEqual(['the data set has 2 classes and the model 10: a label may not mean the same to both'])
  })

  test('images of another size are refused by name', async () => {
    await expect(measureAccuracy(network({}), shades(3, grey))).rejects.toThrow(
      'image 0 of shades is 1x1x2, but the model takes 3x1x2',
    )
  })
})

test('a signal stops it', async () => {
  const controller = new AbortController()
  const reason = new Error('enough')
  const onProgress = () => controller.abort(reason)
  await expect(measureAccuracy(network({}), shades(200), { signal: controller.signal, onProgress })).rejects.toBe(
    reason,
  )
})

test('without labels there is no accuracy, only predictions', async () => {
  const result = await measureAccuracy(network({}), shades(3, color, { label: () => undefined }))
  expect(result).toMatchObject({ accuracy: Number.NaN, correct: 0, count: 0, warnings: [] })
  expect(Array.from(result.predictions)).toEqual([0, 7, 4])
})
