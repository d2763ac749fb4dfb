import { createServer, type Server } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { httpObjective } from '../src/app/objectives/http.ts'
import { openInferenceObjective } from '../src/app/objectives/open-inference.ts'
import { makeAnswers } from '../src/optimizer/core/answers.ts'
import { ZerothError } from '../src/optimizer/core/errors.ts'
import type { Answers, Objective } from '../src/optimizer/core/types.ts'
import { sampleQueries } from './objectives/sample-queries.ts'
import { send, startServer, type TestServer } from './servers/server.ts'

// Whatever a server replies: no crash, no hang, and every row has a number or a reason.
interface Reply {
  readonly status: number
  readonly body: Uint8Array
  readonly headers: Readonly<Record<string, string>>
}
let reply: Reply
let raw: Uint8Array
let server: TestServer
let rawServer: Server
let rawUrl: string
beforeAll(async () => {
  server = await startServer(({ path }, answer) => {
    if (path === '/v2/models/m') return send(answer, 200, JSON.stringify(metadata))
    return path === '/v2' ? send(answer, 200, '{}') : send(answer, reply.status, reply.body, reply.headers)
  })
  rawServer = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => socket.end(raw))
  })
  await new Promise<void>((resolve) => rawServer.listen(0, '127.0.0.1', resolve))
  rawUrl = `http://127.0.0.1:${(rawServer.address() as { port: number }).port}`
})
afterAll(async () => {
  await server.close()
  rawServer.close()
})

const metadata = {
  inputs: [{ name: 'x', datatype: 'FP64', shape: [-1, 2] }],
  outputs: [{ name: 'y', datatype: 'FP64', shape: [-1] }],
}
const rows = 3
const queries = sampleQueries(rows)

async function answered(objective: Objective): Promise<Answers> {
  const answers = makeAnswers(rows)
  answers.values.fill(12345.678)
  await objective.evaluate(queries, answers)
  for (let row = 0; row < rows; row++) {
    if (answers.failed[row] === 0) {
      expect(answers.values[row]).not.toBe(12345.678)
      expect(answers.reasons[row]).toBeUndefined()
    } else {
      expect(answers.values[row]).toBeNaN()
      expect(answers.reasons[row]).toBeInstanceOf(ZerothError)
      expect(answers.reasons[row]).toMatchObject({
        code: 'query-failed',
        message: expect.stringContaining('POST http'),
      })
      expect(String(answers.reasons[row]).length).toBeLessThan(2500)
    }
  }
  return answers
}

const kinds: Readonly<Record<string, (url: string) => Objective>> = {
  http: (url) => httpObjective({ dim: 2, url, timeout: 10_000 }),
  'http in batches': (url) => httpObjective({ dim: 2, url, timeout: 10_000, batched: true }),
  'open-inference': (url) => openInferenceObjective({ dim: 2, url, model: 'm', timeout: 10_000 }),
}

const json = fc.oneof(
  fc.jsonValue(),
  fc.record({ value: fc.jsonValue(), values: fc.jsonValue(), outputs: fc.jsonValue() }),
  fc.record({ values: fc.array(fc.jsonValue(), { minLength: rows, maxLength: rows }) }),
  fc.record({
    outputs: fc.array(
      fc.record(
        {
          name: fc.oneof(fc.constant('y'), fc.jsonValue()),
          datatype: fc.oneof(fc.constantFrom('FP64', 'FP32', 'INT64', 'BOOL', 'BYTES', '__proto__'), fc.jsonValue()),
          shape: fc.oneof(fc.constantFrom([3], [3, 1], [0], [1e9, 1e9], [-1]), fc.jsonValue()),
          data: fc.oneof(
            fc.array(fc.oneof(fc.double(), fc.jsonValue()), { minLength: 3, maxLength: 3 }),
            fc.jsonValue(),
          ),
          parameters: fc.oneof(fc.record({ binary_data_size: fc.oneof(fc.integer(), fc.jsonValue()) }), fc.jsonValue()),
        },
        { requiredKeys: [] },
      ),
    ),
  }),
)
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  json.map((value) => Buffer.from(JSON.stringify(value))),
  json.map((value) => Buffer.from(JSON.stringify(value)?.slice(0, -3) ?? '')),
  fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
)
const replies: fc.Arbitrary<Reply> = fc.record({
  status: fc.oneof(
    { arbitrary: fc.constant(200), weight: 6 },
    { arbitrary: fc.integer({ min: 200, max: 599 }), weight: 1 },
  ),
  body: bytes,
  headers: fc.oneof(
    fc.constant({}),
    fc
      .oneof(fc.integer().map(String), fc.stringMatching(/^[ -~]*$/))
      .map((length) => ({ 'inference-header-content-length': length })),
  ),
})

describe.each(Object.keys(kinds))('%s', (kind) => {
  const make = kinds[kind] as (url: string) => Objective

  test('takes whatever a server replies', async () => {
    const objective = make(server.url)
    let failed = 0
    const property = fc.asyncProperty(replies, async (each) => {
      reply =
        each.status === 204 || each.status === 205 || each.status === 304 ? { ...each, body: new Uint8Array(0) } : each
      failed += (await answered(objective)).failed.reduce((sum, one) => sum + one, 0)
    })
    await fc.assert(property, { numRuns: 250, seed: 3 })
    expect(failed).toBeGreaterThan(600)
  })

  test('takes what is no HTTP at all', async () => {
    const text = fc.oneof(
      fc.uint8Array({ maxLength: 100 }),
      fc
        .tuple(
          fc.constantFrom('HTTP/1.1 200 OK\r\n', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n', 'HTTP/9 x\r\n'),
          fc.string(),
        )
        .map(([head, rest]) => Buffer.from(head + rest)),
    )
    const objective = make(rawUrl)
    const property = fc.asyncProperty(text, async (each) => {
      raw = each
      const answers = makeAnswers(rows)
      await objective.evaluate(queries, answers)
      for (let row = 0; row < rows; row++) expect(answers.reasons[row]).toBeInstanceOf(ZerothError)
    })
    await fc.assert(property, { numRuns: 60, seed: 4 })
  })
})

test('a binary reply with any of its bytes changed or cut off gives numbers or a reason', async () => {
  const header = Buffer.from(
    JSON.stringify({ outputs: [{ name: 'y', datatype: 'FP64', shape: [3], parameters: { binary_data_size: 24 } }] }),
  )
  const honest = Buffer.concat([header, Buffer.from(Float64Array.of(1, 2, 3).buffer)])
  const headers = { 'inference-header-content-length': String(header.length) }
  const objective = kinds['open-inference']?.(server.url) as Objective
  reply = { status: 200, body: honest, headers }
  expect(Array.from((await answered(objective)).values)).toEqual([1, 2, 3])
  const change = fc.record({ at: fc.nat(honest.length - 1), to: fc.nat(255), length: fc.nat(honest.length) })
  const property = fc.asyncProperty(change, fc.boolean(), async ({ at, to, length }, cut) => {
    const body = Buffer.from(honest)
    body[at] = to
    reply = { status: 200, body: cut ? body.subarray(0, length) : body, headers }
    await answered(objective)
  })
  await fc.assert(property, { numRuns: 300, seed: 5 })
})
