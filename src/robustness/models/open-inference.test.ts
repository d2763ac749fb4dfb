import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ServedModel, startOpenInferenceServer } from '../../../test/servers/open-inference-server.ts'
import type { TestServer } from '../../../test/servers/server.ts'
import { ZerothError } from '../../optimizer/core/errors.ts'
import type { Vector } from '../../optimizer/core/types.ts'
import { openInferenceModel } from './open-inference.ts'

/** Scores of an image: its sum and its first value; the network's declaration is as told. */
function sums(
  input: Partial<ServedModel['inputs'][number]>,
  output: Partial<ServedModel['outputs'][number]> = {},
): ServedModel {
  const declared = { name: 'x', datatype: 'FP32', shape: [-1, 1, 2, 2], ...input }
  const scores = { name: 'y', datatype: 'FP32', shape: [-1, 2], ...output }
  return {
    versions: ['1', '7'],
    inputs: [declared],
    outputs: [scores],
    infer([tensor], version) {
      const rows = Array.from(
        { length: (tensor?.data.length ?? 0) / 4 },
        (_, i) => tensor?.data.slice(4 * i, 4 * i + 4) ?? [],
      )
      const data = rows.flatMap((row) => [row.reduce((sum, each) => sum + each, 0) * Number(version ?? 1), row[0] ?? 0])
      return [{ name: 'y', datatype: 'FP32', shape: [rows.length, 2], data }]
    },
  }
}

/** A model that answers with the number of the brightest pixel. */
function brightest(): ServedModel {
  const model = sums({}, { datatype: 'INT64', shape: [-1] })
  return {
    ...model,
    infer([tensor]) {
      const pixels = tensor?.data ?? []
      const data = Array.from({ length: pixels.length / 4 }, (_, i) => {
        const own = pixels.slice(4 * i, 4 * i + 4)
        return own.indexOf(Math.max(...own))
      })
      return [{ name: 'y', datatype: 'INT64', shape: [data.length], data }]
    },
  }
}

const huge = 1_099_511_627_776

let server: TestServer
beforeAll(async () => {
  const silent = sums({})
  server = await startOpenInferenceServer({
    plain: sums({}),
    double: sums({ datatype: 'FP64' }),
    half: sums({ datatype: 'FP16' }),
    bytes: sums({ datatype: 'UINT8' }),
    last: sums({ shape: [-1, 2, 2, 1] }),
    four: sums({ shape: [4, 1, 2, 2] }),
    open: sums({ shape: [-1, 1, -1, -1] }, { shape: [-1, -1] }),
    words: sums({ datatype: 'BYTES' }),
    labels: sums({}, { datatype: 'INT64' }),
    classes: brightest(),
    two: { ...sums({}), inputs: [...sums({}).inputs, { name: 'k', datatype: 'FP32', shape: [1] }] },
    silent: { ...silent, inputs: [], outputs: [] },
    manyClasses: sums({}, { shape: [-1, huge] }),
    wideOutput: sums({}, { shape: [-1, 2_000_000, 3_000_000] }),
    hugeImages: sums({ shape: [-1, 1, huge, huge] }),
    manyChannels: sums({ shape: [-1, huge, 2, 2] }),
    hugeBatch: sums({ shape: [huge, 1, 2, 2] }),
    manySizes: sums({ shape: new Array<number>(10_000).fill(1) }),
    fraction: sums({ shape: [-1, 1, 2.5, 2] }),
  })
})
afterAll(() => server.close())

const pixels = [0.125, 0.25, 0.5, 1]
const images = {
  rows: 3,
  write: (row: number, into: Vector, offset = 0) =>
    into.set(
      pixels.map((each) => each / (row + 1)),
      offset,
    ),
}

const open = (model: string, options: object = {}) => openInferenceModel({ url: server.url, model, ...options }).open()

async function scoresOf(model: string, options: object = {}): Promise<number[]> {
  const opened = await open(model, options)
  const into = new Float64Array(3 * opened.classes)
  await opened.predict(images, into)
  await opened.close()
  return Array.from(into, (each) => Number(each.toFixed(4)))
}

const expected = [1.875, 0.125, 0.9375, 0.0625, 0.625, 0.0417]

describe('images reach the network', () => {
  const size = { shape: { channels: 1, height: 2, width: 2 } }
  test.each<[string, string, object, number[]]>([
    ['in single precision', 'plain', {}, expected],
    ['in double precision', 'double', {}, expected],
    ['in half precision, which rounds', 'half', {}, [...expected.slice(0, 4), 0.6248, 0.0417]],
    ['in half precision, as JSON', 'half', { encoding: 'json' }, expected],
    ['with channels last', 'last', {}, expected],
    ['four at a time', 'four', {}, expected],
    ['of a size that the user says', 'open', { preprocessing: size }, expected],
    ['one after the other', 'plain', { batch: 1 }, expected],
    ['as JSON', 'plain', { encoding: 'json' }, expected],
    ['in another version', 'plain', { version: '7' }, expected.map((each, i) => (i % 2 === 0 ? 7 * each : each))],
    ['where the server says nothing', 'silent', { input: 'x', inputShape: [-1, 4], preprocessing: size }, expected],
    ['in bytes', 'bytes', {}, [32 + 64 + 128 + 255, 32, 16 + 32 + 64 + 128, 16, 11 + 21 + 43 + 85, 11]],
    ['without dummies', 'plain', { preprocessing: { labelOffset: 1 } }, [0.125, 0.0625, 0.0417]],
  ])('%s', async (_, model, options, scores) => {
    expect(await scoresOf(model, options)).toEqual(scores)
  })
})

test('a class alone becomes 1 for it and 0 for the others, as bytes and as JSON', async () => {
  const brightest = [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]
  for (const encoding of ['binary', 'json']) {
    expect(await scoresOf('classes', { encoding, preprocessing: { classes: 4 } })).toEqual(brightest)
  }
  const model = await open('classes')
  expect(model).toMatchObject({ scores: 'labels', classes: 0 })
  expect(model.withClasses?.(4).classes).toBe(4)
  await model.close()
})

test('requests hold at most as many images as told', async () => {
  const before = server.requests.length
  await scoresOf('plain', { batch: 2 })
  const asked = server.requests.slice(before).filter(({ path }) => path.endsWith('/infer'))
  expect(asked).toHaveLength(2)
})

test('a number of images that the network fixes is said where it is more than the option allows', async () => {
  const warningsWith = async (options: object) => {
    const model = await open('four', options)
    await model.close()
    return [model.batch, ...model.warnings]
  }
  expect(await warningsWith({ batch: 3 })).toEqual([
    4,
    'the network takes 4 images at a time, more than the 3 of the option batch: every call has 4, black ones where there are fewer',
  ])
  expect(await warningsWith({ batch: 4 })).toEqual([4])
  expect(await warningsWith({})).toEqual([4])
})

test('it says where it is and what to know about it', async () => {
  const model = await open('bytes')
  expect(model.runtime).toBe(`stub at ${server.url}/`)
  expect(model.warnings).toEqual([expect.stringContaining('takes bytes')])
  await model.close()
  await expect(async () => model.predict(images, new Float64Array(6))).rejects.toThrow(
    `the model bytes at ${server.url}/ is closed`,
  )
})

describe('what cannot be used is refused', () => {
  test.each<[string, string, object, string]>([
    ['no such model', 'nobody', {}, '/v2/models/nobody answered 404'],
    ['no such version', 'plain', { version: '9' }, '/v2/models/plain/versions/9 answered 404'],
    ['words', 'words', {}, 'has the input x of type BYTES; supported are FP32, FP16, FP64, UINT8'],
    ['labels instead of scores', 'labels', {}, 'gives 2 whole numbers per image; set preprocessing.scores to labels'],
    ['several inputs', 'two', {}, 'has 2 inputs (x, k): choose one with the option input (--input)'],
    ['an open size', 'open', {}, 'preprocessing.shape must say the size'],
    [
      'a server that says nothing',
      'silent',
      {},
      'says nothing about its inputs: give the options input and inputShape',
    ],
    ['a wrong number of classes', 'plain', { preprocessing: { classes: 5 } }, 'gives 2 scores per image'],
    [
      'more classes than can be kept',
      'manyClasses',
      {},
      'gives 1099511627776 scores per image; at most 1000000 are supported',
    ],
    [
      'scores of many sides',
      'wideOutput',
      {},
      'the output "y" has the sides [?, 2000000, 3000000]: a classifier gives one row of scores for each image',
    ],
    ['huge images', 'hugeImages', {}, 'with 16 images of 1x1099511627776x1099511627776 at a time needs'],
    [
      'more channels than can be kept',
      'manyChannels',
      { preprocessing: { layout: 'NCHW' } },
      'images of 1099511627776x2x2 have 1099511627776 channels; at most 65536 are supported',
    ],
    [
      'a huge batch',
      'hugeBatch',
      {},
      'with 1099511627776 images of 1x2x2 at a time needs 17592186044416 bytes; the limit is 2147483647',
    ],
    ['more sizes than a tensor has', 'manySizes', {}, 'has inputs[0].shape with 10000 sizes; at most 64 are supported'],
    ['a size that is not a whole number', 'fraction', {}, 'has inputs[0].shape that is not a list of sizes'],
  ])('%s', async (_, model, options, message) => {
    const opening = open(model, options)
    await expect(opening).rejects.toThrow(message)
    await expect(opening).rejects.toThrow(ZerothError)
    await expect(opening).rejects.toThrow(server.url)
  })
})

describe('a refusal', () => {
  /** A model that refuses its first calls, ready or not. */
  const refusing = async (times: number, isReady: (calls: number) => boolean) => {
    let calls = 0
    const plain = sums({})
    const own = await startOpenInferenceServer({
      m: {
        ...plain,
        ready: () => calls === 0 || isReady(calls),
        infer(inputs, version) {
          if (++calls <= times) throw new Error('no')
          return plain.infer(inputs, version)
        },
      },
    })
    const model = await openInferenceModel({ url: own.url, model: 'm', encoding: 'json' }).open()
    const problem = await Promise.resolve(model.predict(images, new Float64Array(6))).catch((error: unknown) => error)
    await model.close()
    await own.close()
    return { problem, calls }
  }

  test('by a model that is not ready says nothing about the images', async () => {
    const { problem, calls } = await refusing(Infinity, () => false)
    expect(problem).toMatchObject({ retryable: true, message: expect.stringContaining('(the model is not ready)') })
    expect(calls).toBe(1)
  })

  test('by one that is ready is asked for once more', async () => {
    expect(await refusing(1, () => true)).toEqual({ problem: undefined, calls: 2 })
    const { problem, calls } = await refusing(Infinity, () => true)
    expect(problem).toMatchObject({ retryable: false, unreached: false })
    expect(calls).toBe(2)
  })

  test('that is repeated by a model that has gone down meanwhile is none', async () => {
    const { problem } = await refusing(Infinity, (calls) => calls < 2)
    expect(problem).toMatchObject({ retryable: true })
  })
})
