import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request as it arrived. */
export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** A server on this machine. */
export interface TestServer {
  /** Its address, without a slash at the end. */
  readonly url: string
  /** Every request so far. */
  readonly requests: Received[]
  close(): Promise<void>
}

/** Starts a server, on a free port unless one is given; every request is read to its end before it is handled. */
export async function startServer(
  handle: (request: Received, reply: ServerResponse) => unknown,
  port = 0,
): Promise<TestServer> {
  const requests: Received[] = []
  const server = createServer(async (message, reply) => {
    try {
      const request = await receive(message)
      requests.push(request)
      await handle(request, reply)
    } catch (error) {
      if (!reply.headersSent) send(reply, 500, String(error))
      else reply.destroy()
    }
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Sends a whole reply. */
export function send(
  reply: ServerResponse,
  status: number,
  body: string | Uint8Array = '',
  headers: Readonly<Record<string, string>> = {},
): void {
  reply.writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers })
  reply.end(body)
}

async function receive(message: IncomingMessage): Promise<Received> {
  const pieces: Buffer[] = []
  for await (const piece of message) pieces.push(piece as Buffer)
  const { method = '', url = '', headers } = message
  return { method, path: url, headers, body: Buffer.concat(pieces) }
}
