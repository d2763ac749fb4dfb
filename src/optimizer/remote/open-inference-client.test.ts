import { describe, expect, test } from 'vitest'
import { keeper } from '../../../test/servers/kept.ts'
import {
  type ServedModel,
  type ServerHabits,
  startOpenInferenceServer,
} from '../../../test/servers/open-inference-server.ts'
import { send, startServer, type TestServer } from '../../../test/servers/server.ts'
import { type Input, parseOptions } from '../core/options.ts'
import { type OpenInferenceClient, openInferenceClient, openInferenceOptions } from './open-inference-client.ts'
import { datatypes, type Tensor, type TensorData } from './tensor.ts'

const keep = keeper<TestServer>()
const schema = openInferenceOptions
const client = (server: TestServer, given: Partial<Input<typeof schema>> = {}): OpenInferenceClient =>
  openInferenceClient(parseOptions('oip', schema, { url: server.url, model: 'echo', timeout: 5000, ...given }))

/** Gives back what it gets, under another name. */
const echo: ServedModel = {
  versions: ['1', '2'],
  inputs: [{ name: 'in', datatype: 'FP64', shape: [-1, 3] }],
  outputs: [{ name: 'out', datatype: 'FP64', shape: [-1, 3] }],
  infer: (inputs, version) => [
    ...inputs.map((each) => ({ ...each, name: each.name.replace('in', 'out') })),
    { name: 'version', datatype: 'INT32', shape: [1], data: [Number(version ?? 0)] },
  ],
}
const serveEcho = async (habits: ServerHabits = {}): Promise<TestServer> =>
  keep(await startOpenInferenceServer({ echo, 'a/b c': echo }, habits))
const tensor = (data: TensorData, datatype: string): Tensor => ({ name: 'in', datatype, shape: [data.length], data })
const odd = Float64Array.of(0.1, -0, 5e-324, 1.7976931348623157e308, Number.NaN, Infinity, -Infinity)
const message = (work: Promise<unknown>): Promise<string> => work.then(String, (error: Error) => error.message)
const posts = (server: TestServer): string[] =>
  server.requests
    .filter(({ method }) => method === 'POST')
    .map(({ headers }) => ('inference-header-content-length' in headers ? 'binary' : 'json'))

describe('health and metadata', () => {
  test('say whether the server lives and the model, in a version of it, is ready', async () => {
    const server = await serveEcho()
    expect(await client(server).live()).toBe(true)
    expect(await client(server).ready()).toBe(true)
    expect(await client(server, { version: '2' }).ready()).toBe(true)
    expect(await client(server, { version: '3' }).ready()).toBe(false)
    expect(await client(server, { model: 'none' }).ready()).toBe(false)
    expect(server.requests.map(({ path }) => path)).toContain('/v2/models/echo/versions/2/ready')
  })

  test('say what the server can do and what the model takes', async () => {
    const server = await serveEcho()
    expect(await client(server).serverMetadata()).toEqual({
      name: 'stub',
      version: '1',
      extensions: ['binary_tensor_data'],
    })
    expect(await client(server).metadata()).toEqual({
      name: 'echo',
      versions: ['1', '2'],
      platform: 'stub',
      inputs: echo.inputs,
      outputs: echo.outputs,
    })
    expect(await message(client(server, { model: 'none' }).metadata())).toBe(
      `GET ${server.url}/v2/models/none answered 404: {"error":"no model none"}`,
    )
  })

  test('find models whose names need encoding, and servers behind a path', async () => {
    const server = await serveEcho()
    expect(await client(server, { model: 'a/b c' }).ready()).toBe(true)
    const proxy = keep(
      await startServer(({ path }, reply) => send(reply, path === '/serving/v2/health/live' ? 200 : 404)),
    )
    expect(await client(proxy, { url: `${proxy.url}/serving/` }).live()).toBe(true)
  })

  test.each([
    ['[]', 'the reply is a list of 0 instead of an object'],
    ['{"inputs":1}', 'the reply has inputs that are 1 instead of a list'],
    ['{"inputs":[{"name":"x"}]}', 'the reply has inputs[0] without a name or without a datatype'],
    ['{"outputs":[{"name":"x","datatype":"FP64","shape":[-2]}]}', 'the reply has outputs[0].shape that is not a list'],
    ['<html>', 'the reply is not JSON'],
  ])('that read %s are refused', async (text, problem) => {
    const server = keep(await startServer((_, reply) => send(reply, 200, text)))
    expect(await message(client(server).metadata())).toContain(problem)
  })
})

describe.each(['binary', 'json'] as const)('numbers that travel as %s', (encoding) => {
  test('arrive with every bit: FP64 and FP32, zeros, extremes, NaN and infinities', async () => {
    const server = await serveEcho()
    const asked = client(server, { encoding })
    const [doubles] = await asked.infer([tensor(odd, 'FP64')])
    expect(doubles).toEqual({ name: 'out', datatype: 'FP64', shape: [7], data: odd })
    const [singles] = await asked.infer([tensor(Float32Array.from(odd), 'FP32')])
    expect(singles?.data).toEqual(Float32Array.from(odd))
    expect(posts(server)).toEqual([encoding, encoding])
  })

  test.each(Object.keys(datatypes))('may be %s', async (datatype) => {
    const data = datatypes[datatype]?.make(3) as TensorData
    for (let i = 0; i < 3; i++) data[i] = (typeof data[0] === 'bigint' ? BigInt(i % 2) : i % 2) as never
    const server = await serveEcho()
    const [answer] = await client(server, { encoding }).infer([tensor(data, datatype)])
    expect(answer).toEqual({ name: 'out', datatype, shape: [3], data })
  })

  test('come from the version and the outputs that were asked for, in the order asked for', async () => {
    const asked = client(await serveEcho(), { encoding, version: '2' })
    const input = tensor(Float64Array.of(1), 'FP64')
    const all = await asked.infer([input])
    expect(all.map(({ name }) => name)).toEqual(['out', 'version'])
    const some = await asked.infer([input], { outputs: ['version', 'out'] })
    expect(some.map(({ data }) => Array.from(data as Float64Array))).toEqual([[2], [1]])
    expect(await message(asked.infer([input], { outputs: ['nothing'] }))).toContain(
      'the reply has no output "nothing" (got: none)',
    )
  })

  test('may be several inputs, each with its own shape', async () => {
    const second = { name: 'in2', datatype: 'INT32', shape: [2, 2], data: Int32Array.of(1, 2, 3, 4) }
    const answers = await client(await serveEcho(), { encoding }).infer([tensor(odd, 'FP64'), second])
    expect(answers[1]).toEqual({ ...second, name: 'out2' })
  })
})

describe('a server that knows no binary tensors', () => {
  test.each([400, 415, 422, 500])('and says so with status %i is asked in JSON from then on', async (refusal) => {
    const server = await serveEcho({ binary: false, refusal })
    const asked = client(server)
    for (let i = 0; i < 3; i++) expect((await asked.infer([tensor(odd, 'FP64')]))[0]?.data).toEqual(odd)
    expect(posts(server)).toEqual(['binary', 'json', 'json', 'json'])
  })

  test('is not asked in JSON where bytes were wanted', async () => {
    const server = await serveEcho({ binary: false })
    expect(await message(client(server, { encoding: 'binary' }).infer([tensor(odd, 'FP64')]))).toContain('answered 400')
  })

  test.each(['bare', 'null', 'string'] as const)('may write NaN as it likes: %s', async (nan) => {
    const server = await serveEcho({ binary: false, nan })
    const [answer] = await client(server).infer([tensor(Float64Array.of(1, Number.NaN), 'FP64')])
    expect(answer?.data).toEqual(Float64Array.of(1, Number.NaN))
  })
})

describe('a server that knows binary tensors', () => {
  test.each([undefined, null, []])(
    'is asked in bytes, whatever it says about its extensions: %o',
    async (extensions) => {
      const server = await serveEcho(extensions === undefined ? {} : { extensions })
      const asked = client(server)
      await asked.infer([tensor(odd, 'FP64')])
      await asked.infer([tensor(odd, 'FP64')])
      expect(posts(server)).toEqual(['binary', 'binary'])
      expect(server.requests.filter(({ path }) => path === '/v2').length).toBe(1)
    },
  )

  test('and refuses a request for another reason is not asked again in JSON', async () => {
    const refusing: ServedModel = {
      ...echo,
      infer: () => {
        throw new Error('out of memory')
      },
    }
    const server = keep(await startOpenInferenceServer({ echo: refusing }))
    expect(await message(client(server).infer([tensor(odd, 'FP64')]))).toContain(
      'answered 400: {"error":"Error: out of',
    )
    expect(posts(server)).toEqual(['binary'])
  })
})

describe('what cannot be sent', () => {
  test.each([
    [{ ...tensor(odd, 'FP64'), shape: [8] }, 'input in of FP64 with shape [8] needs 64 bytes, got 56'],
    [tensor(odd, 'BYTES'), 'input in: BYTES cannot be sent'],
    [tensor(odd, 'FP16'), 'input in of FP16 with shape [7] needs 28 bytes, got 56'],
  ])('is refused before anyone is asked', async (input, problem) => {
    const server = await serveEcho()
    expect(await message(client(server).infer([input]))).toBe(problem)
    expect(server.requests).toEqual([])
  })
})

describe('a server that lies', () => {
  const output = (rest: object) => ({ name: 'out', datatype: 'FP64', shape: [2], ...rest })
  const sized = (binary_data_size: unknown, rest: object = {}) => output({ parameters: { binary_data_size }, ...rest })
  const two = Buffer.from(Float64Array.of(1, 2).buffer)

  /** A reply with bytes behind its JSON, which has as many bytes as it says unless told otherwise. */
  const replying = async (reply: unknown, bytes: Buffer, length?: string): Promise<OpenInferenceClient> => {
    const header = Buffer.from(JSON.stringify(reply))
    const headers = { 'inference-header-content-length': length ?? String(header.length) }
    return client(keep(await startServer((_, answer) => send(answer, 200, Buffer.concat([header, bytes]), headers))))
  }

  test('is believed when it does not', async () => {
    const asked = await replying({ outputs: [sized(16)] }, two)
    expect((await asked.infer([]))[0]?.data).toEqual(Float64Array.of(1, 2))
  })

  test('may mix bytes with JSON and add outputs that are no numbers', async () => {
    const text = { name: 'text', datatype: 'BYTES', shape: [1], parameters: { binary_data_size: 3 } }
    const asked = await replying(
      { outputs: [text, output({ data: [3, 4] }), sized(16, { name: 'b' })] },
      Buffer.concat([Buffer.from('abc'), two]),
    )
    const answers = await asked.infer([])
    expect(answers.map(({ name, data }) => [name, ...(data as Float64Array)])).toEqual([
      ['out', 3, 4],
      ['b', 1, 2],
    ])
    expect(await message(asked.infer([], { outputs: ['text'] }))).toContain(
      'of the datatype "BYTES", which is none of numbers',
    )
  })

  test.each([
    ['more bytes than there are', { outputs: [sized(24)] }, 'announces 24 bytes of tensors and holds 16'],
    ['fewer bytes than there are', { outputs: [sized(8)] }, 'announces 8 bytes of tensors and holds 16'],
    ['sizes that add up by a negative one', { outputs: [sized(32), sized(-16)] }, 'has an output out of -16 bytes'],
    ['half a byte', { outputs: [sized(15.5)] }, 'has an output out of 15.5 bytes'],
    ['a size in words', { outputs: [sized('16')] }, 'has an output out of "16" bytes'],
    ['another shape', { outputs: [sized(16, { shape: [3] })] }, 'has 16 bytes for output out of FP64 with shape [3]'],
    ['another type', { outputs: [sized(16, { datatype: 'FP32' })] }, 'has 16 bytes for output out of FP32'],
    ['a shape beyond counting', { outputs: [sized(16, { shape: [2 ** 40, 2 ** 40] })] }, 'whose shape is not a list'],
    ['a negative shape', { outputs: [sized(16, { shape: [-1, -2] })] }, 'whose shape is not a list of sizes'],
    ['no shape', { outputs: [sized(16, { shape: undefined })] }, 'whose shape is not a list of sizes'],
    ['no name', { outputs: [sized(16, { name: 1 })] }, 'has an output 0 without a name'],
    ['no type', { outputs: [sized(16, { datatype: null })] }, 'has an output out without a datatype'],
    ['no outputs', { error: 'sorry' }, 'has no list of outputs; it says: "sorry"'],
    ['outputs that are none', { outputs: [null] }, 'has an output 0 without a name'],
  ])('about %s is found out', async (_, reply, problem) => {
    expect(await message((await replying(reply, two)).infer([]))).toContain(problem)
  })

  test.each(['999999', '-1', '1.5', 'x', ''])('about where its JSON ends is found out: %o', async (length) => {
    const said = await message((await replying({ outputs: [sized(16)] }, two, length)).infer([]))
    expect(said).toMatch(/says that its JSON has ".*" bytes|is not JSON/)
  })

  test('with a shape larger than memory is found out without asking for that memory', async () => {
    const asked = await replying({ outputs: [output({ shape: [2 ** 50], data: [1] })] }, Buffer.alloc(0))
    expect(await message(asked.infer([]))).toContain('its data has 1 numbers, its shape 1125899906842624')
  })
})
