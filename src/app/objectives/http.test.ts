import { describe, expect, test } from 'vitest'
import { sampleQueries } from '../../../test/objectives/sample-queries.ts'
import { startJsonObjectiveServer } from '../../../test/servers/json-objective-server.ts'
import { keeper } from '../../../test/servers/kept.ts'
import { send, startServer, type TestServer } from '../../../test/servers/server.ts'
import { makeAnswers, someRows } from '../../optimizer/core/answers.ts'
import type { Answers, Queries } from '../../optimizer/core/types.ts'
import { minimize } from '../../optimizer/minimize/minimize.ts'
import { httpObjective } from './http.ts'

const keep = keeper<TestServer>()
const serve = async (...given: Parameters<typeof startServer>): Promise<TestServer> => keep(await startServer(...given))

/** Rows at the points (0, -0), (1, -0), (2, -0), ... */
const queries = (rows: number): Queries =>
  sampleQueries(rows, { write: (row, into, offset = 0) => into.set([row, -0], offset) })

type Options = Partial<Parameters<typeof httpObjective>[0]>

async function answered(url: string, rows: number, options: Options = {}, asked = queries(rows)): Promise<Answers> {
  const answers = makeAnswers(rows)
  const objective = httpObjective({ dim: 2, url, timeout: 60_000, ...options } as Parameters<typeof httpObjective>[0])
  await objective.evaluate(asked, answers)
  await objective.close()
  return answers
}

const bodies = (server: TestServer): unknown[] => server.requests.map(({ body }) => JSON.parse(body.toString()))
const reason = (answers: Answers, row: number): string => (answers.reasons[row] as Error).message

describe('a JSON service', () => {
  test('gets each point as {"x": [...]} and answers {"value": number}', async () => {
    const server = keep(await startJsonObjectiveServer((x) => 10 * (x[0] as number)))
    const answers = await answered(server.url, 3, { concurrency: 1 })
    expect(Array.from(answers.values)).toEqual([0, 10, 20])
    expect(Array.from(answers.failed)).toEqual([0, 0, 0])
    expect(server.requests.map(({ method, body }) => [method, body.toString()])).toEqual([
      ['POST', '{"x":[0,-0.0]}'],
      ['POST', '{"x":[1,-0.0]}'],
      ['POST', '{"x":[2,-0.0]}'],
    ])
    expect(server.requests[0]?.headers['content-type']).toBe('application/json')
  })

  test('may want another body and another method, and hide its number deep in the reply', async () => {
    const server = await serve((_, reply) => send(reply, 200, '{"result":{"scores":[{"v.1":2.5}]}}'))
    const body = { model: 'm', inputs: [['$x']], meta: { s: '$sample', i: '$iteration', r: '$row', price: '$$x' } }
    const answers = await answered(server.url, 1, { body, method: 'PUT', value: ['result', 'scores', 0, 'v.1'] })
    expect(answers.values[0]).toBe(2.5)
    expect(server.requests[0]?.method).toBe('PUT')
    expect(bodies(server)).toEqual([{ model: 'm', inputs: [[[0, -0]]], meta: { s: 100, i: 7, r: 0, price: '$x' } }])
  })

  test('may answer with nothing but a number', async () => {
    const server = await serve((_, reply) => send(reply, 200, ' -1.25e-3\n'))
    expect((await answered(server.url, 1, { value: '' })).values[0]).toBe(-0.00125)
  })

  test('is told which row of the iteration a point is, also where only some rows are asked', async () => {
    const server = keep(await startJsonObjectiveServer(() => 1))
    const some = someRows(queries(9), [4, 8])
    await answered(server.url, 2, { body: { x: '$x', row: '$row' }, concurrency: 1 }, some)
    expect(bodies(server)).toEqual([
      { x: [4, -0], row: 4 },
      { x: [8, -0], row: 8 },
    ])
  })

  test('is asked `concurrency` requests at once, and answers keep their rows', async () => {
    let underWay = 0
    let most = 0
    const server = await serve(async ({ body }, reply) => {
      most = Math.max(most, ++underWay)
      const [x] = JSON.parse(body.toString()).x
      await new Promise((resolve) => setTimeout(resolve, 5 + ((7 * x) % 11)))
      underWay--
      send(reply, 200, `{"value":${x}}`)
    })
    const answers = await answered(server.url, 12, { concurrency: 3 })
    expect(Array.from(answers.values)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
    expect(most).toBe(3)
  })

  test('is not asked any more once the signal fired', async () => {
    const controller = new AbortController()
    const server = await serve(() => controller.abort())
    const answers = makeAnswers(5)
    const objective = httpObjective({ dim: 2, url: server.url, concurrency: 1 })
    await objective.evaluate(queries(5), answers, controller.signal)
    expect(server.requests.length).toBe(1)
    expect(reason(answers, 0)).toContain('was aborted')
  })

  test('is left alone once the objective is closed, which may happen twice', async () => {
    const server = await serve(() => undefined)
    const objective = httpObjective({ dim: 2, url: server.url })
    const answers = makeAnswers(1)
    const work = objective.evaluate(queries(1), answers)
    await expect.poll(() => server.requests.length).toBe(1)
    await objective.close()
    await objective.close()
    await work
    expect(reason(answers, 0)).toContain('was stopped: the objective was closed')
    expect(answers.reasons[0]).toMatchObject({ code: 'query-failed', retryable: false })
  })

  test('that was closed is asked anew', async () => {
    const server = keep(await startJsonObjectiveServer((x) => x[0] as number))
    const objective = httpObjective({ dim: 2, url: server.url })
    await objective.close()
    const answers = makeAnswers(3)
    await objective.evaluate(queries(3), answers)
    expect(Array.from(answers.values)).toEqual([0, 1, 2])
    await objective.close()
  })

  test('that is closed while it works has no row left without a reason', async () => {
    const server = await serve(() => undefined)
    const objective = httpObjective({ dim: 2, url: server.url, concurrency: 2 })
    const answers = makeAnswers(5)
    const work = objective.evaluate(queries(5), answers)
    await expect.poll(() => server.requests.length).toBe(2)
    await objective.close()
    await work
    expect(Array.from(answers.failed)).toEqual([1, 1, 1, 1, 1])
    expect(server.requests.length).toBe(2)
  })
})

describe('a JSON service for many points', () => {
  test('gets them as {"points": [...]} and answers {"values": [...]}', async () => {
    const server = keep(await startJsonObjectiveServer((x) => 10 * (x[0] as number)))
    const answers = await answered(server.url, 3, { batched: true })
    expect(Array.from(answers.values)).toEqual([0, 10, 20])
    expect(server.requests.map(({ body }) => body.toString())).toEqual(['{"points":[[0,-0.0],[1,-0.0],[2,-0.0]]}'])
  })

  test('gets at most batchSize of them, with their samples and rows', async () => {
    const server = await serve(({ body }, reply) => {
      const { p } = JSON.parse(body.toString()) as { p: number[][] }
      send(reply, 200, JSON.stringify(p.map(([x]) => x)))
    })
    const body = { p: '$points', s: '$samples', r: '$rows', i: '$iteration' }
    const answers = await answered(server.url, 5, { batched: true, batchSize: 2, body, value: '', concurrency: 1 })
    expect(Array.from(answers.values)).toEqual([0, 1, 2, 3, 4])
    expect(bodies(server)).toEqual([
      {
        p: [
          [0, -0],
          [1, -0],
        ],
        s: [100, 101],
        r: [0, 1],
        i: 7,
      },
      {
        p: [
          [2, -0],
          [3, -0],
        ],
        s: [102, 103],
        r: [2, 3],
        i: 7,
      },
      { p: [[4, -0]], s: [104], r: [4], i: 7 },
    ])
  })

  test.each([
    ['[1,2]', 'has a list of 2 at "values"; a list of 3 numbers is needed'],
    ['7', 'has 7 at "values"; a list of 3 numbers is needed'],
    ['{"0":1}', 'has an object with "0" at "values"'],
  ])('that answers %s fails the batch', async (values, problem) => {
    const server = await serve((_, reply) => send(reply, 200, `{"values":${values}}`))
    const answers = await answered(server.url, 3, { batched: true })
    expect(Array.from(answers.failed)).toEqual([1, 1, 1])
    expect(reason(answers, 2)).toContain(`answered, but the reply ${problem}`)
  })

  test('that answers some of them oddly fails only their rows', async () => {
    const server = await serve((_, reply) => send(reply, 200, '{"values":[1,"2",null,{"a":1},"-Infinity"]}'))
    const answers = await answered(server.url, 5, { batched: true })
    expect(Array.from(answers.failed)).toEqual([0, 1, 1, 1, 0])
    expect(Array.from(answers.values)).toEqual([1, Number.NaN, Number.NaN, Number.NaN, -Infinity])
    expect(reason(answers, 1)).toMatch(/has "2" at entry 1 of "values" instead of a number$/)
  })
})

describe('an odd reply fails its row only', () => {
  /** Row 1 of three gets the odd reply. */
  const oddly = (reply: Parameters<typeof startServer>[0]): Promise<TestServer> =>
    serve((request, answer) => {
      const [x] = JSON.parse(request.body.toString()).x
      return x === 1 ? reply(request, answer) : send(answer, 200, `{"value":${x}}`)
    })

  test.each([
    ['a string', '{"value":"1"}', 'has "1" at "value" instead of a number'],
    ['null', '{"value":null}', 'has null at "value" instead of a number'],
    ['a list', '{"value":[1]}', 'has a list of 1 at "value" instead of a number'],
    ['another key', '{"loss":1}', 'has no "value": the reply is an object with "loss" without "value"'],
    ['a bare number', '1', 'has no "value": the reply is 1 without "value"'],
    ['half of it', '{"value":', 'is not JSON: {"value":'],
    ['nothing', '', 'is not JSON, it is empty'],
    ['a page', '<html>\n<title>Login</title>', 'is not JSON: <html> <title>Login</title>'],
    ['a long page', `<p>${'x'.repeat(300)}`, `is not JSON: <p>${'x'.repeat(197)}...`],
  ])('%s', async (_, text, problem) => {
    const server = await oddly((__, reply) => send(reply, 200, text))
    const answers = await answered(server.url, 3)
    expect(Array.from(answers.values)).toEqual([0, Number.NaN, 2])
    expect(Array.from(answers.failed)).toEqual([0, 1, 0])
    expect(reason(answers, 1)).toBe(`POST ${server.url}/ answered, but the reply ${problem}`)
  })

  test.each([
    ['"NaN"', Number.NaN],
    ['NaN', Number.NaN],
    ['"Infinity"', Infinity],
    ['-Infinity', -Infinity],
    ['1e308', 1e308],
    ['1e400', Infinity],
  ])('%s is a number, finite or not', async (text, value) => {
    const server = await oddly((_, reply) => send(reply, 200, `{"value":${text}}`))
    const answers = await answered(server.url, 3)
    expect(Array.from(answers.values)).toEqual([0, value, 2])
    expect(Array.from(answers.failed)).toEqual([0, 0, 0])
  })

  test('an error, a reset and a hang', async () => {
    for (const [reply, problem, timeout = 60_000] of [
      [(_: unknown, answer: Parameters<typeof send>[0]) => send(answer, 500, 'oops'), 'answered 500: oops'],
      [(_: unknown, answer: Parameters<typeof send>[0]) => void answer.socket?.destroy(), 'failed: '],
      [() => undefined, 'did not answer within 2000 ms', 2000],
    ] as const) {
      const server = await oddly(reply)
      const answers = await answered(server.url, 3, { timeout })
      expect(Array.from(answers.failed)).toEqual([0, 1, 0])
      expect(reason(answers, 1)).toContain(problem)
    }
  })
})

describe('a seeded run gives the bits of the plain function', () => {
  const bowl = (x: Float64Array): number => x.reduce((sum, v, i) => sum + (v - i / 3) * (v - i / 3), 0.1)
  const run = { maxQueries: 300, seed: 5 }
  const start = [1, -0, 3, 0.1, -7]

  test.each([
    ['one point per request', {}],
    ['one request at a time', { concurrency: 1 }],
    ['all points of an iteration per request', { batched: true }],
    ['four points per request', { batched: true, batchSize: 4 }],
  ])('%s', async (_, options) => {
    const server = keep(await startJsonObjectiveServer(bowl))
    const plain = await minimize(bowl, start, run)
    const objective = httpObjective({ dim: 5, url: server.url, ...options })
    const remote = await minimize(objective, start, run)
    expect(remote).toEqual(plain)
    expect(remote.failures.count).toBe(0)
  })
})

describe('mistakes are said when the objective is made', () => {
  const url = 'http://127.0.0.1:1'
  test.each([
    [{ body: { x: 1 } }, 'http.body must hold the string "$x": without it, requests do not say where to evaluate'],
    [{ body: { s: '$sample' } }, 'http.body must hold the string "$x"'],
    [{ body: { x: '$X' } }, 'http.body.x: nothing is known to put for "$X"; did you mean $x?'],
    [{ body: { x: '$points' } }, 'http.body.x: nothing is known to put for "$points"'],
    [{ batched: true, body: { x: '$x' } }, 'http.body.x: nothing is known to put for "$x"'],
    [{ batchSize: 3 }, 'http.batchSize does nothing without batched: true'],
    [{ method: 'GET' }, 'http.method must be one of "POST", "PUT", "PATCH", got "GET"'],
    [{ value: 3 }, 'http.value must be a string, or must be an array, got 3'],
    [{ concurrency: 0 }, 'http.concurrency must be at least 1, got 0'],
    [{ adress: '' }, 'http has no option adress'],
  ])('%o', (options, message) => {
    expect(() => httpObjective({ dim: 2, url, ...options } as never)).toThrow(message)
  })
})

test('options say where secrets may be', () => {
  const { shape } = httpObjective.definition.options
  expect(shape).toMatchObject({ url: { secret: true }, headers: { secret: true } })
})

describe('names of variables', () => {
  const variables = { rate: { from: 0, to: 9 }, width: { from: -1, to: 1 } }
  const values = (_: unknown, reply: Parameters<typeof send>[0]) => send(reply, 200, '{"value":1,"values":[1,2]}')

  test('are sent beside the point, alone, or for each point of a batch', async () => {
    const server = await serve(values)
    await answered(server.url, 1, { variables })
    await answered(server.url, 1, { variables, body: '$variables' })
    await answered(server.url, 2, { variables, batched: true })
    expect(server.requests.map(({ body }) => body.toString())).toEqual([
      '{"x":[0,-0.0],"variables":{"rate":0,"width":-0.0}}',
      '{"rate":0,"width":-0.0}',
      '{"points":[[0,-0.0],[1,-0.0]],"variables":[{"rate":0,"width":-0.0},{"rate":1,"width":-0.0}]}',
    ])
  })

  test('must be as many as dim says, and be there where the body wants them', () => {
    const url = 'http://127.0.0.1:1/'
    expect(() => httpObjective({ dim: 3, url, variables })).toThrow('http.variables must be 3, as dim says, got 2')
    expect(() => httpObjective({ dim: 2, url, body: '$variables' })).toThrow('nothing is known to put for "$variables"')
  })
})
