import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Dataset } from '../images/dataset.ts'
import { measureAccuracy, spreadSample } from './accuracy.ts'
import { linearModel } from './linear.ts'
import type { Model } from './model.ts'
import { networkModel } from './network-model.ts'
import { completePreprocessing, type PreprocessingOption } from './preprocessing.ts'

describe('accuracy', () => {
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
        'the accuracy is 0 % on 100 images, no better than chance (10 %): with labels lower by one it would be 100 % on 32 images; change the labels',
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
      /^the accuracy is [\d.]+ % on 200 images, no better than chance \(10 %\): check the preprocessing, the labels/,
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
      expect(warnings).toEqual([
        'all scores lie between 0 and 1 and sum to 1: set preprocessing.scores to probabilities',
      ])
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
})

describe('accuracy-diagnosis', () => {
  const shape = { channels: 1, height: 1, width: 2 }

  /** Pixels that tell the class: as a byte, 25.5 times the class and a half. */
  const shades = (labels: readonly number[]): Dataset => ({
    name: 'shades',
    count: labels.length,
    title: String,
    label: (index) => labels[index],
    read: async (index) => ({ shape, pixels: Float32Array.of(((labels[index] as number) + 0.5) / 10, 1) }),
  })

  /** A model of ten classes that says this to the first value it is fed. */
  const modelThatSays = (answer: (value: number) => number): Model => ({
    shape,
    classes: 10,
    scores: 'probabilities',
    bounds: { lower: 0, upper: 1 },
    batch: 16,
    runtime: 'test',
    warnings: [],
    predict(images, into) {
      const pixels = new Float64Array(2)
      for (let row = 0; row < images.rows; row++) {
        images.write(row, pixels)
        into[row * 10 + answer(pixels[0] as number)] = 1
      }
    },
    close: () => undefined,
  })

  const made = modelThatSays((value) => Math.min(9, Math.max(0, Math.floor(value / 25.5))))

  /** As many images of each class, one class after the other. */
  const sortedFrom = (first: number, each = 40) =>
    Array.from({ length: 10 * each }, (_, i) => (first + Math.floor(i / each)) % 10)

  const unknown = 'check the preprocessing, the labels and the size of the images'

  describe('images sorted by class', () => {
    test.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])('get the same, right advice if class %i comes first', async (first) => {
      const { warnings } = await measureAccuracy(made, shades(sortedFrom(first)))
      expect(warnings).toEqual([
        'the accuracy is 10 % on 400 images, no better than chance (10 %): with range [0, 255] it would be 100 % on 32 images; change preprocessing.range',
      ])
    })

    test('are looked at only as far as they were wanted', async () => {
      const read = new Set<number>()
      const set = shades(sortedFrom(3))
      const watched = async (index: number) => {
        read.add(index)
        return set.read(index)
      }
      await measureAccuracy(made, { ...set, read: watched }, { count: 90 })
      expect(Math.max(...read)).toBe(89)
    })
  })

  describe('no advice is given', () => {
    test.each(Array.from({ length: 10 }, (_, k) => k))('where the model always says %i', async (k) => {
      const { warnings } = await measureAccuracy(
        modelThatSays(() => k),
        shades(sortedFrom(k)),
      )
      expect(warnings).toEqual([expect.stringContaining(unknown)])
    })

    test('where always saying the same would be right as often', async () => {
      // Fed as bytes it always says 4, as nearly all images are labelled.
      const model = modelThatSays((value) => (value > 1 ? 4 : 7))
      const { warnings } = await measureAccuracy(model, shades([...new Array(60).fill(4), 2, 3]))
      expect(warnings).toEqual([expect.stringContaining(unknown)])
    })

    test('where all images are of one class, and no more queries are asked', async () => {
      let rows = 0
      const counted = {
        ...made,
        predict: (...given: Parameters<Model['predict']>) => {
          rows += given[0].rows
          return made.predict(...given)
        },
      }
      const { warnings } = await measureAccuracy(counted, shades(new Array(40).fill(6)))
      expect(warnings).toEqual([expect.stringContaining(unknown)])
      expect(rows).toBe(40)
    })

    test('where three images are too few to tell', async () => {
      const { warnings } = await measureAccuracy(made, shades([1, 2, 3]))
      expect(warnings).toEqual([expect.stringContaining(unknown)])
    })

    test('to count labels otherwise, where some would then belong to no class', async () => {
      // Right for all classes but the first if they counted from one; but there is a class 0.
      const model = modelThatSays((value) => Math.max(0, Math.round(10 * value - 0.5) - 1))
      const { warnings } = await measureAccuracy(model, shades(sortedFrom(0)))
      expect(warnings.join()).not.toContain('lower by one')
    })

    test('where the model is often wrong and nothing else is clearly better', async () => {
      // Right for classes 0 to 3, however it is fed.
      const model = modelThatSays((value) =>
        Math.min(3, Math.floor(value > 1 ? value / 25.5 : 10 * Math.max(0, value))),
      )
      const { accuracy, warnings } = await measureAccuracy(model, shades(sortedFrom(0)))
      expect(accuracy).toBe(0.4)
      expect(warnings).toEqual([])
    })
  })

  test('takes as many of each class, from the front to the back, however the set is sorted', () => {
    const sorted = Array.from({ length: 100 }, (_, i) => Math.floor(i / 25))
    expect(spreadSample(sorted, 8)).toEqual([6, 18, 31, 43, 56, 68, 81, 93])
    const mixed = Array.from({ length: 100 }, (_, i) => i % 4)
    expect(spreadSample(mixed, 8).map((index) => mixed[index])).toEqual([0, 1, 2, 3, 0, 1, 2, 3])
  })

  test('fills up from large classes where small ones are used up', () => {
    expect(spreadSample([1, 0, 0, 0, 0, 0, 0, undefined], 5)).toEqual([0, 1, 3, 4, 6])
  })

  test('spreads over the classes where there are more of them than images wanted', () => {
    const labels = Array.from({ length: 1000 }, (_, i) => 999 - i)
    expect(spreadSample(labels, 4).map((index) => labels[index])).toEqual([875, 625, 375, 125])
  })

  test('takes everything there is, once, and nothing else', () => {
    const label = fc.option(fc.nat(5), { nil: undefined })
    fc.assert(
      fc.property(fc.array(label, { maxLength: 60 }), fc.nat(40), (labels, size) => {
        const taken = spreadSample(labels, size)
        const labelled = labels.filter((each) => each !== undefined).length
        expect(taken).toHaveLength(Math.min(size, labelled))
        expect(new Set(taken).size).toBe(taken.length)
        expect(taken.every((index) => labels[index] !== undefined)).toBe(true)
        const counts = labels.map((each) => taken.filter((index) => labels[index] === each).length)
        const sizes = labels.map((each) => labels.filter((other) => other === each).length)
        const most = Math.max(0, ...counts.filter((_, i) => labels[i] !== undefined))
        labels.forEach((each, i) => {
          if (each === undefined || size < 6) return
          expect(counts[i]).toBeGreaterThanOrEqual(Math.min(most - 1, sizes[i] as number))
        })
      }),
    )
  })
})
