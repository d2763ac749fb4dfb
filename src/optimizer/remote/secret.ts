import { ZerothError } from '../core/errors.ts'
import { filledText, mapped, noted, table, text, union } from '../core/options.ts'
import { urlObject } from './url.ts'

/** A secret that was given as it is, kept out of every text, log and file that its options may end up in. */
export interface HiddenSecret {
  /** What may be seen of it. */
  readonly shown: string
}

/** Where a secret is to be found. */
export type SecretSource = string | HiddenSecret | { readonly env: string } | { readonly file: string }

const values = new WeakMap<HiddenSecret, string>()

/** Puts a secret out of sight: only `resolveSecret` finds it again. */
export function hideSecret(value: string, shown = '[secret]'): HiddenSecret {
  const hidden = Object.freeze({ shown })
  values.set(hidden, value)
  return hidden
}

/** Says where a text is to be found instead of writing it down. */
export const referenceOptions = [
  table({
    /** The environment variable that holds it. */
    env: filledText,
  }),
  table({
    /** The file that holds it. */
    file: union(noted(filledText, { path: true }), urlObject),
  }),
] as const

/**
 * A secret text: itself, or the environment variable or the file that holds it. Options of this type
 * carry `.meta({ secret: true })`, so that errors about them do not show what was given.
 */
export const secretOption = union(
  mapped(text, (value) => hideSecret(value)),
  ...referenceOptions,
)

/** Whether a secret was not given itself, but where it is to be found: then all of it is one. */
export function isReference(source: SecretSource): boolean {
  return typeof source !== 'string' && ('env' in source || 'file' in source)
}

/** The secret itself. `where` names the option in errors, which never hold the secret. */
export function resolveSecret(source: SecretSource, where: string): string {
  if (typeof source === 'string') return source
  if ('env' in source) return fromEnvironment(source.env, where)
  if ('file' in source) return fromFile(source.file, where)
  const value = values.get(source)
  if (value === undefined) {
    throw new ZerothError('invalid-option', `${where} was a secret that is not kept: give it again`)
  }
  return value
}

function fromEnvironment(name: string, where: string): string {
  const value = globalThis.process?.env?.[name]
  if (value !== undefined && value !== '') return value
  const state = value === undefined ? 'is not set' : 'is empty'
  throw new ZerothError('invalid-option', `${where}: the environment variable ${name} ${state}`)
}

/** The file's text without the white space around it: editors and secret stores end files with a new line. */
function fromFile(path: string, where: string): string {
  const files = globalThis.process?.getBuiltinModule?.('node:fs')
  if (files === undefined) {
    throw new ZerothError('invalid-option', `${where}: the file ${path} cannot be read here: there are no files`)
  }
  let text: string
  try {
    text = files.readFileSync(path.startsWith('file:') ? new URL(path) : path, 'utf8').trim()
  } catch (error) {
    const code = (error as { code?: unknown }).code ?? 'unknown reason'
    throw new ZerothError('invalid-option', `${where}: cannot read the file ${path} (${code})`)
  }
  if (text === '') throw new ZerothError('invalid-option', `${where}: the file ${path} is empty`)
  return text
}

/** Wherever they stand in a name, they say what it is. */
const anywhere = /secret|passw|passphrase|credential|cookie|apikey|authoriz|bearer/

/** At the end of a word only: API_KEY and accessToken, but neither TOKENIZERS nor AUTHOR nor KEYBOARD. */
const atTheEnd = /(^(pass|sig)|key|token|auth|signature|jwt|pwd)s?$/

/** A user and a password inside an address. */
const credentials = /\/\/[^/@\s]*:[^/@\s]+@/

/** Whether a setting of this name and value is probably a secret. */
export function looksSecret(name: string, value = ''): boolean {
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
  return words.some((word) => anywhere.test(word) || atTheEnd.test(word)) || credentials.test(value)
}

/** Shorter texts cannot be told from ordinary words and digits: hiding them would only make messages unreadable. */
const shortest = 4

/** What shows that a text may hold something escaped. */
const escapes = /[\\%&+]|[^\0-\x7f]/

type Range = readonly [start: number, end: number]

/**
 * Takes every occurrence of the secrets out of a text, also where they are in base64 or escaped in the usual ways, once
 * or several times over. Secrets of fewer than four characters are left: they would be found inside ordinary words.
 */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const long = (text: string): boolean => text.length >= shortest
  const forms = [...new Set(secrets.filter(long).flatMap(formsOf))].filter(long)
  const bare = [...new Set(forms.map((form) => unescaped(form).text))].filter(long)
  if (forms.length === 0) return (text) => text
  return (text) => {
    const ranges = forms.flatMap((form) => occurrences(form, text))
    if (escapes.test(text)) {
      const inner = unescaped(text)
      const found = bare.flatMap((form) => occurrences(form, inner.text))
      for (const [start, end] of found) ranges.push([inner.starts[start] as number, inner.ends[end - 1] as number])
    }
    return without(merged(ranges), text)
  }
}

function occurrences(wanted: string, text: string): Range[] {
  const ranges: Range[] = []
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
    ranges.push([at, at + wanted.length])
  }
  return ranges
}

/** Ranges in their order, those that overlap made one: a secret may be part of another. */
function merged(ranges: readonly Range[]): Range[] {
  const all: Range[] = []
  for (const [start, end] of ranges.toSorted((a, b) => a[0] - b[0] || b[1] - a[1])) {
    const last = all.at(-1)
    if (last === undefined || start >= last[1]) all.push([start, end])
    else all[all.length - 1] = [last[0], Math.max(last[1], end)]
  }
  return all
}

function without(ranges: readonly Range[], text: string): string {
  let clean = ''
  let done = 0
  for (const [start, end] of ranges) {
    clean += `${text.slice(done, start)}[secret]`
    done = end
  }
  return clean + text.slice(done)
}

/** The secrets inside a header's value: all of it, and for `Bearer token` or `Basic base64` what stands behind. */
export function secretsOfHeader(value: string): string[] {
  const credentials = /^(\w+) +(\S+)$/.exec(value.trim())
  if (credentials === null) return [value.trim()]
  const [, scheme, token] = credentials as unknown as [string, string, string]
  const pair = scheme.toLowerCase() === 'basic' ? decodedBase64(token) : undefined
  return [value.trim(), token, ...(pair === undefined ? [] : [pair, ...pair.split(':')])]
}

/**
 * A secret as it is and in base64, and escaped by itself: of one beyond ASCII nothing is left to be found in a text that
 * is read without its escapes.
 */
function formsOf(secret: string): string[] {
  const base64 = base64Of(secret)
  const unpadded = base64.replace(/=+$/, '')
  const percent = encodedUri(secret)
  const json = JSON.stringify(secret).slice(1, -1)
  return [
    secret,
    base64,
    unpadded,
    unpadded.replaceAll('+', '-').replaceAll('/', '_'),
    percent,
    percent.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    json,
    json.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  ]
}

/** Half a surrogate pair cannot be encoded; it cannot stand in a URL either. */
function encodedUri(secret: string): string {
  return encodeURIComponent(secret.replace(/[\ud800-\udfff]/g, ''))
}

/** Base64 of the text's UTF-8 bytes. */
export function base64Of(text: string): string {
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''))
}

function decodedBase64(text: string): string | undefined {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(text), (character) => character.charCodeAt(0)))
  } catch {
    return undefined
  }
}

/** A text with everything taken out that escaping puts in, and where each character of it was. */
export interface Unescaped {
  readonly text: string
  /** The piece of the original that a character stands for begins here. */
  readonly starts: readonly number[]
  /** It ends before this. */
  readonly ends: readonly number[]
}

/** How often a text may have been escaped, each time in another way. */
const layers = 4

/** Stands for any characters beyond ASCII: what becomes of them depends on who reads them in which encoding. */
const foreign = '\ufffd'

const names: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  sol: '/',
}

/** A character escaped as in JSON, JavaScript, Python, a URL or HTML, or one that escaping changes. */
const piece =
  /\\+u([\da-f]{4})|\\+x([\da-f]{2})|%([\da-f]{2})|&#x([\da-f]{1,6});|&#(\d{1,7});|&([a-z]\w{1,7});|\\+[bfnrt]|\\+|[^\0-\x7f]+|[+\s]/gi

/**
 * Reads a text as if it had never been escaped, once or several times over. Texts that differ only by how they are
 * escaped become the same; some others do, too: it is good for finding a text, not for reading it.
 */
export function unescaped(text: string): Unescaped {
  let current = positioned(text)
  for (let layer = 0; layer < layers; layer++) {
    const next = peeled(current)
    if (next.text === current.text) break
    current = next
  }
  return current
}

function positioned(text: string): Unescaped {
  const starts = Array.from({ length: text.length }, (_, i) => i)
  return { text, starts, ends: starts.map((start) => start + 1) }
}

/** One layer less. */
function peeled({ text, starts, ends }: Unescaped): Unescaped {
  const next = { text: '', starts: [] as number[], ends: [] as number[] }
  const add = (characters: string, from: number, to: number): void => {
    // One for all that follow each other: a letter may have become several bytes.
    if (characters === foreign && next.text.endsWith(foreign)) next.ends[next.ends.length - 1] = ends[to - 1] as number
    else {
      next.text += characters
      for (let i = 0; i < characters.length; i++) {
        next.starts.push(starts[characters.length === to - from ? from + i : from] as number)
        next.ends.push(ends[characters.length === to - from ? from + i : to - 1] as number)
      }
    }
  }
  let done = 0
  for (const match of text.matchAll(piece)) {
    add(text.slice(done, match.index), done, match.index)
    done = match.index + match[0].length
    add(meaning(match), match.index, done)
  }
  add(text.slice(done), done, text.length)
  return next
}

/** What an escape stands for, in as few characters as the usual ways to write it leave apart. */
function meaning([whole, unit, latin, byte, hex, decimal, name]: RegExpMatchArray): string {
  const code = unit ?? latin ?? byte ?? hex
  if (code !== undefined) return plain(Number.parseInt(code, 16))
  if (decimal !== undefined) return plain(Number(decimal))
  if (name !== undefined) return names[name.toLowerCase()] ?? foreign
  if (/^\\+[bfnrt]$|^[+ \t-\r]$/.test(whole)) return ' '
  return whole.startsWith('\\') ? '' : foreign
}

function plain(code: number): string {
  return code > 127 ? foreign : String.fromCharCode(code)
}
