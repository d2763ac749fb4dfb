import { createServer } from 'node:net'
import { describe, expect, test, vi } from 'vitest'
import { keeper } from '../../../test/servers/kept.ts'
import { send, startServer, type TestServer } from '../../../test/servers/server.ts'
import { ZerothError } from '../core/errors.ts'
import { type Input, parseOptions } from '../core/options.ts'
import { type Endpoint, endpoint, endpointOptions } from './endpoint.ts'

const keep = keeper<TestServer>()
const serve = async (...given: Parameters<typeof startServer>): Promise<TestServer> => keep(await startServer(...given))

const schema = endpointOptions
const at = (given: Given): Endpoint => endpoint(parseOptions('http', schema, given), 'http')
type Given = Input<typeof schema>
const post = { method: 'POST', body: '{}' }

async function failure(work: Promise<unknown>): Promise<ZerothError> {
  const error = await work.then(
    () => undefined,
    (problem: unknown) => problem,
  )
  expect(error).toBeInstanceOf(ZerothError)
  expect(error).toMatchObject({ code: 'query-failed' })
  return error as ZerothError
}

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

describe('a call', () => {
  test('sends method, path, body, content type and headers, and returns the whole reply', async () => {
    const server = await serve((_, reply) => send(reply, 201, 'done', { 'x-more': 'yes' }))
    const service = at({ url: `${server.url}/base/?key=abc`, headers: { 'X-API-Key': 'k' } })
    const request = { method: 'PUT', path: 'a/b', body: 'text', contentType: 'text/plain', headers: { 'X-Own': '1' } }
    const reply = await service.call(request)
    expect([reply.status, text(reply.bytes), reply.headers.get('x-more')]).toEqual([201, 'done', 'yes'])
    const [got] = server.requests
    expect([got?.method, got?.path, got?.body.toString()]).toEqual(['PUT', '/base/a/b?key=abc', 'text'])
    expect(got?.headers).toMatchObject({ 'x-api-key': 'k', 'x-own': '1', 'content-type': 'text/plain' })
    expect(service.shown).toBe(`${server.url}/base/?key=...`)
  })

  test('sends bytes as they are', async () => {
    const server = await serve(({ body }, reply) => send(reply, 200, body))
    const bytes = Uint8Array.from({ length: 256 }, (_, i) => i)
    const reply = await at({ url: server.url }).call({ method: 'POST', body: bytes })
    expect(Array.from(reply.bytes)).toEqual(Array.from(bytes))
  })

  test('turns user and password of the address into a header', async () => {
    const server = await serve((_, reply) => send(reply, 200))
    await at({ url: server.url.replace('://', '://us%20er:p%40ss@') }).call(post)
    const pair = Buffer.from('us er:p@ss').toString('base64')
    expect(server.requests[0]?.headers.authorization).toBe(`Basic ${pair}`)
  })

  test('takes its address as a URL, too', async () => {
    const server = await serve((_, reply) => send(reply, 200))
    await at({ url: new URL(`${server.url}/a?b=c`) }).call(post)
    expect(server.requests[0]?.path).toBe('/a?b=c')
  })

  test('asks for its secrets when it is made', () => {
    expect(() => at({ url: 'http://127.0.0.1', headers: { 'X-API-Key': { env: 'ZEROTH_TEST_NONE' } } })).toThrow(
      'http.headers.X-API-Key: the environment variable ZEROTH_TEST_NONE is not set',
    )
  })

  test.each([
    [
      { url: 'ftp://user:canary@example.org' },
      'http.url must be an address that begins with http:// or https://, got a URL of the kind ftp:',
    ],
    [{ url: 'canary' }, 'http.url must be an address that begins with http:// or https://, got a text that is no URL'],
    [{ url: 'http://a', headers: { 'a b': 'x' } }, 'http.headers: "a b" cannot be the name of a header'],
    [{ url: 'http://a', headers: { A: 'canary\r\nB: 1' } }, 'http.headers.A holds a line break or another character'],
    [{ url: 'http://a', headers: { A: 'canary \u{1f600}' } }, 'http.headers.A holds a line break or another character'],
    [{ url: 'http://u:canary@a', headers: { authorization: 'x' } }, 'http: give a user in the url or the header'],
    ...['Connection', 'content-length', 'Expect', 'Host', 'Keep-Alive', 'TE', 'Transfer-Encoding', 'Upgrade'].map(
      (name): [Given, string] => [
        { url: 'http://a', headers: { [name]: 'canary' } },
        `http.headers.${name} cannot be given: each request sets its own`,
      ],
    ),
    [{ url: 'http://a', timeout: 400_000 }, 'http.timeout must be at most 300000, got 400000'],
  ])('refuses %o', (given, message) => {
    expect(() => at(given)).toThrow(message)
    expect(() => at(given)).not.toThrow('canary')
  })

  test('leaves no listener on the signals and raises no warning, however many are under way', async () => {
    const warnings: Error[] = []
    const onWarning = (warning: Error): void => void warnings.push(warning)
    process.on('warning', onWarning)
    const server = await serve((_, reply) => send(reply, 200))
    const { signal } = new AbortController()
    let listeners = 0
    const { addEventListener, removeEventListener } = signal
    signal.addEventListener = (...args: unknown[]) => (listeners++, Reflect.apply(addEventListener, signal, args))
    signal.removeEventListener = (...args: unknown[]) => (listeners--, Reflect.apply(removeEventListener, signal, args))
    const service = at({ url: server.url })
    await Promise.all(Array.from({ length: 40 }, () => service.call({ ...post, signal })))
    await new Promise((resolve) => setImmediate(resolve))
    process.off('warning', onWarning)
    expect(listeners).toBe(0)
    expect(warnings).toEqual([])
  })
})

describe('a refusal', () => {
  test.each([400, 401, 403, 404, 410, 413, 422])('with status %i is not worth another try', async (status) => {
    const server = await serve((_, reply) => send(reply, status, 'no'))
    const error = await failure(at({ url: server.url }).call(post))
    expect(error.message).toBe(`POST ${server.url}/ answered ${status}: no`)
    expect(error.retryable).toBe(false)
  })

  test.each([408, 425, 429, 500, 502, 503, 504])('with status %i is', async (status) => {
    const server = await serve((_, reply) => send(reply, status, '', { 'retry-after': '7' }))
    const error = await failure(at({ url: server.url }).call(post))
    expect(error.message).toBe(`POST ${server.url}/ answered ${status}`)
    expect([error.retryable, error.retryAfter]).toEqual([true, 7000])
  })

  test('is about what was sent with some statuses, and about the way there with all others', async () => {
    const about = async (status: number) => {
      const server = await serve((_, reply) => send(reply, status))
      return (await failure(at({ url: server.url }).call(post))).unreached
    }
    for (const status of [400, 413, 415, 422]) expect([status, await about(status)]).toEqual([status, false])
    for (const status of [401, 403, 404, 405, 429, 500, 503])
      expect([status, await about(status)]).toEqual([status, true])
  })

  test('with status 404 may pass where there was an answer before: models are loaded again', async () => {
    let isThere = true
    const server = await serve((_, reply) => send(reply, isThere ? 200 : 404))
    const service = at({ url: server.url })
    await service.call(post)
    isThere = false
    expect((await failure(service.call(post))).retryable).toBe(true)
    expect((await failure(service.call({ ...post, path: 'elsewhere' }))).retryable).toBe(false)
  })

  test('shows the first 200 characters of the reply on one line', async () => {
    const server = await serve((_, reply) => send(reply, 400, `{\n  "error": "${'x'.repeat(5000)}"\n}`))
    const error = await failure(at({ url: server.url }).call(post))
    expect(error.message).toBe(`POST ${server.url}/ answered 400: { "error": "${'x'.repeat(200 - 12)}...`)
  })

  test('whose text never ends is a refusal all the same', async () => {
    const server = await serve((_, reply) => {
      reply.writeHead(400)
      const more = setInterval(() => reply.write('x'.repeat(65_536)), 1)
      reply.on('close', () => clearInterval(more))
    })
    const error = await failure(at({ url: server.url, timeout: 5000 }).call(post))
    expect(error.message).toMatch(/answered 400: x{200}\.\.\.$/)
  })

  test('keeps what says nothing about who asks, and nothing else', async () => {
    const words = 'application/json version 2024 my-tool/1.0 sk-abc X-Other-value hunter22'
    const server = await serve((_, reply) => send(reply, 415, words))
    const given = {
      url: `${server.url}/?version=2024&password=hunter22`,
      headers: {
        Accept: 'application/json',
        'user-agent': 'my-tool/1.0',
        'X-Other': 'X-Other-value',
        'X-Key': 'sk-abc',
      },
    }
    const { message } = await failure(at(given).call(post))
    expect(message).toContain('answered 415: application/json version 2024 my-tool/1.0 [secret] [secret] [secret]')
  })

  test('hides a harmless header that says where its value is to be found', async () => {
    vi.stubEnv('ZEROTH_TEST_AGENT', 'canary-agent')
    const server = await serve((_, reply) => send(reply, 415, 'canary-agent'))
    const service = at({ url: server.url, headers: { 'User-Agent': { env: 'ZEROTH_TEST_AGENT' } } })
    vi.unstubAllEnvs()
    expect((await failure(service.call(post))).message).toMatch(/answered 415: \[secret\]$/)
  })

  test('of an address that was not given itself shows its origin only', async () => {
    const server = await serve(({ path }, reply) => send(reply, 404, `no ${path} and no CANARYPATH`))
    vi.stubEnv('ZEROTH_TEST_HOOK', `${server.url}/services/T0/B0/CANARYPATH?sub=canary`)
    const service = at({ url: { env: 'ZEROTH_TEST_HOOK' } })
    vi.unstubAllEnvs()
    const messages = [await failure(service.call(post)), await failure(service.call({ ...post, path: 'v2' }))]
    expect(messages.map(({ message }) => message)).toEqual([
      `POST ${server.url}/... answered 404: no /[secret]?sub=[secret] and no [secret]`,
      `POST ${server.url}/.../v2 answered 404: no /[secret]/v2?sub=[secret] and no [secret]`,
    ])
    expect(server.requests[0]?.path).toBe('/services/T0/B0/CANARYPATH?sub=canary')
  })

  test('is returned where any status is wanted', async () => {
    const server = await serve((_, reply) => send(reply, 503, 'later'))
    const reply = await at({ url: server.url }).call({ ...post, anyStatus: true })
    expect([reply.status, text(reply.bytes)]).toEqual([503, 'later'])
  })
})

describe('a reply that does not come', () => {
  test('because nobody listens', async () => {
    const gone = await startServer(() => undefined)
    await gone.close()
    const error = await failure(at({ url: gone.url }).call(post))
    expect(error.message).toContain(`POST ${gone.url}/ failed: ECONNREFUSED`)
    expect(error.retryable).toBe(true)
  })

  test('because the connection is reset', async () => {
    const server = await serve((_, reply) => void reply.socket?.resetAndDestroy())
    const error = await failure(at({ url: server.url }).call(post))
    expect(error.message).toContain(`POST ${server.url}/ failed: ECONNRESET`)
    expect(error.retryable).toBe(true)
  })

  test.each([
    ['headers', () => undefined],
    ['a body', (reply: { write(text: string): unknown }) => reply.write('{')],
  ])('in time counts as failed, while waiting for %s', async (_, begin) => {
    const server = await serve((__, reply) => void begin(reply))
    const error = await failure(at({ url: server.url, timeout: 100 }).call(post))
    expect(error.message).toBe(`POST ${server.url}/ did not answer within 100 ms`)
    expect(error.retryable).toBe(true)
  })

  test('because a server that accepts connections says nothing', async () => {
    const silent = createServer()
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as { port: number }
    const error = await failure(at({ url: `http://127.0.0.1:${port}`, timeout: 100 }).call(post))
    expect(error.message).toContain('did not answer within 100 ms')
    silent.close()
  })

  test('whole, since it breaks off', async () => {
    const server = await serve((_, reply) => {
      reply.writeHead(200, { 'content-length': '100' })
      reply.write('{"value":', () => reply.destroy())
    })
    const error = await failure(at({ url: server.url }).call(post))
    expect(error.message).toContain(`POST ${server.url}/ failed: `)
    expect(error.retryable).toBe(true)
  })

  test('because the caller gave up, before or while waiting', async () => {
    const server = await serve(() => undefined)
    const service = at({ url: server.url })
    const early = await failure(service.call({ ...post, signal: AbortSignal.abort() }))
    const controller = new AbortController()
    const late = failure(service.call({ ...post, signal: controller.signal }))
    setTimeout(() => controller.abort(), 30)
    for (const error of [early, await late]) {
      expect(error.message).toBe(`POST ${server.url}/ was aborted`)
      expect(error.retryable).toBe(false)
    }
  })

  test('because the endpoint was closed, before or while waiting', async () => {
    const server = await serve(() => undefined)
    const service = at({ url: server.url })
    const waiting = failure(service.call(post))
    setTimeout(service.close, 30)
    expect((await waiting).message).toContain('was given up')
    service.close()
    expect((await failure(service.call(post))).message).toContain('was given up')
  })
})

describe('a reply that is too long', () => {
  const limit = { maxReplyBytes: 100_000, timeout: 20_000 }

  test.each([100_000, 100_001])('has more than maxReplyBytes: %i', async (length) => {
    const server = await serve((_, reply) => send(reply, 200, 'x'.repeat(length)))
    const work = at({ url: server.url, ...limit }).call(post)
    if (length === 100_000) expect((await work).bytes.length).toBe(length)
    else {
      const error = await failure(work)
      expect(error.message).toBe(`POST ${server.url}/ answered with more than 100000 bytes (maxReplyBytes)`)
      expect(error.retryable).toBe(false)
    }
  })

  test('is refused while it comes, though it never ends and does not say how long it is', async () => {
    let closed = false
    const server = await serve((_, reply) => {
      const more = setInterval(() => reply.write('x'.repeat(65_536)), 1)
      reply.on('close', () => {
        closed = true
        clearInterval(more)
      })
    })
    const error = await failure(at({ url: server.url, ...limit }).call(post))
    expect(error.message).toContain('more than 100000 bytes')
    await expect.poll(() => closed).toBe(true)
  })

  test('is refused by what it unpacks to', async () => {
    const { gzipSync } = await import('node:zlib')
    const bomb = gzipSync(Buffer.alloc(50_000_000))
    const server = await serve((_, reply) => send(reply, 200, bomb, { 'content-encoding': 'gzip' }))
    expect(bomb.length).toBeLessThan(limit.maxReplyBytes)
    const error = await failure(at({ url: server.url, ...limit }).call(post))
    expect(error.message).toContain('more than 100000 bytes')
  })
})
