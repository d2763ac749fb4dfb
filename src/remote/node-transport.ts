import { onAbort } from '../core/on-abort.ts'
import type { CappedBytes } from './http-reply.ts'
import type { Body, Transport, WireReply, WireRequest } from './transport.ts'

type Http = ReturnType<typeof process.getBuiltinModule<'node:http'>>
type Https = ReturnType<typeof process.getBuiltinModule<'node:https'>>
type Zlib = ReturnType<typeof process.getBuiltinModule<'node:zlib'>>
type ClientRequest = InstanceType<Http['ClientRequest']>
type IncomingMessage = InstanceType<Http['IncomingMessage']>

/** Milliseconds for which a connection waits for another request: shorter than servers do, which close it otherwise. */
const idle = 4000

/**
 * Node's own HTTP client, with connections that stay open. The pieces of a body go out as they lie in memory, without a copy.
 * Once a reply is there nothing of its request is read any more, so that the memory can be used again.
 */
export function nodeTransport(http: Http, https: Https, zlib: Zlib): Transport {
  const how = { keepAlive: true, noDelay: true, timeout: idle }
  const agents = { 'http:': new http.Agent(how), 'https:': new https.Agent(how) }
  const start = ({ url, method, headers, body }: WireRequest): ClientRequest => {
    const agent = agents[url.protocol as 'http:' | 'https:']
    const options = { method, agent, headers: headersOf(headers, method, body) }
    return url.protocol === 'https:' ? https.request(url, options) : http.request(url, options)
  }
  return {
    send: (request) =>
      new Promise<WireReply>((resolve, reject) => {
        const sent = start(request)
        const leave = onAbort(request.signal, () => sent.destroy(asError(request.signal.reason)))
        sent.on('close', leave)
        // Further errors after the reply has begun are those of the reply.
        sent.on('error', reject)
        sent.on('response', (reply) => resolve(replyOf(sent, reply, zlib)))
        write(sent, request.body)
      }),
    close() {
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

/** What `fetch` sends beside what it is told to. */
const usual = { accept: '*/*', 'user-agent': 'node', 'accept-encoding': 'gzip, deflate' }

function headersOf(headers: Headers, method: string, body: Body | undefined): Record<string, string | number> {
  const hasBody = body !== undefined || method !== 'GET'
  const length = hasBody ? { 'content-length': lengthOf(body ?? '') } : {}
  const plain = typeof body === 'string' ? { 'content-type': 'text/plain;charset=UTF-8' } : {}
  return { ...usual, ...plain, ...Object.fromEntries(headers), ...length }
}

function lengthOf(body: Body): number {
  if (typeof body === 'string') return Buffer.byteLength(body)
  return piecesOf(body).reduce((sum, piece) => sum + piece.byteLength, 0)
}

function piecesOf(body: Uint8Array | readonly Uint8Array[]): readonly Uint8Array[] {
  return body instanceof Uint8Array ? [body] : body
}

/** All pieces at once: Node hands them to the system together with the head. */
function write(sent: ClientRequest, body: Body | undefined): void {
  if (body === undefined || typeof body === 'string') return void sent.end(body ?? '')
  sent.cork()
  for (const piece of piecesOf(body)) sent.write(piece)
  sent.end()
}

function replyOf(sent: ClientRequest, reply: IncomingMessage, zlib: Zlib): WireReply {
  return {
    status: reply.statusCode ?? 0,
    headers: headersIn(reply),
    async read(limit) {
      try {
        return await capped(unpacked(reply, zlib), limit, announced(reply, limit))
      } finally {
        await finish(sent, reply)
      }
    },
    drop: () => void sent.destroy(),
  }
}

/** A connection that is still sending, or whose reply was not read to its end, is of no more use. */
async function finish(sent: ClientRequest, reply: IncomingMessage): Promise<void> {
  // A reply is noticed before the end of the sending that it answers, where both are there at once.
  if (reply.complete && !sent.writableFinished) await new Promise((resolve) => setImmediate(resolve))
  if (!sent.writableFinished || !reply.complete) sent.destroy()
}

function headersIn({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers()
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    headers.append(rawHeaders[i] as string, rawHeaders[i + 1] as string)
  }
  return headers
}

/** The length that a reply says it has, as far as that is of use. */
function announced({ headers }: IncomingMessage, limit: number): number {
  const length = headers['content-encoding'] === undefined ? Number(headers['content-length']) : Number.NaN
  return length > 0 && length <= limit ? length : 0
}

function unpacked(reply: IncomingMessage, zlib: Zlib): NodeJS.ReadableStream {
  const packing = reply.headers['content-encoding']?.trim().toLowerCase()
  const unpack = packing === undefined ? undefined : unpackers[packing]?.(zlib)
  if (unpack === undefined) return reply
  reply.on('error', (error) => unpack.destroy(error))
  reply.on('aborted', () => unpack.destroy(broken()))
  return reply.pipe(unpack)
}

/** As lenient as `fetch`: what ends early has still been sent. */
const unpackers: Readonly<Record<string, (zlib: Zlib) => ReturnType<Zlib['createUnzip']>>> = {
  gzip: (zlib) => zlib.createGunzip({ finishFlush: zlib.constants.Z_SYNC_FLUSH }),
  'x-gzip': (zlib) => zlib.createGunzip({ finishFlush: zlib.constants.Z_SYNC_FLUSH }),
  deflate: (zlib) => zlib.createUnzip({ finishFlush: zlib.constants.Z_SYNC_FLUSH }),
  br: (zlib) => zlib.createBrotliDecompress(),
}

/** Reads into one piece of memory where the reply says how long it is; stops at the limit, whatever it says. */
function capped(from: NodeJS.ReadableStream, limit: number, expected: number): Promise<CappedBytes> {
  return new Promise((resolve, reject) => {
    let into = alignedAtEnd(expected)
    let length = 0
    const end = (complete: boolean): void => {
      from.removeAllListeners('data')
      resolve({ bytes: into.subarray(0, length), complete })
    }
    from.on('data', (chunk: Uint8Array) => {
      const piece = chunk.subarray(0, limit - length)
      if (length === 0 && expected === 0) into = piece
      else {
        if (length + piece.length > into.length) into = grown(into, length + piece.length, limit)
        into.set(piece, length)
      }
      length += piece.length
      if (piece.length < chunk.length) end(false)
    })
    from.on('end', () => end(true))
    from.on('error', reject)
    from.on('close', () => reject(broken()))
  })
}

/** Bytes that end where a number of any type may begin: tensors, which come last in a reply, can be read where they are. */
function alignedAtEnd(length: number): Uint8Array {
  const gap = (8 - (length % 8)) % 8
  return new Uint8Array(new ArrayBuffer(gap + length), gap)
}

function grown(bytes: Uint8Array, wanted: number, limit: number): Uint8Array {
  const larger = new Uint8Array(Math.max(wanted, Math.min(limit, 2 * bytes.length)))
  larger.set(bytes)
  return larger
}

function broken(): Error {
  return Object.assign(new Error('other side closed'), { code: 'ECONNRESET' })
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason))
}
