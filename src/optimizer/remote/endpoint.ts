import { callAfter, onAbort } from '../core/async.ts'
import { ZerothError } from '../core/errors.ts'
import {
  count,
  mapped,
  noted,
  numberWithin,
  recordOf,
  type ShapeOf,
  type Table,
  table,
  text,
  union,
  withDefault,
} from '../core/options.ts'
import {
  base64Of,
  type HiddenSecret,
  hideSecret,
  isReference,
  looksSecret,
  redactor,
  referenceOptions,
  resolveSecret,
  type SecretSource,
  secretOption,
  secretsOfHeader,
} from './secret.ts'
import {
  type Body,
  maxRedirects,
  openTransport,
  redirection,
  retryAfter,
  type Transport,
  type WireReply,
} from './transport.ts'
import { isHttp, parsedUrl, shownUrl, urlObject } from './url.ts'

const hideUrl = (url: string): string | HiddenSecret => (shownUrl(url) === url ? url : hideSecret(url, shownUrl(url)))

/** The address of a service. One that holds credentials is kept out of sight. */
const urlOption = noted(union(mapped(text, hideUrl), mapped(urlObject, hideUrl), ...referenceOptions), {
  secret: true,
})

/** The headers sent with every request. */
const headersOption = noted(withDefault(recordOf(secretOption), {}), { secret: true })

/** Options of everything that calls a service. */
const declared = table({
  /** Address of the service: http or https. */
  url: urlOption,
  /** Headers of every request: each a text, or { env: NAME } or { file: PATH } where it is to be found. Default {}. */
  headers: headersOption,
  /**
   * Milliseconds after which a request counts as failed, from the connection to the last byte. Above 0 and at most
   * 300000; default 30000.
   */
  timeout: withDefault(numberWithin({ above: 0, most: 300_000 }), 30_000),
  /** Bytes of a reply at most; longer ones are refused. At least 1; default 16777216. */
  maxReplyBytes: withDefault(count, 16_777_216),
})

export type EndpointShape = ShapeOf<typeof declared>

/** Options of whatever is called over HTTP. */
export const endpointOptions: Table<EndpointShape> = declared

/** Where and how a service is called. */
export interface EndpointOptions {
  readonly url: SecretSource
  readonly headers: Readonly<Record<string, SecretSource>>
  readonly timeout: number
  readonly maxReplyBytes: number
}

/** One request. */
export interface EndpointRequest {
  readonly method: string
  /** Goes behind the path of the endpoint's address. */
  readonly path?: string | undefined
  /** Goes behind the path; messages do not show it. */
  readonly query?: Readonly<Record<string, string>> | undefined
  /** Left as it is until the reply is there. */
  readonly body?: Body | undefined
  readonly contentType?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly signal?: AbortSignal | undefined
  /** Replies of any status are returned; otherwise those outside 200 to 299 are errors. */
  readonly anyStatus?: boolean | undefined
}

/** A whole reply. */
export interface EndpointReply {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Uint8Array
}

/** Whether and when asking again may help. */
export interface RetryAdvice {
  readonly retryable: boolean
  readonly retryAfter?: number | undefined
  readonly timedOut?: boolean
  /** Whether the request failed on its way: then the failure says nothing about what was asked. */
  readonly unreached?: boolean
}

const late: RetryAdvice = { retryable: true, timedOut: true }
const final: RetryAdvice = { retryable: false, unreached: true }

/** A service that can be called. */
export interface Endpoint {
  /** Its address as it may appear in messages. */
  readonly shown: string
  /** Sends a request and reads the reply. Whatever goes wrong is a `query-failed` error without any secret in it. */
  call(request: EndpointRequest): Promise<EndpointReply>
  /** An error about a request, with every secret taken out of `what`. */
  error(request: EndpointRequest, what: string, details?: RetryAdvice): ZerothError
  /** The error for a reply that is a refusal: names the status and how the reply begins. */
  refusal(request: EndpointRequest, reply: EndpointReply): ZerothError
  /** How a reply begins, on one line and without secrets. */
  beginning(bytes: Uint8Array): string
  /** Ends every request under way and refuses later ones. It may be called twice. */
  close(): void
}

/** Makes an endpoint; its secrets are found now, so that a missing one is said before anything is asked. */
export function endpoint(options: EndpointOptions, owner = 'endpoint'): Endpoint {
  const target = targetOf(options, owner)
  const transport = openTransport()
  // What was there before and is not found now is probably being loaded again: servers answer before their models are ready.
  const answered = new Set<string | undefined>()
  const closing = new AbortController()
  const { error, beginning, refusal } = messagesOf(target, answered)

  /** Reads the reply to its end or to its limit; of a refusal only as much as the message needs. */
  const read = async (request: EndpointRequest, reply: WireReply): Promise<EndpointReply> => {
    const { status, headers } = reply
    if (status < 200 || status > 299) {
      const { bytes } = await reply.read(mostOfRefusal).catch(() => ({ bytes: new Uint8Array(0) }))
      const refused = { status, headers, bytes }
      if (request.anyStatus === true) return refused
      throw refusal(request, refused)
    }
    const { bytes, complete } = await reply.read(options.maxReplyBytes)
    if (complete) {
      answered.add(request.path)
      return { status, headers, bytes }
    }
    throw error(request, `answered with more than ${options.maxReplyBytes} bytes (maxReplyBytes)`, { retryable: false })
  }

  const call = async (request: EndpointRequest): Promise<EndpointReply> => {
    const stopping = new AbortController()
    const stop = (what: string, details: RetryAdvice) => stopping.abort(error(request, what, details))
    const timer = callAfter(options.timeout, () => stop(`did not answer within ${options.timeout} ms`, late))
    const leaveSignal = onAbort(request.signal, () => stop(whyStopped(request.signal), final))
    const leaveClosing = onAbort(closing.signal, () => stop('was given up: it is closed', final))
    try {
      return await read(request, await follow(transport, target, request, stopping.signal, error))
    } catch (problem) {
      if (problem instanceof ZerothError) throw problem
      throw stopping.signal.aborted ? stopping.signal.reason : error(request, failureOf(problem), { retryable: true })
    } finally {
      clearTimeout(timer)
      leaveSignal()
      leaveClosing()
    }
  }
  const close = (): void => {
    closing.abort()
    transport.close()
  }
  return { shown: target.shown(), call, error, refusal, beginning, close }
}

/** What is said of requests, without any secret; `answered` has the paths that were there once. */
function messagesOf(
  target: Target,
  answered: ReadonlySet<string | undefined>,
): Pick<Endpoint, 'error' | 'beginning' | 'refusal'> {
  const error: Endpoint['error'] = (request, what, details) => {
    const message = `${request.method} ${target.shown(request.path)} ${what}`
    return new ZerothError('query-failed', target.redact(message), details ?? {})
  }
  // Secrets first: the piece of one that is left where a text is cut cannot be recognised any more.
  const beginning: Endpoint['beginning'] = (bytes) =>
    onOneLine(target.redact(new TextDecoder().decode(bytes.subarray(0, mostOfRefusal))))
  const refusal: Endpoint['refusal'] = (request, { status, headers, bytes }) => {
    const text = beginning(bytes)
    const details = {
      retryable: mayPass(status) || (status === 404 && answered.has(request.path)),
      retryAfter: retryAfter(headers),
      unreached: !isAboutRequest(status),
    }
    return error(request, `answered ${status}${text === '' ? '' : `: ${text}`}`, details)
  }
  return { error, beginning, refusal }
}

/** Bytes read of a reply that is shown: its message shows 200 characters. */
const mostOfRefusal = 65_536

/** Sends a request, along redirects where they are allowed. */
async function follow(
  transport: Transport,
  target: Target,
  request: EndpointRequest,
  signal: AbortSignal,
  error: Endpoint['error'],
): Promise<WireReply> {
  let url = new URL(target.address(request.path))
  for (const [name, value] of Object.entries(request.query ?? {})) url.searchParams.append(name, value)
  for (let followed = 0; followed <= maxRedirects; followed++) {
    const { method, body } = request
    const reply = await transport.send({ url, method, headers: headersOf(target, request), body, signal })
    const next = redirection(reply, url, request.method)
    if (next === undefined) return reply
    reply.drop()
    if ('refused' in next) throw error(request, next.refused, final)
    url = next.to
  }
  throw error(request, `was redirected more than ${maxRedirects} times`, final)
}

/** The user's headers, the content type unless the user gave one, and what the protocol needs. */
function headersOf(target: Target, { contentType, headers = {} }: EndpointRequest): Headers {
  const all = new Headers(target.headers)
  if (contentType !== undefined && !all.has('content-type')) all.set('content-type', contentType)
  for (const [name, value] of Object.entries(headers)) all.set(name, value)
  return all
}

/** Whether a request that was refused with this status may be granted later. */
function mayPass(status: number): boolean {
  return status >= 500 || [408, 425, 429].includes(status)
}

/** Whether a status says something about what was sent, not about the way there: permissions, addresses, the server. */
function isAboutRequest(status: number): boolean {
  return [400, 413, 415, 422].includes(status)
}

/** Where zeroth itself stopped a request, it says why. */
function whyStopped(signal: AbortSignal | undefined): string {
  return signal?.reason instanceof ZerothError ? `was stopped: ${signal.reason.message}` : 'was aborted'
}

function onOneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > 200 ? `${line.slice(0, 200)}...` : line
}

/** What the network said. `fetch` hides it in the cause. */
function failureOf(problem: unknown): string {
  const own = problem as Said & { readonly cause?: Said }
  const reason = [own.cause?.code ?? own.code, own.cause?.message ?? own.message]
  return `failed: ${reason.filter((text) => typeof text === 'string' && text !== '').join(', ') || 'no connection'}`
}

interface Said {
  readonly code?: unknown
  readonly message?: unknown
}

/** Where requests go, what goes with them, and what must never be seen of that. */
export interface Target {
  readonly headers: Readonly<Record<string, string>>
  redact(text: string): string
  /** The address, with something behind its path. */
  address(path?: string): URL
  /** The same as it may appear in messages: of one that was not given itself only the origin. */
  shown(path?: string): string
}

/** Finds the secrets and refuses addresses and headers that no request could carry. */
function targetOf(
  { url, headers }: { readonly url: SecretSource; readonly headers: Readonly<Record<string, SecretSource>> },
  owner: string,
): Target {
  const address = parsedAddress(resolveSecret(url, `${owner}.url`), owner)
  const found = Object.fromEntries(
    Object.entries(headers).map(([name, source]) => [name, headerValue(name, source, owner)]),
  )
  const all = withCredentials(found, address, owner)
  const secretHeaders = Object.entries(all).filter(([name]) => !isHarmless(name, headers[name]))
  const redact = redactor([
    ...secretHeaders.flatMap(([, value]) => secretsOfHeader(value)),
    ...[address.username, address.password].flatMap((text) => [text, decoded(text)]),
    ...secretsOfQuery(address, isReference(url)),
    ...(isReference(url) ? secretsOfPath(address) : []),
  ])
  const clean = new URL(address)
  clean.username = ''
  clean.password = ''
  clean.hash = ''
  const at = (path?: string): URL => (path === undefined ? clean : below(clean, path))
  const shown = (path?: string): string => (isReference(url) ? shownBelow(clean, path) : shownUrl(at(path)))
  return { headers: all, redact, address: at, shown }
}

/** Headers that say what a request is and not who sends it; their values would be missed in messages. */
const harmless =
  /^(accept(-.+)?|cache-control|content-(type|language|encoding)|origin|pragma|prefer|user-agent|x-requested-with)$/i

function isHarmless(name: string, source: SecretSource | undefined): boolean {
  return harmless.test(name) && source !== undefined && !isReference(source)
}

/** A value of this length is no ordinary word any more, whatever its name. */
const suspicious = 16

/** A name without a value may be the secret itself: ?token. */
function secretsOfQuery({ searchParams }: URL, all: boolean): string[] {
  return [...searchParams].flatMap(([name, value]) => {
    if (value === '') return [name]
    return all || looksSecret(name) || value.length >= suspicious ? [value] : []
  })
}

/** The path as a whole, and those parts of it that are more than ordinary words. */
function secretsOfPath({ pathname }: URL): string[] {
  const parts = pathname.split('/').filter((part) => /.{8}|^(?=.*\d).{6,}/.test(part))
  return [pathname.replace(/^\/+|\/+$/g, ''), ...parts]
}

function below(url: URL, path: string): URL {
  const address = new URL(url)
  address.pathname = `${url.pathname.replace(/\/+$/, '')}/${path}`
  return address
}

function shownBelow({ origin, pathname, search }: URL, path: string | undefined): string {
  const hidden = pathname === '/' && search === '' ? '' : '/...'
  return path === undefined && hidden !== '' ? `${origin}${hidden}` : `${origin}${hidden}/${path ?? ''}`
}

function parsedAddress(text: string, owner: string): URL {
  const url = parsedUrl(text)
  if (url !== undefined && isHttp(url)) return url
  throw new ZerothError(
    'invalid-option',
    `${owner}.url must be an address that begins with http:// or https://, got ${shownUrl(text)}`,
  )
}

/** Headers that say how a request travels are set by what sends it. */
const reserved = /^(connection|content-length|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/i

const headerName = /^[!#$%&'*+.^_`|~\w-]+$/
const headerText = /^[\t\x20-\x7e\x80-\xff]*$/

function headerValue(name: string, source: SecretSource, owner: string): string {
  if (!headerName.test(name)) {
    throw new ZerothError('invalid-option', `${owner}.headers: ${JSON.stringify(name)} cannot be the name of a header`)
  }
  if (reserved.test(name)) {
    throw new ZerothError('invalid-option', `${owner}.headers.${name} cannot be given: each request sets its own`)
  }
  const value = resolveSecret(source, `${owner}.headers.${name}`)
  if (headerText.test(value)) return value
  throw new ZerothError(
    'invalid-option',
    `${owner}.headers.${name} holds a line break or another character that a header may not hold`,
  )
}

/** A user and a password in the address become the header that they stand for. */
function withCredentials(headers: Record<string, string>, url: URL, owner: string): Record<string, string> {
  if (url.username === '' && url.password === '') return headers
  if (Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')) {
    throw new ZerothError('invalid-option', `${owner}: give a user in the url or the header Authorization, not both`)
  }
  const credentials = base64Of(`${decoded(url.username)}:${decoded(url.password)}`)
  return { ...headers, Authorization: `Basic ${credentials}` }
}

/** What a percent-encoded text stands for; texts that are not encoded well stand for themselves. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
