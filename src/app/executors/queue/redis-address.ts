import { ZerothError } from '../../../optimizer/core/errors.ts'
import { mapped, noted, text, union } from '../../../optimizer/core/options.ts'
import {
  type HiddenSecret,
  hideSecret,
  redactor,
  referenceOptions,
  resolveSecret,
  type SecretSource,
} from '../../../optimizer/remote/secret.ts'
import { parsedUrl, urlObject } from '../../../optimizer/remote/url.ts'

const hideAddress = (url: string): string | HiddenSecret => {
  const shown = shownAddress(url)
  return shown === url || `${shown}/` === url ? url : hideSecret(url, shown)
}

/** The address of the server that holds the queue. One with a password is kept out of sight. */
export const redisUrlOption = noted(
  union(mapped(text, hideAddress), mapped(urlObject, hideAddress), ...referenceOptions),
  { secret: true },
)

/** Where a server is, and what must never be seen of that. */
export interface RedisAddress {
  readonly host: string
  readonly port: number
  readonly db: number
  readonly username: string | undefined
  readonly password: string | undefined
  readonly isEncrypted: boolean
  /** As it may appear in messages. */
  readonly shown: string
  redact(text: string): string
}

/** Finds the address and refuses what is none. `where` names the option in errors. */
export function redisAddress(source: SecretSource, where = 'queue.url'): RedisAddress {
  const url = parsedUrl(resolveSecret(source, where))
  if (url === undefined || !/^rediss?:$/.test(url.protocol) || url.hostname === '') {
    const got = url === undefined ? 'a text that is no URL' : `a URL of the kind ${url.protocol}`
    const allowed = 'must be an address like redis://host:6379 or, with TLS, rediss://host:6379'
    throw new ZerothError('invalid-option', `${where} ${allowed}, got ${got}`)
  }
  const db = databaseOf(url, where)
  const [username, password] = [url.username, url.password].map(decoded)
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? 6379 : Number(url.port),
    db,
    username: username === '' ? undefined : username,
    password: password === '' ? undefined : password,
    isEncrypted: url.protocol === 'rediss:',
    shown: shownAddress(url),
    redact: redactor([url.password, password].filter((each): each is string => each !== undefined && each !== '')),
  }
}

function databaseOf(url: URL, where: string): number {
  const path = url.pathname.replace(/^\//, '')
  if (/^\d{0,4}$/.test(path)) return Number(path)
  throw new ZerothError('invalid-option', `${where} must end with the number of a database, as in redis://host:6379/2`)
}

function shownAddress(address: string | URL): string {
  const url = parsedUrl(address)
  if (url === undefined) return 'a text that is no URL'
  const path = /^\/\d+$/.test(url.pathname) ? url.pathname : ''
  return `${url.protocol}//${url.host}${path}`
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
