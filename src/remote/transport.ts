import { type CappedBytes, readCapped } from './http-reply.ts'
import { nodeTransport } from './node-transport.ts'

/** What is sent: pieces go out one behind the other, and nobody may change them before the reply is there. */
export type Body = string | Uint8Array | readonly Uint8Array[]

/** A request on its way to one address. */
export interface WireRequest {
  readonly url: URL
  readonly method: string
  readonly headers: Headers
  readonly body: Body | undefined
  readonly signal: AbortSignal
}

/** A reply whose body is still to be read, or dropped. */
export interface WireReply {
  readonly status: number
  readonly headers: Headers
  /** A redirect that the platform does not show. */
  readonly isOpaque?: boolean | undefined
  /** Reads the body and stops at the limit. */
  read(limit: number): Promise<CappedBytes>
  drop(): void
}

/** What carries requests: it follows no redirects and keeps nothing. */
export interface Transport {
  send(request: WireRequest): Promise<WireReply>
  /** Closes connections that wait for further requests. */
  close(): void
}

/** Node's own HTTP client where there is one: `fetch` copies every body. Browsers have `fetch` alone. */
export function openTransport(): Transport {
  const http = globalThis.process?.getBuiltinModule?.('node:http')
  const https = globalThis.process?.getBuiltinModule?.('node:https')
  const zlib = globalThis.process?.getBuiltinModule?.('node:zlib')
  if (http === undefined || https === undefined || zlib === undefined) return fetchTransport
  return nodeTransport(http, https, zlib)
}

/** The way of browsers. */
export const fetchTransport: Transport = {
  async send({ url, method, headers, body, signal }) {
    const reply = await fetch(url, {
      method,
      headers,
      body: bodyInit(body),
      signal,
      redirect: 'manual',
      credentials: 'omit',
      cache: 'no-store',
      referrerPolicy: 'no-referrer',
    })
    return {
      status: reply.status,
      headers: reply.headers,
      isOpaque: reply.type === 'opaqueredirect',
      read: (limit) => readCapped(reply, limit),
      drop: () => void reply.body?.cancel().catch(() => undefined),
    }
  },
  close: () => undefined,
}

function bodyInit(body: Body | undefined): BodyInit | null {
  if (body === undefined) return null
  return (Array.isArray(body) ? new Blob(body as BlobPart[]) : body) as BodyInit
}
