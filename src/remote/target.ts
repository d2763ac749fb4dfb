import { z } from 'zod'
import { ZerothError } from '../core/errors.ts'
import { base64Of, redactor, secretsOfHeader } from './redactor.ts'
import { type HiddenSecret, hideSecret, resolveSecret, type SecretSource, secretOption } from './secret.ts'
import { isHttp, parsedUrl, shownUrl } from './shown-url.ts'

/** The address of a service. One that holds credentials is kept out of sight. */
export const urlOption = z
  .union([
    z
      .string()
      .transform((url): string | HiddenSecret => (shownUrl(url) === url ? url : hideSecret(url, shownUrl(url)))),
    z.strictObject({ env: z.string().min(1).describe('the environment variable that holds it') }),
    z.strictObject({ file: z.string().min(1).meta({ path: true }).describe('the file that holds it') }),
  ])
  .describe('address of the service: http or https')
  .meta({ secret: true })

/** The headers sent with every request. */
export const headersOption = z
  .record(z.string(), secretOption)
  .default({})
  .describe('headers of every request: each a text, or { env: NAME } or { file: PATH } where it is to be found')
  .meta({ secret: true })

/** Where requests go, what goes with them, and what must never be seen of that. */
export interface Target {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly redact: (text: string) => string
}

/** Finds the secrets and refuses addresses and headers that no request could carry. */
export function targetOf(
  { url, headers }: { readonly url: SecretSource; readonly headers: Readonly<Record<string, SecretSource>> },
  owner: string,
): Target {
  const address = addressOf(resolveSecret(url, `${owner}.url`), owner)
  const found = Object.fromEntries(
    Object.entries(headers).map(([name, source]) => [name, headerValue(name, source, owner)]),
  )
  const all = withCredentials(found, address, owner)
  const secrets = [
    ...Object.values(all).flatMap(secretsOfHeader),
    ...[address.username, address.password].flatMap((text) => [text, decoded(text)]),
    ...[...address.searchParams].flatMap(([name, value]) => (value === '' ? [name] : [value])),
  ]
  const clean = new URL(address)
  clean.username = ''
  clean.password = ''
  clean.hash = ''
  return { url: clean, headers: all, redact: redactor(secrets) }
}

function addressOf(text: string, owner: string): URL {
  const url = parsedUrl(text)
  if (url !== undefined && isHttp(url)) return url
  throw new ZerothError(
    'invalid-option',
    `${owner}.url must be an address that begins with http:// or https://, got ${shownUrl(text)}`,
  )
}

const headerName = /^[!#$%&'*+.^_`|~\w-]+$/
const headerText = /^[\t\x20-\x7e\x80-\xff]*$/

function headerValue(name: string, source: SecretSource, owner: string): string {
  if (!headerName.test(name)) {
    throw new ZerothError('invalid-option', `${owner}.headers: ${JSON.stringify(name)} cannot be the name of a header`)
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
