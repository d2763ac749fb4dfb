import { onAbort } from '../core/async.ts'
import { parsedUrl } from './url.ts'

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
function nodeTransport(http: Http, https: Https, zlib: Zlib): Transport {
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

/** What was read of a reply. */
export interface CappedBytes {
  readonly bytes: Uint8Array
  /** False where there was more than the limit: the rest was not read. */
  readonly complete: boolean
}

/** Reads a reply and stops at the limit, whatever the reply says about its own length. */
async function readCapped(reply: Response, limit: number): Promise<CappedBytes> {
  if (reply.body === null) return { bytes: new Uint8Array(0), complete: true }
  const reader = reply.body.getReader()
  const pieces: Uint8Array[] = []
  let length = 0
  while (true) {
    const { done, value } = await reader.read()
    if (done) return { bytes: joined(pieces, length), complete: true }
    pieces.push(value.subarray(0, limit - length))
    length += value.length
    if (length <= limit) continue
    // Not awaited: the other side may be in no hurry to notice.
    reader.cancel().catch(() => undefined)
    return { bytes: joined(pieces, limit), complete: false }
  }
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  if (pieces.length === 1) return pieces[0] as Uint8Array
  const all = new Uint8Array(length)
  let offset = 0
  for (const piece of pieces) {
    all.set(piece, offset)
    offset += piece.length
  }
  return all
}

/** Where a reply sends a request on to, or why that is not followed. */
export type Redirection = { readonly to: URL } | { readonly refused: string }

/** What a reply says before its body. */
interface ReplyHead {
  readonly status: number
  readonly headers: Headers
  /** A redirect that the platform does not show. */
  readonly isOpaque?: boolean | undefined
}

/** How many redirects are followed. */
export const maxRedirects = 5

/**
 * What a reply says about another address; undefined where it says nothing. Only the same origin is followed: headers
 * such as X-API-Key would reach any host that the reply names. A request with a body is repeated only where HTTP says so.
 */
export function redirection(reply: ReplyHead, from: URL, method: string): Redirection | undefined {
  // Browsers do not tell where to.
  if (reply.isOpaque === true) return { refused: 'was redirected, which cannot be followed here' }
  if (![301, 302, 303, 307, 308].includes(reply.status)) return undefined
  const location = reply.headers.get('location')
  const to = parsedUrl(location ?? '', from)
  if (location === null || to === undefined) return { refused: `answered ${reply.status} without a usable location` }
  if (to.origin !== from.origin) {
    return { refused: `was redirected from ${from.origin} to ${shownOrigin(to)}: another origin is not followed` }
  }
  if (method !== 'GET' && reply.status < 307) {
    return { refused: `was redirected with status ${reply.status}: with ${method} only 307 and 308 are followed` }
  }
  return { to }
}

/** The origin of what is no http address is the word null. */
function shownOrigin(url: URL): string {
  return url.origin === 'null' ? url.protocol : url.origin
}

/** Milliseconds the other side wants to be left alone, in seconds or as a date counted from the reply's own clock. */
export function retryAfter(headers: Headers): number | undefined {
  const text = headers.get('retry-after')?.trim()
  if (text === undefined) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  const until = secondsOfHttpDate(text)
  const now = secondsOfHttpDate(headers.get('date') ?? '')
  return until === undefined || now === undefined ? undefined : Math.max(0, until - now) * 1000
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const httpDate = /^[A-Z][a-z]{2}, (\d\d) ([A-Z][a-z]{2}) (\d{4}) (\d\d):(\d\d):(\d\d) GMT$/

/** Seconds since 1970 of a date such as `Sun, 06 Nov 1994 08:49:37 GMT`, the only form that HTTP still writes. */
export function secondsOfHttpDate(text: string): number | undefined {
  const [, day, month, year, hours, minutes, seconds] = httpDate.exec(text.trim()) ?? []
  const index = months.indexOf(month ?? '')
  if (index < 0) return undefined
  const days = daysSince1970(Number(year), index + 1, Number(day))
  return ((days * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds)
}

/** Counts years from March: the day that leap years add is then the last one. */
function daysSince1970(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year
  const monthFromMarch = (month + 9) % 12
  const dayOfYear = Math.floor((153 * monthFromMarch + 2) / 5) + day - 1
  return 365 * y + Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400) + dayOfYear - 719_468
}
