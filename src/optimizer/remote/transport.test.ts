import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { keeper } from '../../../test/servers/kept.ts'
import { send, startServer, type TestServer } from '../../../test/servers/server.ts'
import { parseOptions } from '../core/options.ts'
import { type Endpoint, endpoint, endpointOptions } from './endpoint.ts'
import {
  fetchTransport,
  openTransport,
  redirection,
  retryAfter,
  secondsOfHttpDate,
  type Transport,
} from './transport.ts'

describe('transport', () => {
  const servers: Server[] = []
  afterEach(() => {
    for (const server of servers.splice(0)) server.close().closeAllConnections()
  })

  async function serving(answer: RequestListener): Promise<{ url: URL; server: Server }> {
    const server = createServer(answer).listen(0, '127.0.0.1')
    servers.push(server)
    await once(server, 'listening')
    return { server, url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`) }
  }

  function post(transport: Transport, url: URL, body: Uint8Array | readonly Uint8Array[]) {
    return transport.send({ url, method: 'POST', headers: new Headers(), body, signal: new AbortController().signal })
  }

  describe.each([
    ['of Node', openTransport()],
    ['of browsers', fetchTransport],
  ] as const)('the transport %s', (_, transport) => {
    test('sends pieces one behind the other, with their length', async () => {
      const { url } = await serving((request, reply) => {
        const pieces: Buffer[] = []
        request.on('data', (piece) => pieces.push(piece))
        request.on('end', () => {
          reply.setHeader('length', request.headers['content-length'] ?? '')
          reply.end(Buffer.concat(pieces))
        })
      })
      const reply = await post(transport, url, [Uint8Array.of(1, 2), Uint8Array.of(3)])
      expect(reply.headers.get('length')).toBe('3')
      expect(await reply.read(100)).toEqual({ bytes: expect.objectContaining({ length: 3 }), complete: true })
    })

    test('reads no more than the limit, and what is at the limit whole', async () => {
      const { url } = await serving((request, reply) => {
        request.resume()
        reply.end(new Uint8Array(200_000).fill(7))
      })
      for (const [limit, complete] of [
        [200_000, true],
        [199_999, false],
      ] as const) {
        const { bytes, complete: isWhole } = await (await post(transport, url, [])).read(limit)
        expect([bytes.length, isWhole]).toEqual([limit, complete])
        expect(bytes.every((byte) => byte === 7)).toBe(true)
      }
    })
  })

  describe('the transport of Node', () => {
    test('ends a reply where a number may begin, so that numbers at its end can be read where they are', async () => {
      for (const length of [12, 13, 1000]) {
        const { url } = await serving((request, reply) => {
          request.resume()
          reply.setHeader('content-length', length)
          reply.end(Uint8Array.from({ length }, (_, i) => i % 251))
        })
        const { bytes } = await (await post(openTransport(), url, [])).read(10_000)
        expect([(bytes.byteOffset + bytes.length) % 8, bytes.length, bytes[11]]).toEqual([0, length, 11])
      }
    })

    test('asks again over the same connection', async () => {
      const { url, server } = await serving((request, reply) => {
        request.resume()
        request.on('end', () => reply.end('yes'))
      })
      let connections = 0
      server.on('connection', () => connections++)
      const transport = openTransport()
      for (let i = 0; i < 10; i++) await (await post(transport, url, new Uint8Array(20_000_000))).read(10)
      transport.close()
      expect(connections).toBe(1)
    })

    test('reads nothing of the body any more once the reply is there, though not all of it was sent', async () => {
      const { url, server } = await serving((_, reply) => {
        // Refused before the body was read, on a connection that would go on reading it.
        reply.writeHead(413)
        reply.end('no')
      })
      const closed = new Promise((resolve) => {
        server.on('connection', (socket) => socket.on('close', resolve))
      })
      const transport = openTransport()
      const reply = await post(transport, url, new Uint8Array(50_000_000))
      expect(reply.status).toBe(413)
      await reply.read(10)
      await closed
      transport.close()
    })
  })
})

describe('http reply', () => {
  const keep = keeper<TestServer>()
  const serve = async (...given: Parameters<typeof startServer>): Promise<TestServer> =>
    keep(await startServer(...given))

  const at = (url: string): Endpoint =>
    endpoint(parseOptions('http', endpointOptions, { url, headers: { 'X-API-Key': 'canary-4711' } }))
  const to = (status: number, location: string) => serve((_, reply) => send(reply, status, '', { location }))
  const message = (work: Promise<unknown>): Promise<string> => work.then(String, (error: Error) => error.message)

  describe('a redirect to another origin', () => {
    test.each([
      ['POST', [301, 302, 303, 307, 308]],
      ['GET', [301, 302, 303, 307, 308]],
    ])('is never followed with %s: nobody else sees the headers', async (method, statuses) => {
      const stranger = await serve((_, reply) => send(reply, 200, '{"value":1}'))
      for (const status of statuses) {
        const server = await to(status, `${stranger.url}/take?secret=1`)
        const said = await message(at(server.url).call({ method }))
        expect(said).toBe(
          `${method} ${server.url}/ was redirected from ${server.url} to ${stranger.url}: another origin is not followed`,
        )
      }
      expect(stranger.requests).toEqual([])
    })

    test('is one to another port, another scheme, another name of the same machine, or without a scheme', async () => {
      const stranger = await serve((_, reply) => send(reply, 200))
      const { port } = new URL(stranger.url)
      for (const location of [
        `//127.0.0.1:${port}/`,
        `http://localhost:${port}/`,
        `https://127.0.0.1:${port}/`,
        `http://user:pass@127.0.0.1:${port}/`,
        'data:application/json,{}',
        'file:///etc/passwd',
      ]) {
        const server = await to(307, location)
        expect(await message(at(server.url).call({ method: 'POST' }))).toContain('another origin is not followed')
      }
      expect(stranger.requests).toEqual([])
    })
  })

  describe('a redirect to the same origin', () => {
    test.each([307, 308])('is followed with status %i, method, body and headers as they were', async (status) => {
      const server = await serve(({ path }, reply) =>
        path === '/new?a=1' ? send(reply, 200, 'here') : send(reply, status, '', { location: 'new?a=1' }),
      )
      const reply = await at(`${server.url}/old`).call({ method: 'POST', body: 'text' })
      expect(new TextDecoder().decode(reply.bytes)).toBe('here')
      const [, second] = server.requests
      expect([second?.method, second?.body.toString(), second?.headers['x-api-key']]).toEqual([
        'POST',
        'text',
        'canary-4711',
      ])
    })

    test.each([301, 302, 303])('with status %i is followed with GET only', async (status) => {
      const server = await serve(({ path }, reply) =>
        path === '/new' ? send(reply, 200, 'here') : send(reply, status, '', { location: '/new' }),
      )
      expect((await at(server.url).call({ method: 'GET' })).status).toBe(200)
      expect(await message(at(server.url).call({ method: 'POST' }))).toContain(
        `was redirected with status ${status}: with POST only 307 and 308 are followed`,
      )
    })

    test('is followed five times and no more', async () => {
      const server = await serve(({ path }, reply) => {
        const left = Number(path.slice(1))
        return left === 0 ? send(reply, 200) : send(reply, 307, '', { location: `/${left - 1}` })
      })
      expect((await at(`${server.url}/5`).call({ method: 'POST' })).status).toBe(200)
      expect(await message(at(`${server.url}/6`).call({ method: 'POST' }))).toContain(
        'was redirected more than 5 times',
      )
      expect(server.requests.length).toBe(12)
    })
  })

  test.each(['', 'http://', 'http://[x'])('a redirect to %o leads nowhere', async (location) => {
    const server = await to(307, location)
    const said = await message(at(`${server.url}/a`).call({ method: 'POST' }))
    expect(said).toMatch(/answered 307 without a usable location|was redirected more than 5 times/)
  })

  test('a redirect without a location leads nowhere, and one that the platform hides is said to be hidden', () => {
    const from = new URL('http://127.0.0.1/')
    const bare = new Response(null, { status: 307 })
    expect(redirection(bare, from, 'GET')).toEqual({ refused: 'answered 307 without a usable location' })
    const hidden = { isOpaque: true, status: 0, headers: new Headers() }
    expect(redirection(hidden, from, 'GET')).toEqual({ refused: 'was redirected, which cannot be followed here' })
    expect(redirection(new Response(null, { status: 304 }), from, 'GET')).toBeUndefined()
  })

  const headers = (retry: string | undefined, date?: string): Headers => {
    const all = new Headers()
    if (retry !== undefined) all.set('retry-after', retry)
    if (date !== undefined) all.set('date', date)
    return all
  }

  describe('Retry-After', () => {
    test('in seconds', () => {
      expect(retryAfter(headers('0'))).toBe(0)
      expect(retryAfter(headers('120'))).toBe(120_000)
    })

    test("as a date, counted from the reply's own", () => {
      const date = 'Wed, 21 Oct 2015 07:27:50 GMT'
      expect(retryAfter(headers('Wed, 21 Oct 2015 07:28:00 GMT', date))).toBe(10_000)
      expect(retryAfter(headers('Tue, 20 Oct 2015 07:28:00 GMT', date))).toBe(0)
      expect(retryAfter(headers('Wed, 21 Oct 2015 07:28:00 GMT'))).toBeUndefined()
    })

    test.each([undefined, '', 'soon', '-1', '1.5', '99999999999', 'Wed, 21 Foo 2015 07:28:00 GMT'])(
      '%o says nothing',
      (text) => {
        expect(retryAfter(headers(text, 'Wed, 21 Oct 2015 07:27:50 GMT'))).toBeUndefined()
      },
    )
  })

  test('dates are counted as the platform counts them', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 253_402_300_799 }), (seconds) => {
        // biome-ignore lint/style/noRestrictedGlobals: a second opinion
        expect(secondsOfHttpDate(new Date(seconds * 1000).toUTCString())).toBe(seconds)
      }),
      { numRuns: 1000 },
    )
  })
})
