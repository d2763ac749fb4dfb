import { describe, expect, test } from 'vitest'
import { fakeModel } from '../../test/attacks/fake-model.ts'
import { memoryDataset } from '../../test/attacks/memory-dataset.ts'
import { ZerothError } from '../optimizer/core/errors.ts'
import type { Dataset } from './images/dataset.ts'
import type { Model } from './models/model.ts'
import {
  isHopeless,
  missingImages,
  type ScreenedImage,
  scoresOf,
  screenImages,
  screeningWarnings,
  type Wanted,
} from './screening.ts'

/** Sees class round(2 x0) in an image of two pixels. */
const model = (changes: Partial<Model> = {}) =>
  fakeModel(2, 3, ([x = 0]) => [0, 1, 2].map((k) => -Math.abs(2 * x - k)), changes)

/** Images of the classes given; where a second number is given, the model sees that one. */
const images = (classes: readonly (readonly [number, number?])[], changes: Partial<Dataset> = {}) =>
  memoryDataset(
    classes.map(([label, seen = label]) => ({ pixels: [seen / 2, 0.5], label })),
    changes,
  )

const screen = (dataset: Dataset, wanted: Wanted = {}, asked = model()) => screenImages(asked, dataset, wanted)
const statuses = (screened: readonly ScreenedImage[]) => screened.map(({ status }) => status)

describe('screening', () => {
  test('finds those that are classified correctly, in their order', async () => {
    const asked = model()
    const screened = await screen(images([[0], [1, 2], [2]]), {}, asked)
    expect(screened.map(({ scores: _, ...image }) => image)).toEqual([
      {
        index: 0,
        title: 'image 0',
        label: 0,
        predicted: 0,
        target: null,
        status: 'attacked',
        reason: null,
        modelCalls: 1,
        seen: [-0, -1],
      },
      {
        ...{ index: 1, title: 'image 1', label: 1, predicted: 2, target: null, status: 'skipped', modelCalls: 2 },
        reason: 'already misclassified as class 2',
      },
      {
        index: 2,
        title: 'image 2',
        label: 2,
        predicted: 2,
        target: null,
        status: 'attacked',
        reason: null,
        modelCalls: 1,
        seen: [-0, -1],
      },
    ])
    expect(asked.calls).toEqual([3, 1])
  })

  test('asks again about an image that seems to be misclassified: one wrong answer does not count', async () => {
    let calls = 0
    const honest = model()
    const asked = model({
      async predict(pictures, into, signal) {
        await honest.predict(pictures, into, signal)
        if (calls++ === 0) into.set([-1, -0, -1], 0)
      },
    })
    const [first, second] = await screen(images([[0], [1, 2]]), {}, asked)
    expect(first).toMatchObject({ status: 'failed', predicted: null, modelCalls: 2 })
    expect(first?.reason).toBe('the model saw class 1, and saw class 0 when asked again')
    expect(second).toMatchObject({ status: 'skipped', predicted: 2, modelCalls: 2 })
    expect(honest.calls).toEqual([2, 1, 1])
  })

  test('keeps the scores of the first ten that were answered', async () => {
    const screened = await screen(images(Array.from({ length: 40 }, (_, i) => [i % 3] as const)))
    expect(screened.map(({ scores }) => scores !== undefined)).toEqual(Array.from({ length: 40 }, (_, i) => i < 10))
    expect(screened[1]?.scores).toEqual([-1, -0, -1])
  })

  test.each([
    ['before its own class', [1, 1, 0], 1, 0],
    ['after its own class', [1, 1, 0], 0, 1],
  ])('does not take a tie with a class %s for correct', async (_, tied, label, predicted) => {
    const [image] = await screen(
      memoryDataset([{ pixels: [0, 0], label }]),
      {},
      fakeModel(2, 3, () => tied),
    )
    expect(image).toMatchObject({ status: 'skipped', predicted })
    expect(image?.reason).toBe(`its class ties with class ${predicted} before any attack`)
  })

  test('counts attempts that brought no answer', async () => {
    const good = model()
    const moody = model({
      predict(all, into) {
        all.askedAgain?.(1)
        good.predict(all, into)
        into.fill(Number.NaN, 6, 9)
      },
    })
    const screened = await screen(images([[0], [1], [2]]), {}, moody)
    expect(screened.map(({ failedQueries, retries }) => [failedQueries, retries])).toEqual([
      [undefined, undefined],
      [1, 1],
      [1, 0],
    ])
  })

  test('ends with the image that makes the number complete, and reads and asks about none beyond it', async () => {
    const classes = [[0], [1, 2], [2], [0, 1], [1], [0], [2]] as const
    const dataset = images(classes)
    const asked = model()
    const screened = await screen(dataset, { count: 3 }, asked)
    expect(statuses(screened)).toEqual(['attacked', 'skipped', 'attacked', 'skipped', 'attacked'])
    expect([...dataset.reads].sort()).toEqual([0, 1, 2, 3, 4])
    // Three are wanted; of the first three one is wrong, of the next one, too: both are asked about again.
    expect(asked.calls).toEqual([3, 1, 1, 1, 1])
  })

  test.each([1, 2, 31, 32, 33, 40, 64, 90])(
    'finds %i of 100 images, every third of which is misclassified',
    async (count) => {
      const dataset = images(
        Array.from({ length: 100 }, (_, i) => (i % 3 === 2 ? [0, 1] : [i % 3]) as [number, number?]),
      )
      const screened = await screen(dataset, { count })
      const attacked = screened.filter(({ status }) => status === 'attacked')
      expect(attacked).toHaveLength(Math.min(count, 67))
      expect(screened.map(({ index }) => index)).toEqual(screened.map((_, i) => i))
      if (count < 67) expect(screened.at(-1)?.status).toBe('attacked')
      else expect(screened).toHaveLength(100)
      expect(dataset.reads).toHaveLength(screened.length)
    },
  )

  test('takes what there is where there are too few', async () => {
    expect(statuses(await screen(images([[0], [1, 2]]), { count: 10 }))).toEqual(['attacked', 'skipped'])
    expect(await screen(images([]), { count: 10 })).toEqual([])
  })

  test('asks about at most 32 images at a time', async () => {
    const asked = model()
    await screen(images(Array.from({ length: 70 }, () => [0] as const)), {}, asked)
    expect(asked.calls).toEqual([32, 32, 6])
  })

  test('ends after 100 images of which fewer than 5 are classified correctly, unless all images were asked for', async () => {
    const correct = (count: number) =>
      images(Array.from({ length: 300 }, (_, i) => (i < count ? ([0] as const) : ([0, 2] as const))))
    const stopped = await screen(correct(4), { count: 5 })
    expect(stopped.length).toBe(100)
    expect(isHopeless(stopped)).toBe(true)
    expect(isHopeless(stopped.slice(0, 99))).toBe(false)
    expect(missingImages(stopped, 5, 300)).toBe(0)
    expect(await screen(correct(5), { count: 6 })).toHaveLength(300)
    expect(await screen(correct(0))).toHaveLength(300)
    expect(screeningWarnings(stopped, model(), correct(4))).toContainEqual(
      expect.stringContaining('the model classifies only 4 of 100 clean images correctly'),
    )
  })

  test('ends after 100 images that cannot be used', async () => {
    const shape = { channels: 1, height: 3, width: 3 }
    const dataset = images(Array.from({ length: 300 }, () => [0] as const))
    const read = async () => ({ shape, pixels: new Float32Array(9) })
    expect(await screen({ ...dataset, read }, { count: 2 })).toHaveLength(100)
  })

  test('says how far it is', async () => {
    const seen: number[] = []
    const onScreened = (screened: readonly ScreenedImage[]) => void seen.push(screened.length)
    await screen(images(Array.from({ length: 70 }, () => [0] as const)), { onScreened })
    expect(seen).toEqual([32, 64, 70])
  })
})

describe('screening that was begun before', () => {
  const classes = [[0], [1, 2], [2], [0], [1]] as const

  test('goes on behind what is known, and has the result of one that was not interrupted', async () => {
    const whole = await screen(images(classes), { count: 3 })
    for (let known = 0; known <= whole.length; known++) {
      const dataset = images(classes)
      expect(await screen(dataset, { count: 3, screened: whole.slice(0, known) })).toEqual(whole)
      expect(dataset.reads).toHaveLength(4 - known)
    }
  })

  test('knows how many more images it needs at the least', async () => {
    const screened = await screen(images(classes), { count: 3 })
    expect(screened).toHaveLength(4)
    expect(missingImages(screened, 3, 5)).toBe(0)
    expect(missingImages(screened, 9, 5)).toBe(1)
    expect(missingImages(screened, undefined, 5)).toBe(1)
    expect(missingImages(screened.slice(0, 2), 3, 5)).toBe(2)
    expect(missingImages([], 3, 0)).toBe(0)
  })
})

describe('a targeted attack', () => {
  test('aims at its class, and leaves out the images of that class', async () => {
    const screened = await screen(images([[0], [1], [2], [0, 1]]), { target: 1 })
    expect(screened.map(({ status, target }) => [status, target])).toEqual([
      ['attacked', 1],
      ['skipped', null],
      ['attacked', 1],
      ['skipped', 1],
    ])
    expect(screened[1]).toMatchObject({ predicted: 1, reason: 'is already of the target, class 1' })
  })

  test('on the next class aims at the one after the own, and after the last at the first', async () => {
    const screened = await screen(images([[0], [1], [2]]), { target: 'next' })
    expect(screened.map(({ target }) => target)).toEqual([1, 2, 0])
    expect(statuses(screened)).toEqual(['attacked', 'attacked', 'attacked'])
  })

  test('does not count images of the target class as found', async () => {
    const screened = await screen(images([[1], [1], [0], [2], [0]]), { target: 1, count: 2 })
    expect(screened.map(({ index }) => index)).toEqual([0, 1, 2, 3])
  })
})

describe('an image that cannot be used', () => {
  const failing = async (dataset: Dataset, asked = model()) => {
    const screened = await screen(dataset, {}, asked)
    expect(statuses(screened)).toEqual(['attacked', 'failed', 'attacked'])
    expect(screened[1]?.predicted).toBeNull()
    return screened[1] as ScreenedImage
  }

  test('because it cannot be read leaves the others', async () => {
    const good = images([[0], [1], [2]])
    const read: Dataset['read'] = async (index) => {
      if (index === 1) throw new ZerothError('invalid-data', 'one.png is no PNG file')
      return good.read(index)
    }
    const { reason, label, modelCalls } = await failing({ ...good, read })
    expect([reason, label, modelCalls]).toEqual(['one.png is no PNG file', 1, 0])
  })

  test('because it has another size leaves the others', async () => {
    const good = images([[0], [1], [2]])
    const read: Dataset['read'] = async (index) => {
      const image = await good.read(index)
      return index === 1 ? { ...image, shape: { channels: 3, height: 1, width: 4 } } : image
    }
    const { reason, modelCalls } = await failing({ ...good, read })
    expect(reason).toBe('is 3 x 1 x 4, but the model takes 1 x 1 x 2 (channels x height x width)')
    expect(modelCalls).toBe(0)
  })

  test.each([
    [3, 'its label must be from 0 to 2, got 3'],
    [-1, 'its label must be from 0 to 2, got -1'],
    [0.5, 'its label must be from 0 to 2, got 0.5'],
  ])('because its label is %d leaves the others', async (label, message) => {
    const dataset = images([[0], [label], [2]])
    const { reason, ...rest } = await failing(dataset)
    expect([reason, rest.label]).toEqual([message, label])
    expect(dataset.reads).toEqual([0, 2])
  })

  test('because it has no label leaves the others', async () => {
    const { reason, label } = await failing(images([[0], [undefined as never], [2]]))
    expect([reason, label]).toEqual(['has no label', null])
  })

  test('because its label cannot be had leaves the others', async () => {
    const label = (index: number) => {
      if (index === 1) throw new Error('line 2 of labels.csv is empty')
      return index
    }
    const found = await failing(images([[0], [1], [2]], { label }))
    expect([found.reason, found.label]).toEqual(['line 2 of labels.csv is empty', null])
  })

  test('because the model answers NaN leaves the others', async () => {
    const odd = fakeModel(2, 3, ([x = 0]) =>
      x === 0.5 ? [0, Number.NaN, 0] : [0, 1, 2].map((k) => -Math.abs(2 * x - k)),
    )
    const { reason, modelCalls } = await failing(images([[0], [1], [2]]), odd)
    expect([reason, modelCalls]).toEqual(['the model answered with scores that are no numbers', 1])
  })

  test('because the model answers for the others only leaves them', async () => {
    const asked = model({
      async predict(_, into) {
        into.set([1, 0, 0], 0)
        into.set([0, 0, 1], 6)
        throw new ZerothError('query-failed', '1 of 3 requests was lost')
      },
    })
    expect((await failing(images([[0], [1], [2]]), asked)).reason).toBe('1 of 3 requests was lost')
  })

  test('but has no name keeps its number', async () => {
    const title = () => {
      throw new Error('no name')
    }
    expect((await screen(images([[0]], { title })))[0]?.title).toBe('0')
  })
})

describe('a model', () => {
  test('is given up after five calls in a row that brought nothing, and not before', async () => {
    let calls = 0
    const gone = (upTo: number) =>
      model({
        predict: async (asked, into) => {
          if (calls++ < upTo) throw new Error('gone')
          await model().predict(asked, into)
        },
      })
    const many = images(Array.from({ length: 20 }, () => [0] as const))
    await expect(screen(many, { count: 1 }, gone(20))).rejects.toThrow(
      'the model does not answer: gone (5 calls in a row)',
    )
    expect(calls).toBe(5)
    calls = 0
    expect(statuses(await screen(many, { count: 1 }, gone(4)))).toEqual([...Array(4).fill('failed'), 'attacked'])
  })

  test('that never answers fails every image', async () => {
    const asked = model({ predict: async () => Promise.reject(new Error('gone')) })
    const screened = await screen(images([[0], [1]]), {}, asked)
    expect(screened.map(({ status, reason }) => [status, reason])).toEqual([
      ['failed', 'gone'],
      ['failed', 'gone'],
    ])
  })

  test('that is not set up as it should be ends screening at once', async () => {
    const error = new ZerothError('invalid-option', 'http-classifier.token: the environment variable TOKEN is not set')
    const asked = model({ predict: async () => Promise.reject(error) })
    await expect(screen(images([[0], [1]]), {}, asked)).rejects.toBe(error)
  })

  test('that is always wrong has every image screened', async () => {
    const wrong = Array.from({ length: 50 }, () => [0, 1] as const)
    expect(statuses(await screen(images(wrong), { count: 2 }))).toEqual(wrong.map(() => 'skipped'))
  })
})

describe('a signal', () => {
  test('that fired before ends screening with its reason', async () => {
    const reason = new Error('enough')
    const dataset = images([[0]])
    await expect(screen(dataset, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    expect(dataset.reads).toEqual([])
  })

  test('that fires on the way ends it, too', async () => {
    const reason = new Error('enough')
    const controller = new AbortController()
    const onScreened = () => controller.abort(reason)
    const dataset = images(Array.from({ length: 70 }, () => [0] as const))
    await expect(screen(dataset, { onScreened, signal: controller.signal })).rejects.toBe(reason)
    expect(dataset.reads).toHaveLength(32)
  })

  test('is handed to the model', async () => {
    const reason = new Error('enough')
    const controller = new AbortController()
    const slow = model({
      predict: (_, __, signal) =>
        new Promise((_, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason))
          controller.abort(reason)
        }),
    })
    await expect(screen(images([[0]]), { signal: controller.signal }, slow)).rejects.toBe(reason)
  })
})

describe('scores that look like probabilities', () => {
  const kindOf = async (scores: readonly number[], count: number) => {
    const asked = fakeModel(2, 3, () => scores)
    const dataset = memoryDataset(Array.from({ length: count }, () => ({ pixels: [0, 0.5], label: 0 })))
    return scoresOf(await screenImages(asked, dataset, {}), asked)
  }

  test('of a few images are logits unless they sum to 1 more closely than chance would have it', async () => {
    for (const count of [1, 3]) {
      expect(await kindOf([0.702, 0.2, 0.1], count)).toBe('logits')
      expect(await kindOf([0.70001, 0.2, 0.1], count)).toBe('probabilities')
    }
  })

  test('of more images may be those of half precision', async () => {
    expect(await kindOf([0.702, 0.2, 0.1], 4)).toBe('probabilities')
    expect(await kindOf([0.72, 0.2, 0.1], 4)).toBe('logits')
  })
})
