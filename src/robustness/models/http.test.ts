import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { send, startServer, type TestServer } from '../../../test/servers/server.ts'
import type { Vector } from '../../optimizer/core/types.ts'
import { httpModel } from './http.ts'

const shape = { channels: 2, height: 1, width: 2 }
const images = { rows: 2, write: (row: number, into: Vector, offset = 0) => into.set([row, 0.25, 0.5, 1], offset) }

let server: TestServer
let answer: unknown
beforeAll(async () => {
  server = await startServer((_, reply) => {
    if (answer === 'busy') return send(reply, 429, 'slow down', { 'retry-after': '3' })
    return send(reply, 200, typeof answer === 'string' ? answer : JSON.stringify(answer))
  })
})
afterAll(() => server.close())

/** What is sent for two images and what comes of the reply. */
async function asked(options: object, reply: unknown) {
  answer = reply
  server.requests.length = 0
  const model = await httpModel({ url: server.url, shape, classes: 2, concurrency: 1, ...options }).open()
  const into = new Float64Array(2 * model.classes)
  try {
    await model.predict(images, into)
  } finally {
    await model.close()
  }
  return { bodies: server.requests.map(({ body }) => JSON.parse(body.toString()) as unknown), scores: Array.from(into) }
}

describe('images go out', () => {
  test('one per request, as lists in lists', async () => {
    const { bodies, scores } = await asked({}, { scores: [1, 2] })
    expect(bodies).toEqual([{ image: [[[0, 0.25]], [[0.5, 1]]] }, { image: [[[1, 0.25]], [[0.5, 1]]] }])
    expect(scores).toEqual([1, 2, 1, 2])
  })

  test('with channels last, many per request', async () => {
    const options = { batched: true, preprocessing: { layout: 'NHWC', range: [0, 4] } }
    const { bodies, scores } = await asked(options, { scores: [[1, 2], [3, 4]] }) // biome-ignore format: a matrix
    expect(bodies).toEqual([{ images: [[[[0, 2], [1, 4]]], [[[4, 2], [1, 4]]]] }]) // biome-ignore format: a matrix
    expect(scores).toEqual([1, 2, 3, 4])
  })

  test('in the words of the service', async () => {
    const body = { model: 'a', instances: [{ pixels: '$pixels' }], price: '$$5' }
    const options = { body, scoresPath: 'predictions.0', preprocessing: { labelOffset: 1 } }
    const { bodies, scores } = await asked(options, { predictions: [[9, 'NaN', -1]] })
    expect(bodies[1]).toEqual({ model: 'a', instances: [{ pixels: [1, 0.25, 0.5, 1] }], price: '$5' })
    expect(scores).toEqual([Number.NaN, -1, Number.NaN, -1])
  })
})

describe('a service that answers with a class', () => {
  test('gives 1 for it and 0 for the others, and says so', async () => {
    expect((await asked({ classPath: 'label' }, { label: 1 })).scores).toEqual([0, 1, 0, 1])
    const options = { classPath: 'labels', batched: true, preprocessing: { labelOffset: 1 } }
    expect((await asked(options, { labels: [1, 2] })).scores).toEqual([1, 0, 0, 1])
    const model = await httpModel({ url: server.url, shape, classes: 2, classPath: 'label' }).open()
    expect(model).toMatchObject({ scores: 'labels', classes: 2 })
    expect(model.warnings.join()).toContain('answers with a class and no scores')
  })

  test('or with its name, if it is known what the classes are called', async () => {
    const options = { classPath: 'label', classNames: ['dog', 'cat'] }
    expect((await asked(options, { label: 'cat' })).scores).toEqual([0, 1, 0, 1])
    const offset = { ...options, preprocessing: { labelOffset: 1 } }
    expect((await asked(offset, { label: 'dog' })).scores).toEqual([1, 0, 1, 0])
    await expect(asked(options, { label: 'cow' })).rejects.toThrow(
      '"label" holds "cow"; it is none of the 2 classNames',
    )
  })

  test.each([
    [
      { label: 'cat' },
      '"label" holds "cat"; the number of a class is needed, or classNames (--class-names) that say which it is',
    ],
    [{ label: 0.5 }, '"label" holds 0.5; the number of a class is needed'],
    [{ label: 2 }, 'answered with the class 2 where a whole number from 0 to 1 was wanted'],
  ])('that is none is said to be so: %j', async (reply, message) => {
    await expect(asked({ classPath: 'label' }, reply)).rejects.toThrow(message)
  })
})

describe('a reply that is none is said to be so, with the address', () => {
  test.each<[string, object, unknown, string]>([
    ['no list', {}, { scores: 3 }, '"scores" holds 3; a list of 2 scores is needed'],
    ['too few', {}, { scores: [3] }, '"scores" holds a list of 1; a list of 2 scores is needed'],
    ['no number', {}, { scores: [3, 'x'] }, '"scores" holds "x" where a score should be'],
    ['no such place', {}, { score: [3, 4] }, 'the reply has no "scores"'],
    [
      'one for many',
      { batched: true },
      { scores: [[1, 2]] },
      '"scores" is a list of 1; a list of 2 lists of scores is needed',
    ],
    ['no JSON', {}, '{"scores": [1,', 'the reply is not JSON'],
    ['an error', {}, 'busy', 'answered 429: slow down'],
  ])('%s', async (_, options, reply, message) => {
    const work = asked(options, reply)
    await expect(work).rejects.toThrow(message)
    await expect(work).rejects.toThrow(`POST ${server.url}/`)
  })

  test('and whether asking again may help', async () => {
    await expect(asked({}, 'busy')).rejects.toMatchObject({ code: 'query-failed', retryable: true, retryAfter: 3000 })
    await expect(asked({}, '{"scores": [1,')).rejects.toMatchObject({ retryable: true })
    await expect(asked({}, { scores: 3 })).rejects.toMatchObject({ retryable: false })
  })
})

test.each<[string, object, string]>([
  [
    'more classes',
    { classes: 1_099_511_627_776 },
    'gives 1099511627776 scores per image; at most 1000000 are supported',
  ],
  [
    'more channels',
    { shape: { channels: 1_099_511_627_776, height: 1, width: 1 } },
    'images of 1099511627776x1x1 have 1099511627776 channels; at most 65536 are supported',
  ],
])('%s than can be kept are refused', async (_, options, message) => {
  const opening = httpModel({ url: 'http://127.0.0.1/', shape, classes: 2, ...options }).open()
  await expect(opening).rejects.toThrow(message)
  await expect(opening).rejects.toMatchObject({ code: 'invalid-model' })
})

test('a request that holds no image is refused, and so is a misspelt place', () => {
  const options = { url: 'http://127.0.0.1/', shape, classes: 2 }
  expect(() => httpModel({ ...options, body: { a: 1 } })).toThrow(
    'http-classifier.body must hold "$image" or "$pixels"',
  )
  expect(() => httpModel({ ...options, body: ['$imag'] })).toThrow('did you mean $image?')
  expect(() => httpModel({ ...options, batched: true, body: ['$image'] })).toThrow('did you mean $images?')
})
