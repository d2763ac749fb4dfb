import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** Who may ask a server what. */
export interface GuardOptions {
  readonly port: number
  /** Whoever has it may do everything. */
  readonly token: string
  /** The address that people use if a proxy is before the server. */
  readonly publicUrl?: URL | undefined
  /** Names and addresses under which other machines reach it. */
  readonly hosts?: readonly string[] | undefined
}

/** A request as far as it decides what is allowed. */
export interface GuardedRequest {
  readonly method: string
  readonly path: string
  /** The token in the address, if there is one: it opens the page itself. */
  readonly token?: string | undefined
  readonly headers: IncomingHttpHeaders
}

/** Why a request is refused. */
export interface Refusal {
  readonly status: 400 | 401 | 403 | 405 | 415 | 421
  readonly error: string
}

const local = ['127.0.0.1', 'localhost', '[::1]']

/**
 * Why a request must not be answered; undefined if it may be. Other users of this machine reach the server, too: nothing but
 * the scripts and styles of the page, which are the same for everybody, is given to those who do not have the token.
 */
export function refusalOf(request: GuardedRequest, options: GuardOptions): Refusal | undefined {
  const { method, path, headers } = request
  const own = hostsOf(options).find((each) => each === headers.host?.toLowerCase())
  if (own === undefined) return { status: 421, error: `this server does not answer for the host ${headers.host}` }
  if (!['GET', 'HEAD', 'POST'].includes(method))
    return { status: 405, error: `${method} is not allowed: use GET or POST` }
  const isPost = method === 'POST'
  const isCall = /^\/api(\/|$)/.test(path)
  if ((isCall || isPost) && !isOwnPage(headers['sec-fetch-site'])) {
    return { status: 403, error: 'pages of other sites may not ask this server' }
  }
  if (isPost) {
    const refused = refusedPost(own, headers, options)
    if (refused !== undefined) return refused
  } else if (path.startsWith('/assets/')) return undefined
  if (hasToken(request, options)) return undefined
  return { status: 401, error: 'the token is missing or wrong: it is in the address that zeroth ui printed' }
}

function refusedPost(
  host: string,
  headers: IncomingHttpHeaders,
  { publicUrl }: Pick<GuardOptions, 'publicUrl'>,
): Refusal | undefined {
  const origins = host === publicUrl?.host ? [publicUrl.origin] : [`http://${host}`]
  if (headers.origin === undefined || !origins.includes(headers.origin.toLowerCase())) {
    return { status: 403, error: 'only the page of this server may change something' }
  }
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  return type === 'application/json' ? undefined : { status: 415, error: 'the content type must be application/json' }
}

/** The hosts that this server answers for, in small letters. */
function hostsOf({ port, hosts = [], publicUrl }: GuardOptions): string[] {
  const names = [...local, ...hosts.map((each) => (each.includes(':') ? `[${each}]` : each).toLowerCase())]
  // Browsers leave out the usual port.
  const own = names.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]))
  return [...own, ...(publicUrl === undefined ? [] : [publicUrl.host])]
}

/** Not sent by programs; `none` if a person typed the address. Another port of this machine is `same-site`. */
function isOwnPage(site: string | string[] | undefined): boolean {
  return site === undefined || site === 'same-origin' || site === 'none'
}

/**
 * Whether a request has the token: in a header; in the address, for the page itself; or, to read, by the cookie. The cookie
 * alone changes nothing: a browser sends it by itself, and also to servers of others at other ports of this machine.
 */
function hasToken({ method, path, headers, token }: GuardedRequest, options: GuardOptions): boolean {
  const said = headers['x-zeroth-token']
  if (said !== undefined) return typeof said === 'string' && isSame(said, options.token)
  if (method === 'POST') return false
  if (path === '/' && token !== undefined) return isSame(token, options.token)
  const { name, value } = cookieOf(options)
  return isSame(cookieIn(headers.cookie, name) ?? '', value)
}

/** The cookie of those who have opened the page. Its name has the port, as cookies ignore ports; the token is not in it. */
export function cookieOf({ port, token }: GuardOptions): { readonly name: string; readonly value: string } {
  return { name: `zeroth-${port}`, value: createHmac('sha256', token).update('may read').digest('hex') }
}

/** Compares without telling by its time how much was right. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => createHash('sha256').update(text).digest())
  return timingSafeEqual(a as Buffer, b as Buffer)
}

function cookieIn(header: string | undefined, name: string): string | undefined {
  for (const each of header?.split(';') ?? []) {
    const [key, value] = each.trim().split('=')
    if (key === name) return value
  }
  return undefined
}
