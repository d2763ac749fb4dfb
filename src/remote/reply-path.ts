import type { Output } from '../core/option-type.ts'
import { listOf, text, union, wholeFrom } from '../core/schema.ts'
import { shownReply } from './shown-reply.ts'

/** The way to a value inside a reply: keys and indices, between dots or as a list; empty for the reply itself. */
export const replyPathOption = union(text, listOf(union(text, wholeFrom(0))))

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
