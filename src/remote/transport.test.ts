import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { fetchTransport, openTransport, type Transport } from './transport.ts'

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
