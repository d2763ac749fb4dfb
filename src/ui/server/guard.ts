import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

/** Who may ask a server what. */
export interface GuardOptions {
  readonly port: number
  /** 32 random bytes as hexadecimal digits. */
  readonly token: string
  /** The address that people use where a proxy is before the server. */
  readonly publicUrl?: URL | undefined
  /** Names and addresses under which other machines reach it; every request then needs the token. */
  readonly hosts?: readonly string[] | undefined
}

/** A request as far as it decides what is allowed. */
export interface GuardedRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
}

/** Why a request is refused. */
export interface Refusal {
  readonly status: 400 | 401 | 403 | 405 | 415 | 421
  readonly error: string
}

const local = ['127.0.0.1', 'localhost', '[::1]']

/** Why a request must not be answered; undefined where it may be. */
export function refusalOf(
  { method, path, headers }: GuardedRequest,
  options: GuardOptions,
  isOpen = false,
): Refusal | undefined {
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
  }
  if (isOpen || (options.hosts === undefined && !isPost)) return undefined
  return hasToken(headers, options, isPost) ? undefined : { status: 401, error: 'the token is missing or wrong' }
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

/** Not sent by programs; `none` where a person typed the address. Another port of this machine is `same-site`. */
function isOwnPage(site: string | string[] | undefined): boolean {
  return site === undefined || site === 'same-origin' || site === 'none'
}

/** What the page says is in a header; only reads may show the cookie instead. */
function hasToken(headers: IncomingHttpHeaders, { token, port }: GuardOptions, isPost: boolean): boolean {
  const said = headers['x-zeroth-token']
  const given = isPost ? said : (said ?? cookieIn(headers.cookie, cookieName(port)))
  return typeof given === 'string' && isSame(given, token)
}

/** Cookies ignore ports. */
export function cookieName(port: number): string {
  return `zeroth-${port}`
}

/** Compares without telling by its time how much was right. */
export function isSame(one: string, other: string): boolean {
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
