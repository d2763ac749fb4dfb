import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Dataset } from '../images/dataset.ts'
import { encodePng, readImage } from '../images/image-file.ts'
import { toBytes } from '../images/pixels.ts'
import { measureAccuracy } from '../models/accuracy.ts'
import type { Model } from '../models/model.ts'
import {
  attackProblems,
  checkedWord,
  defaultRate,
  type EmbeddedModelOptions,
  type EmbeddedName,
  embeddedImages,
  embeddedModel,
  embeddedNames,
  parseRates,
  rateIn,
  readRates,
  tunedRate,
} from './embedded.ts'

describe('embedded-names', () => {
  const known = ['digits', 'cifar10'] as const

  test('passes a known word', () => {
    expect(checkedWord('the model', 'cifar10', known)).toBe('cifar10')
  })

  test.each([
    ['digit', '"digit"; did you mean digits?'],
    ['CIFAR-10', '"CIFAR-10"; did you mean cifar10?'],
    ['imagenet', '"imagenet"'],
    ['__proto__', '"__proto__"'],
    [undefined, 'undefined'],
    [7, '7'],
  ])('refuses %j and says what is known', (word, got) => {
    const message = `the model must be one of "digits", "cifar10", got ${got}`
    expect(() => checkedWord('the model', word, known)).toThrow(
      expect.objectContaining({ code: 'invalid-option', message }),
    )
  })
})

describe('embedded-model', () => {
  async function opened<T>(
    name: EmbeddedName,
    options: EmbeddedModelOptions,
    use: (model: Model) => Promise<T>,
  ): Promise<T> {
    const model = await embeddedModel(name, options).open()
    try {
      return await use(model)
    } finally {
      await model.close()
    }
  }

  async function scoresOf(model: Model, dataset: Dataset): Promise<Float32Array> {
    const images = await Promise.all(Array.from({ length: dataset.count }, (_, index) => dataset.read(index)))
    const scores = new Float32Array(images.length * model.classes)
    const write = (row: number, into: Float32Array | Float64Array, offset = 0) =>
      into.set(images[row]?.pixels ?? [], offset)
    await model.predict({ rows: images.length, write }, scores)
    return scores
  }

  describe.each([
    ['digits', 39, 129, [18, 62]],
    ['cifar10', 39, 117, [20, 49, 52, 57, 58, 59, 61, 68, 78, 95, 112, 125, 128, 147]],
  ] as const)('%s', (name, tuning, heldOut, mistaken) => {
    test(`is right on ${tuning} of 40 images for tuning and ${heldOut} of 130 held out`, async () => {
      const wrong: number[] = []
      const counts = await opened(name, {}, async (model) => {
        const correct: number[] = []
        for (const split of ['tuning', 'held-out'] as const) {
          const images = await embeddedImages(name, split)
          const { predictions, warnings, ...accuracy } = await measureAccuracy(model, images)
          predictions.forEach((each, i) => each === images.label(i) || wrong.push(Number(images.title(i))))
          expect(warnings).toEqual([])
          correct.push(accuracy.correct)
        }
        return correct
      })
      expect(counts).toEqual([tuning, heldOut])
      expect(wrong).toEqual(mistaken)
    })

    test('gives ten logits, not probabilities', async () => {
      const images = await embeddedImages(name)
      const scores = await opened(name, {}, async (model) => {
        expect(model).toMatchObject({ shape: images.shape, classes: 10, scores: 'logits', warnings: [] })
        return scoresOf(model, images)
      })
      expect(scores.every(Number.isFinite)).toBe(true)
      expect(Math.min(...scores)).toBeLessThan(-1)
      expect(Math.max(...scores)).toBeGreaterThan(5)
    })

    test('answers the same whatever else is in the call, and in threads of its own', async () => {
      const images = await embeddedImages(name, 'tuning')
      const ask = (options: EmbeddedModelOptions) => opened(name, options, (model) => scoresOf(model, images))
      const single = await ask({ batch: 1 })
      expect(await ask({})).toEqual(single)
      expect(await ask({ batch: 40 })).toEqual(single)
      expect(await ask({ sessions: 2, batch: 7 })).toEqual(single)
    })
  })

  test('passes its options on', async () => {
    await opened('digits', { batch: 3, sessions: 2 }, async ({ batch, runtime }) => {
      expect(batch).toBe(3)
      expect(runtime).toMatch(/^onnxruntime-node .*, 2 sessions of one thread$/)
    })
  })

  test.each([
    ['mnist', {}, 'the embedded model must be one of "digits", "cifar10", got "mnist"'],
    ['cifar', {}, 'the embedded model must be one of "digits", "cifar10", got "cifar"; did you mean cifar10?'],
    ['digits', { batch: 0 }, 'embeddedModel.batch must be at least 1, got 0'],
    ['digits', { sessions: 65 }, 'embeddedModel.sessions must be at most 64, got 65'],
    ['digits', { file: 'a.onnx' }, 'embeddedModel has no option file (known: batch, sessions, providers)'],
    ['digits', 4, 'embeddedModel takes an options object, got 4'],
  ])('%j with %j is refused before anything is read', (name, options, message) => {
    expect(() => embeddedModel(name as never, options as never)).toThrow(message)
  })
})

describe('embedded-images', () => {
  const indices = (count: number, from = 0) => Array.from({ length: count }, (_, i) => from + i)
  const titles = (set: Dataset) => indices(set.count).map((i) => set.title(i))
  const labels = (set: Dataset) => indices(set.count).map((i) => set.label(i))
  const folder = (name: string) => fileURLToPath(new URL(`../../../assets/${name}`, import.meta.url))

  describe.each(embeddedNames)('%s', (name) => {
    test('has 40 images for tuning and 130 others held out, the first 170 of the test set', async () => {
      const [tuning, heldOut] = [await embeddedImages(name, 'tuning'), await embeddedImages(name, 'held-out')]
      expect(titles(tuning)).toEqual(indices(40).map(String))
      expect(titles(heldOut)).toEqual(indices(130, 40).map(String))
      expect(tuning.name).toBe(`${name}, tuning (40 of 170 images)`)
      expect(heldOut.name).toBe(`${name}, held-out (130 of 170 images)`)
    })

    test('has no image twice, within a split or across them', async () => {
      const sets = [await embeddedImages(name, 'tuning'), await embeddedImages(name)]
      const images = await Promise.all(sets.flatMap((set) => indices(set.count).map((i) => set.read(i))))
      expect(new Set(images.map((image) => toBytes(image).join())).size).toBe(170)
    })

    test('gives those held out unless told otherwise', async () => {
      const byDefault = await embeddedImages(name)
      const heldOut = await embeddedImages(name, 'held-out')
      expect([byDefault.name, titles(byDefault), labels(byDefault)]).toEqual([
        heldOut.name,
        titles(heldOut),
        labels(heldOut),
      ])
    })

    test('has every class among those held out, and no other', async () => {
      const set = await embeddedImages(name)
      expect([...new Set(labels(set))].sort()).toEqual(indices(10))
      expect(set.classNames).toHaveLength(10)
    })

    test('has images that a PNG file holds without loss', async () => {
      const set = await embeddedImages(name)
      for (const index of [0, 64, 129]) {
        const image = await set.read(index)
        expect(await readImage(encodePng(image))).toEqual(image)
        expect(image.shape).toEqual(set.shape)
      }
    })

    test('refuses images that are not there', async () => {
      const set = await embeddedImages(name)
      await expect(set.read(130)).rejects.toThrow(
        `the data set ${name}, held-out (130 of 170 images) has images 0 to 129, asked for 130`,
      )
    })
  })

  test.each([
    ['digits', 1_000_000],
    ['cifar10', 2_000_000],
  ])('all that ships for %s is below %i bytes', (name, limit) => {
    const sizes = readdirSync(folder(name)).map((file) => statSync(join(folder(name), file)).size)
    expect(sizes).toHaveLength(name === 'digits' ? 7 : 6)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(limit)
  })

  describe('the digits', () => {
    test('begin with the labels of the MNIST test set', async () => {
      const set = await embeddedImages('digits', 'tuning')
      expect(labels(set).slice(0, 20)).toEqual([7, 2, 1, 0, 4, 1, 4, 9, 5, 9, 0, 6, 9, 0, 1, 5, 9, 7, 3, 4])
      expect(set.classNames).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
      expect(set.shape).toEqual({ channels: 1, height: 28, width: 28 })
    })

    test('look like their labels: the first is a seven', async () => {
      const { pixels } = await (await embeddedImages('digits', 'tuning')).read(0)
      // Every other pixel of every other row.
      const rows = indices(14).map((y) =>
        indices(14)
          .map((x) => ((pixels[56 * y + 2 * x] as number) > 0.3 ? '#' : '.'))
          .join(''),
      )
      expect(rows).toMatchInlineSnapshot(`
      [
        "..............",
        "..............",
        "..............",
        "..............",
        "...########...",
        "..........#...",
        ".........##...",
        ".........#....",
        "........#.....",
        "........#.....",
        ".......#......",
        "......##......",
        "......#.......",
        ".....##.......",
      ]
    `)
    })
  })

  describe('the color images', () => {
    test('begin with the labels of the CIFAR-10 test set', async () => {
      const set = await embeddedImages('cifar10', 'tuning')
      expect(labels(set).slice(0, 20)).toEqual([3, 8, 8, 0, 6, 6, 1, 6, 3, 1, 0, 9, 5, 7, 9, 8, 5, 7, 8, 6])
      expect([0, 1, 3, 4].map((i) => set.classNames?.[set.label(i) as number])).toEqual([
        'cat',
        'ship',
        'airplane',
        'frog',
      ])
      expect(set.shape).toEqual({ channels: 3, height: 32, width: 32 })
    })

    test('have their channels in order: the sea and the sky around a ship are blue', async () => {
      const { pixels } = await (await embeddedImages('cifar10', 'tuning')).read(2)
      const mean = (plane: number) =>
        pixels.subarray(1024 * plane, 1024 * (plane + 1)).reduce((sum, pixel) => sum + pixel, 0) / 1024
      expect([0, 1, 2].map((plane) => Math.round(255 * mean(plane)))).toEqual([121, 133, 144])
    })
  })

  test.each([
    [
      'digit',
      undefined,
      'the embedded image set must be one of "digits", "cifar10", got "digit"; did you mean digits?',
    ],
    ['digits', 'heldout', 'the split must be one of "held-out", "tuning", got "heldout"; did you mean held-out?'],
    [undefined, undefined, 'the embedded image set must be one of "digits", "cifar10", got undefined'],
  ])('%j with the split %j is refused', async (name, split, message) => {
    await expect(embeddedImages(name as never, split as never)).rejects.toMatchObject({
      code: 'invalid-option',
      message,
    })
  })
})

test('is the rate in the file of the classifier', () => {
  for (const name of embeddedNames) {
    for (const problem of attackProblems) {
      const rates = Object.entries(readRates(name)[problem])
      expect(rates).toHaveLength(4)
      expect(rates.map(([solver]) => tunedRate(name, problem, solver))).toEqual(
        rates.map(([, value]) => ({ value, decay: 'sqrt' })),
      )
    }
  }
})

test.each(['zo-sgd', 'no-such-solver', 'toString', ''])('there is none for %j under constraints', (solver) => {
  expect(tunedRate('digits', 'constrained', solver)).toBeUndefined()
})

test.each([
  ['digts', 'constrained', 'the embedded model must be one of "digits", "cifar10", got "digts"; did you mean digits?'],
  ['digits', 'constraint', 'the problem must be one of "constrained", "unconstrained", got "constraint"; did you mean'],
])('%s, %s is refused', (name, problem, message) => {
  expect(() => tunedRate(name as never, problem as never, 'zo-adamm')).toThrow(message)
})

const solvers = {
  constrained: ['zo-adamm', 'zo-psgd', 'zo-smd', 'zo-nes'],
  unconstrained: ['zo-adamm', 'zo-sgd', 'zo-sign-sgd', 'zo-scd'],
} as const
const pairs = attackProblems.flatMap((problem) => solvers[problem].map((solver) => [problem, solver] as const))
const paperDim = 268_203

describe.each(pairs)('%s %s', (problem, solver) => {
  const digits = tunedRate('digits', problem, solver)?.value
  const cifar10 = tunedRate('cifar10', problem, solver)?.value
  const rate = (dim: number) => defaultRate(problem, solver, dim)?.value as number

  test('is the tuned rate at the size of the embedded images', () => {
    expect([rate(784), rate(3072)]).toEqual([digits, cifar10])
  })

  test('does not change beyond the smallest and the largest size known', () => {
    expect([rate(1), rate(783)]).toEqual([digits, digits])
    expect(rate(1e9)).toBe(rate(paperDim))
  })

  test('lies on a straight line in logarithms between two sizes, to three digits', () => {
    const ends = [784, 3072, paperDim]
    fc.assert(
      fc.property(fc.integer({ min: 785, max: paperDim - 1 }), (dim) => {
        const at = dim < 3072 ? 0 : 1
        const [low, high] = [ends[at] as number, ends[at + 1] as number]
        const share = Math.log(dim / low) / Math.log(high / low)
        const expected = rate(low) ** (1 - share) * rate(high) ** share
        expect(Math.abs(rate(dim) / expected - 1)).toBeLessThan(0.00501)
        expect(rate(dim)).toBe(Number(rate(dim).toPrecision(3)))
      }),
    )
  })
})

test("at the paper's size the rates are the paper's", () => {
  expect(pairs.map(([problem, solver]) => defaultRate(problem, solver, paperDim))).toEqual(
    [0.01, 1e-4, 3e-4, 9e-3, 0.01, 5e-4, 0.01, 1e-3].map((value) => ({ value, decay: 'sqrt' })),
  )
})

test.each(['zo-sgd', 'my-own', 'constructor'])('there is none for %j under constraints', (solver) => {
  expect(defaultRate('constrained', solver, 1000)).toBeUndefined()
})

test.each([0, -1, 1.5, Number.NaN, Infinity, '784'])('the dimension %j is refused', (dim) => {
  expect(() => defaultRate('constrained', 'zo-adamm', dim as never)).toThrow(
    'the dimension must be a whole number above 0, got ',
  )
})

test('an unknown problem is refused', () => {
  expect(() => defaultRate('unconstraint' as never, 'zo-adamm', 10)).toThrow(
    'the problem must be one of "constrained", "unconstrained", got "unconstraint"; did you mean unconstrained?',
  )
})

const sound = { found: 'provisional', decay: 'sqrt', constrained: { 'zo-adamm': 0.05 }, unconstrained: {} }

describe('a file of rates', () => {
  test('says how they were found, with as much of the search as there is', () => {
    const full = { ...sound, found: 'a grid', search: { grid: [0.1, 0.2], seeds: { first: 1 }, note: null } }
    expect(parseRates(JSON.stringify(full), 'a.json')).toEqual(full)
    expect(parseRates(JSON.stringify(sound), 'a.json')).toEqual(sound)
  })

  test.each([
    ['{', /^a\.json is not JSON: /],
    ['[]', 'a.json takes an options object, got Array(0)'],
    [JSON.stringify({ ...sound, found: '' }), 'a.json.found'],
    [
      JSON.stringify({ ...sound, constrained: { 'zo-adamm': 0 } }),
      'a.json.constrained.zo-adamm must be above 0, got 0',
    ],
    [JSON.stringify({ ...sound, constrained: { 'zo-adamm': '1' } }), 'a.json.constrained.zo-adamm must be a number'],
    [JSON.stringify({ found: 'a', decay: 'sqrt', constrained: {} }), 'a.json.unconstrained is required'],
    [JSON.stringify({ ...sound, decay: undefined }), 'a.json.decay must be one of "none", "sqrt", "linear"'],
    [JSON.stringify({ ...sound, unconstraned: {} }), 'a.json has no option unconstraned; did you mean unconstrained?'],
  ])('%s is refused', (text, message) => {
    expect(() => parseRates(text, 'a.json')).toThrow(message)
  })
})

test.each(embeddedNames)('every method of the paper has a rate for %s in the form it is made for', (name) => {
  const { constrained, unconstrained } = readRates(name)
  expect(Object.keys(constrained).sort()).toEqual(['zo-adamm', 'zo-nes', 'zo-psgd', 'zo-smd'])
  expect(Object.keys(unconstrained).sort()).toEqual(['zo-adamm', 'zo-scd', 'zo-sgd', 'zo-sign-sgd'])
})

test('names that objects have anyway are no solvers', () => {
  expect(rateIn({ 'zo-adamm': 0.1 }, 'zo-adamm')).toBe(0.1)
  expect(rateIn({ 'zo-adamm': 0.1 }, 'constructor')).toBeUndefined()
})
