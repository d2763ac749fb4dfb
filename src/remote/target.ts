import { ZerothError } from '../core/errors.ts'
import { noted, option } from '../core/options.ts'
import { mapped, recordOf, text, union } from '../core/schema.ts'
import { base64Of, redactor, secretsOfHeader } from './redactor.ts'
import {
  type HiddenSecret,
  hideSecret,
  isReference,
  looksSecret,
  referenceOptions,
  resolveSecret,
  type SecretSource,
  secretOption,
} from './secret.ts'
import { isHttp, parsedUrl, shownUrl, urlObject } from './url.ts'

const hideUrl = (url: string): string | HiddenSecret => (shownUrl(url) === url ? url : hideSecret(url, shownUrl(url)))

/** The address of a service. One that holds credentials is kept out of sight. */
export const urlOption = noted(
  option(
    union(mapped(text, hideUrl), mapped(urlObject, hideUrl), ...referenceOptions),
    'address of the service: http or https',
  ),
  { secret: true },
)

/** The headers sent with every request. */
export const headersOption = noted(
  option(
    recordOf(secretOption),
    'headers of every request: each a text, or { env: NAME } or { file: PATH } where it is to be found',
    {},
  ),
  { secret: true },
)

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
export function targetOf(
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
