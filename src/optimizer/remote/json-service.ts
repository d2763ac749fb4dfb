import { nearest, show, ZerothError } from '../core/errors.ts'
import { exactJson, parseJson, shownReply } from '../core/exact-json.ts'
import { integerFrom, listOf, type Output, text, union } from '../core/options.ts'
import type { Endpoint, EndpointRequest } from './endpoint.ts'

/** The body of requests, with places that each request fills. */
export interface RequestTemplate {
  /** The places that occur in it. */
  readonly places: ReadonlySet<string>
  /** The body with every place filled by JSON text. */
  text(fill: (place: string) => string): string
}

/**
 * Reads a template: any JSON value in which whole strings such as "$x" stand for what `known` lists. "$$x" is the text
 * "$x" itself.
 */
export function requestTemplate(template: unknown, known: readonly string[], where: string): RequestTemplate {
  const pieces = piecesOf(template, known, where)
  const places = new Set(pieces.filter((piece) => typeof piece === 'object').map(({ place }) => place))
  return {
    places,
    text: (fill) => pieces.map((piece) => (typeof piece === 'string' ? piece : fill(piece.place))).join(''),
  }
}

type Piece = string | { readonly place: string }

function piecesOf(value: unknown, known: readonly string[], where: string): Piece[] {
  if (typeof value === 'string') return [stringPiece(value, known, where)]
  if (Array.isArray(value)) {
    return bracketed(
      '[]',
      value.map((each, i) => piecesOf(each, known, `${where}.${i}`)),
    )
  }
  if (typeof value !== 'object' || value === null) return [exactJson(value)]
  const members = Object.entries(value).map(([name, each]) => [
    `${JSON.stringify(name)}:`,
    ...piecesOf(each, known, `${where}.${name}`),
  ])
  return bracketed('{}', members)
}

function bracketed(brackets: string, members: readonly Piece[][]): Piece[] {
  const inside = members.flatMap((pieces, i) => (i === 0 ? pieces : [',', ...pieces]))
  return [brackets.charAt(0), ...inside, brackets.charAt(1)]
}

function stringPiece(text: string, known: readonly string[], where: string): Piece {
  if (known.includes(text)) return { place: text }
  if (!/^\$\w+$/.test(text)) return JSON.stringify(text.startsWith('$$') ? text.slice(1) : text)
  const near = nearest(text, known)
  throw new ZerothError(
    'invalid-option',
    `${where}: nothing is known to put for ${show(text)}${near === undefined ? '' : `; did you mean ${near}?`} ` +
      `(known: ${known.join(', ')}; "$${text}" is the text itself)`,
  )
}

/** The way to a value inside a reply: keys and indices, between dots or as a list; empty for the reply itself. */
export const replyPathOption = union(text, listOf(union(text, integerFrom(0))))

/** A path as it is written. */
export type ReplyPath = Output<typeof replyPathOption>

/** What was found at the end of a path, or where the path ended before. */
export type Found = { readonly value: unknown } | { readonly missing: string }

/** Follows a path through a value read from JSON. */
export function valueAt(reply: unknown, path: ReplyPath): Found {
  const keys = keysOf(path)
  let value = reply
  for (const [i, key] of keys.entries()) {
    if (!has(value, key))
      return { missing: `${placeName(keys.slice(0, i))} is ${shownReply(value)} without ${shownReply(key)}` }
    value = (value as Record<string, unknown>)[key]
  }
  return { value }
}

/** The value at a path of a reply; what is wrong with the reply becomes an error about the request. */
export function replyValue(service: Endpoint, request: EndpointRequest, bytes: Uint8Array, path: ReplyPath): unknown {
  const found = valueAt(jsonOf(service, request, bytes), path)
  if ('value' in found) return found.value
  const what = `answered, but the reply has no ${shownPath(path)}: ${found.missing}`
  throw service.error(request, what, { retryable: false })
}

function jsonOf(service: Endpoint, request: EndpointRequest, bytes: Uint8Array): unknown {
  try {
    return parseJson(new TextDecoder().decode(bytes))
  } catch {
    // It may have been cut off on its way.
    const said = bytes.length === 0 ? ', it is empty' : `: ${service.beginning(bytes)}`
    throw service.error(request, `answered, but the reply is not JSON${said}`, { retryable: true })
  }
}

/** A path as it should read inside a message. */
export function shownPath(path: ReplyPath): string {
  return placeName(keysOf(path))
}

function keysOf(path: ReplyPath): string[] {
  if (typeof path !== 'string') return path.map(String)
  return path === '' ? [] : path.split('.')
}

function has(value: unknown, key: string): boolean {
  if (Array.isArray(value)) return /^\d+$/.test(key) && Number(key) < value.length
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
}

function placeName(keys: readonly string[]): string {
  return keys.length === 0 ? 'the reply' : shownReply(keys.join('.'))
}
