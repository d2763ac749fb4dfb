import { describe, expect, test } from 'vitest'
import { sampleQueries } from '../../../test/objectives/sample-queries.ts'
import { keeper } from '../../../test/servers/kept.ts'
import {
  type ServedModel,
  type ServedTensor,
  type ServerHabits,
  startOpenInferenceServer,
} from '../../../test/servers/open-inference-server.ts'
import { send, startServer, type TestServer } from '../../../test/servers/server.ts'
import { makeAnswers } from '../../optimizer/core/answers.ts'
import type { Answers, Queries } from '../../optimizer/core/types.ts'
import { minimize } from '../../optimizer/minimize/minimize.ts'
import { openInferenceObjective } from './open-inference.ts'

const keep = keeper<TestServer>()

/** Rows at the points (0, 0.5), (1, 0.5), (2, 0.5), ... */
const queries = (rows: number): Queries =>
  sampleQueries(rows, { write: (row, into, offset = 0) => into.set([row, 0.5], offset) })

type Declared = Omit<ServedTensor, 'data'>
const input: Declared = { name: 'x', datatype: 'FP64', shape: [-1, -1] }
const output: Declared = { name: 'y', datatype: 'FP64', shape: [-1, 1] }

/** A model that answers each point with f of it. */
function served(
  f: (x: readonly number[]) => number,
  declared: Partial<ServedModel> = {},
  rest: Partial<ServedTensor> = {},
): ServedModel {
  return {
    inputs: [input],
    outputs: [output],
    infer: ([given]) => {
      const { shape, data } = given as ServedTensor
      const count = shape.length === 1 ? 1 : (shape[0] as number)
      const dim = data.length / count
      const values = Array.from({ length: count }, (_, i) => f(data.slice(i * dim, (i + 1) * dim)))
      return [{ ...output, shape: [count, 1], data: values, ...rest }]
    },
    ...declared,
  }
}

const sum = (x: readonly number[]): number => x.reduce((total, each) => total + each, 0)
const serve = async (model: ServedModel, habits?: ServerHabits): Promise<TestServer> =>
  keep(await startOpenInferenceServer({ m: model }, habits))

async function answered(server: TestServer, rows: number, options: object = {}): Promise<Answers> {
  const answers = makeAnswers(rows)
  const objective = openInferenceObjective({ dim: 2, url: server.url, model: 'm', timeout: 60_000, ...options })
  await objective.evaluate(queries(rows), answers)
  await objective.close()
  return answers
}

const reason = (answers: Answers, row = 0): string => (answers.reasons[row] as Error).message
const shapes = (server: TestServer): number[][] =>
  server.requests
    .filter(({ path }) => path.endsWith('/infer'))
    .map(({ headers, body }) => {
      const length = Number(headers['inference-header-content-length'] ?? body.length)
      return JSON.parse(body.subarray(0, length).toString()).inputs[0].shape
    })

describe('a served model', () => {
  test('gets all rows of an iteration as one tensor and answers one number each', async () => {
    const server = await serve(served(sum))
    const answers = await answered(server, 4)
    expect(Array.from(answers.values)).toEqual([0.5, 1.5, 2.5, 3.5])
    expect(shapes(server)).toEqual([[4, 2]])
  })

  test('is described once, however many iterations there are', async () => {
    const server = await serve(served(sum))
    const objective = openInferenceObjective({ dim: 2, url: server.url, model: 'm' })
    for (let i = 0; i < 3; i++) await objective.evaluate(queries(2), makeAnswers(2))
    expect(server.requests.map(({ path }) => path)).toEqual([
      '/v2/models/m',
      '/v2',
      '/v2/models/m/infer',
      '/v2/models/m/infer',
      '/v2/models/m/infer',
    ])
  })

  test('gets at most batchSize points per request', async () => {
    const server = await serve(served(sum))
    const answers = await answered(server, 5, { batchSize: 2, concurrency: 2 })
    expect(Array.from(answers.values)).toEqual([0.5, 1.5, 2.5, 3.5, 4.5])
    expect(shapes(server).sort()).toEqual([
      [1, 2],
      [2, 2],
      [2, 2],
    ])
  })

  test.each([1, 3, 8])('that takes %i points at a time gets exactly so many', async (size) => {
    const seen: number[][] = []
    const model = served((x) => (seen.push([...x]), sum(x)), { inputs: [{ ...input, shape: [size, 2] }] })
    const server = await serve(model)
    const answers = await answered(server, 4, { batchSize: 9 })
    expect(Array.from(answers.values)).toEqual([0.5, 1.5, 2.5, 3.5])
    expect(shapes(server)).toEqual(Array.from({ length: Math.ceil(4 / size) }, () => [size, 2]))
    expect(seen.every(([, second]) => second === 0.5)).toBe(true)
  })

  test('that knows no batches gets one point after the other', async () => {
    const server = await serve(served(sum, { inputs: [{ ...input, shape: [2] }] }))
    expect(Array.from((await answered(server, 3)).values)).toEqual([0.5, 1.5, 2.5])
    expect(shapes(server)).toEqual([[2], [2], [2]])
  })

  test('may want the variables in another shape', async () => {
    const server = await serve(served(sum, { inputs: [{ ...input, shape: [-1, 1, -1, 1] }] }))
    expect(Array.from((await answered(server, 3)).values)).toEqual([0.5, 1.5, 2.5])
    expect(shapes(server)).toEqual([[3, 1, 2, 1]])
  })

  test('gets what it declares: FP32 where it says so', async () => {
    const third = served(
      ([first]) => (first as number) / 3,
      { inputs: [{ ...input, datatype: 'FP32' }] },
      { datatype: 'FP32' },
    )
    const server = await serve(third)
    expect(Array.from((await answered(server, 3)).values)).toEqual([0, Math.fround(1 / 3), Math.fround(2 / 3)])
    const sizes = server.requests.filter(({ path }) => path.endsWith('infer')).map(({ body }) => body.length)
    expect(sizes[0]).toBeLessThan(220)
  })

  test('may answer with whole numbers of 64 bits', async () => {
    const server = await serve(served(([first]) => first as number, {}, { datatype: 'INT64' }))
    expect(Array.from((await answered(server, 3)).values)).toEqual([0, 1, 2])
  })

  test('that says nothing about itself is asked by the names given', async () => {
    const server = await serve(served(sum, { inputs: [], outputs: [] }), { binary: false, refusal: 500 })
    expect(Array.from((await answered(server, 2, { input: 'x' })).values)).toEqual([0.5, 1.5])
    expect(reason(await answered(server, 2))).toBe(
      `POST ${server.url}/v2/models/m/infer cannot be asked: the model does not list its inputs: give the name of one as the option input`,
    )
  })

  test('may be one of several versions', async () => {
    const model = served(sum)
    const versioned = { ...model, versions: ['1', '2'] }
    const server = await serve(versioned)
    expect((await answered(server, 1, { version: '2' })).values[0]).toBe(0.5)
    expect(server.requests.at(-1)?.path).toBe('/v2/models/m/versions/2/infer')
    expect(reason(await answered(server, 1, { version: '3' }))).toContain('answered 404')
  })
})

describe('a model that does not fit is refused with what it has', () => {
  const two = [input, { ...input, name: 'z' }]
  test.each([
    [{ inputs: two }, {}, 'has several inputs: choose one of x, z as the option input'],
    [{ inputs: two }, { input: 'y' }, 'has no input y (known: x, z)'],
    [
      { outputs: [output, { ...output, name: 'z' }] },
      {},
      'has several outputs: choose one of y, z as the option output',
    ],
    [{ outputs: [output] }, { output: 'z' }, 'has no output z (known: y)'],
    [{ inputs: [{ ...input, datatype: 'INT64' }] }, {}, 'takes INT64 as input x; points are sent as FP64 or FP32'],
    [
      { inputs: [{ ...input, shape: [-1, 3] }] },
      {},
      'takes the shape [-1,3] as input x, which 2 variables do not fill',
    ],
    [
      { inputs: [{ ...input, shape: [4, 2] }] },
      { batchSize: 3 },
      'takes 4 points at a time, but batchSize is 3: leave it out',
    ],
    [{ inputs: [{ ...input, shape: [-1, -1, -1] }] }, {}, 'takes the shape [-1,-1,-1] as input x'],
    [{ inputs: [{ ...input, shape: [] }] }, {}, 'takes the shape [] as input x'],
    [{ inputs: [{ ...input, shape: [0, 2] }] }, {}, 'takes the shape [0,2] as input x'],
    [
      { inputs: [{ ...input, shape: [1_099_511_627_776, 2] }] },
      {},
      'takes 1099511627776 points at a time, 17592186044416 bytes; at most 2147483647 are sent',
    ],
  ])('%o', async (declared, options, problem) => {
    const server = await serve(served(sum, declared))
    const answers = await answered(server, 2, options)
    expect(Array.from(answers.failed)).toEqual([1, 1])
    expect(reason(answers)).toContain(`POST ${server.url}/v2/models/m/infer cannot be asked: the model ${problem}`)
    expect(answers.reasons[0]).toMatchObject({ code: 'invalid-objective', retryable: false })
  })

  test('one that the server does not know, or does not give to this user, is refused for good', async () => {
    const server = await serve(served(sum))
    const unknown = await answered(server, 2, { model: 'n' })
    expect(reason(unknown, 1)).toContain(`GET ${server.url}/v2/models/n answered 404`)
    expect(unknown.reasons[1]).toMatchObject({ code: 'invalid-objective', retryable: false })
    const locked = keep(await startServer((_, reply) => send(reply, 401, 'who are you')))
    expect((await answered(locked, 1)).reasons[0]).toMatchObject({ code: 'invalid-objective', retryable: false })
  })

  test('an address that goes on to /v2 is said to be too long', async () => {
    const server = await serve(served(sum))
    for (const url of [`${server.url}/v2`, new URL(`${server.url}/v2/`), `${server.url}/v2/models/m`]) {
      expect(reason(await answered(server, 1, { url }))).toMatch(
        /answered 404.* \(open-inference\.url must end before \/v2, which is added to it\)$/,
      )
    }
  })

  test('which of several is asked for decides', async () => {
    const model = served(sum, { inputs: two, outputs: [output, { ...output, name: 'z' }] })
    const server = await serve(model)
    expect((await answered(server, 1, { input: 'z', output: 'y' })).values[0]).toBe(0.5)
  })

  test('one whose answer has another number of numbers, or several outputs, is found out', async () => {
    const wide = await serve(served(sum, {}, { shape: [2, 2], data: [1, 2, 3, 4] }))
    expect(reason(await answered(wide, 2))).toContain(
      'answered 2 points with the shape [2,2]; one number each is needed',
    )
    const pair = [
      { ...output, shape: [1], data: [1] },
      { ...output, name: 'z', shape: [1], data: [1] },
    ]
    const several = await serve(served(sum, { outputs: [], infer: () => pair }))
    expect(reason(await answered(several, 1))).toContain('choose one as the option output (got: y, z)')
  })

  test('one that comes up later is found then', async () => {
    let up = false
    const server = await serve(served(sum))
    const gate = keep(
      await startServer(async ({ method, path, headers, body }, reply) => {
        if (!up) return send(reply, 503)
        const kept = ['content-type', 'inference-header-content-length'].flatMap((name) =>
          headers[name] === undefined ? [] : [[name, String(headers[name])] as [string, string]],
        )
        const answer = await fetch(server.url + path, {
          method,
          headers: kept,
          body: method === 'GET' ? null : new Uint8Array(body),
        })
        const length = answer.headers.get('inference-header-content-length')
        const more = length === null ? {} : { 'inference-header-content-length': length }
        return send(reply, answer.status, new Uint8Array(await answer.arrayBuffer()), more)
      }),
    )
    const objective = openInferenceObjective({ dim: 2, url: gate.url, model: 'm' })
    const answers = makeAnswers(1)
    await objective.evaluate(queries(1), answers)
    expect(answers.reasons[0]).toMatchObject({ retryable: true })
    up = true
    const later = makeAnswers(1)
    await objective.evaluate(queries(1), later)
    expect(later.values[0]).toBe(0.5)
  })
})

describe('closing', () => {
  test('stops what is under way and leaves no row without a reason', async () => {
    const server = keep(await startServer(() => undefined))
    const objective = openInferenceObjective({ dim: 2, url: server.url, model: 'm' })
    const answers = makeAnswers(3)
    const work = objective.evaluate(queries(3), answers)
    await expect.poll(() => server.requests.length).toBe(1)
    await objective.close()
    await work
    for (const each of answers.reasons) expect(each).toMatchObject({ code: 'query-failed', retryable: false })
    expect(reason(answers)).toContain('was stopped: the objective was closed')
  })

  test('may happen twice, and asking afterwards starts anew', async () => {
    const server = await serve(served(sum))
    const objective = openInferenceObjective({ dim: 2, url: server.url, model: 'm' })
    await objective.evaluate(queries(1), makeAnswers(1))
    await objective.close()
    await objective.close()
    const answers = makeAnswers(2)
    await objective.evaluate(queries(2), answers)
    expect(Array.from(answers.values)).toEqual([0.5, 1.5])
    expect(server.requests.filter(({ path }) => path === '/v2/models/m').length).toBe(2)
  })
})

describe('an odd answer fails its row only', () => {
  test.each(['binary', 'json'] as const)('NaN, infinities and 1e308 are numbers, as %s', async (encoding) => {
    const odd = [Number.NaN, Infinity, -Infinity, 1e308, 1]
    const server = await serve(served(([first]) => odd[first as number] as number))
    expect(Array.from((await answered(server, 5, { encoding })).values)).toEqual(odd)
  })

  test.each([
    ['a string', '"data":["x"]', 'entry 0 of its data is "x"'],
    ['nothing', '"data":[]', 'its data has 0 numbers, its shape 1'],
    ['no data', '"x":1', 'its data is undefined instead of a list'],
  ])('%s', async (_, data, problem) => {
    const model = served(sum)
    const honest = await serve(model, { binary: false })
    const server = keep(
      await startServer(async ({ method, path, body }, reply) => {
        const odd = path.endsWith('infer') && JSON.parse(body.toString()).inputs[0].data[0] === 1
        if (odd) return send(reply, 200, `{"outputs":[{"name":"y","datatype":"FP64","shape":[1],${data}}]}`)
        const answer = await fetch(honest.url + path, { method, body: method === 'GET' ? null : body.toString() })
        return send(reply, answer.status, await answer.text())
      }),
    )
    const answers = await answered(server, 3, { batchSize: 1, encoding: 'json' })
    expect(Array.from(answers.failed)).toEqual([0, 1, 0])
    expect(reason(answers, 1)).toContain(problem)
  })

  test('an error and a hang', async () => {
    const hanging = served(sum, {
      infer: (inputs) => {
        const [first] = (inputs[0] as ServedTensor).data
        if (first === 1) throw new Error('burnt')
        if (first === 2) return new Promise(() => undefined)
        return [{ ...output, shape: [1, 1], data: [1] }]
      },
    })
    const answers = await answered(await serve(hanging), 4, { batchSize: 1, timeout: 2000 })
    expect(Array.from(answers.failed)).toEqual([0, 1, 1, 0])
    expect(reason(answers, 1)).toContain('answered 400: {"error":"Error: burnt"}')
    expect(reason(answers, 2)).toContain('did not answer within 2000 ms')
  })
})

describe('a seeded run gives the bits of the plain function', () => {
  const bowl = (x: ArrayLike<number>): number =>
    Array.from(x).reduce((total, v, i) => total + (v - i / 3) * (v - i / 3), 0.1)
  const run = { maxQueries: 300, seed: 5 }
  const start = [1, -0, 3, 0.1, -7]

  test.each([
    ['bytes', { encoding: 'binary' }, {}],
    ['JSON', { encoding: 'json' }, {}],
    ['whatever the server takes', {}, {}],
    ['JSON, because the server takes nothing else', {}, { binary: false }],
    ['bytes in batches of three', { batchSize: 3, concurrency: 2 }, {}],
  ] as const)('%s', async (_, options, habits) => {
    const server = await serve(served(bowl), habits)
    const plain = await minimize((x) => bowl(x), start, run)
    const objective = openInferenceObjective({ dim: 5, url: server.url, model: 'm', ...options })
    expect(await minimize(objective, start, run)).toEqual(plain)
  })

  test('in single precision: FP32 both ways', async () => {
    const single = { ...run, precision: 'float32' } as const
    const rounded = (x: ArrayLike<number>): number => Math.fround(bowl(x))
    const model = served(rounded, { inputs: [{ ...input, datatype: 'FP32' }] }, { datatype: 'FP32' })
    const plain = await minimize((x) => rounded(x), start, single)
    const objective = openInferenceObjective({ dim: 5, url: (await serve(model)).url, model: 'm' })
    expect(await minimize(objective, start, single)).toEqual(plain)
  })
})

test('options say where secrets may be', () => {
  const { shape } = openInferenceObjective.definition.options
  expect(shape).toMatchObject({ url: { secret: true }, headers: { secret: true } })
})
