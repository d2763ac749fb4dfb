import { isAbsolute, resolve } from 'node:path'
import type { Shape, Type } from '../core/option-type.ts'
import { originOf, type PartKind } from '../core/part.ts'
import { findPart } from './known-parts.ts'
import { mapMembers, wordOfNumber } from './option-schema.ts'
import { isObject, type Json, type JsonObject } from './plain-data.ts'

/**
 * A part as a spec writes it, with every default filled in, at every depth, and paths made absolute. What does not fit
 * its schema is left as it is: checking comes later, and knows better what to say.
 */
export function fillPart(kind: PartKind, given: Json, folder: string): Json {
  const written = typeof given === 'string' ? { name: given } : given
  const part = isObject(written) ? findPart(kind, written.name) : undefined
  if (part === undefined || !isObject(written)) return given
  const { name, ...options } = written as { readonly [key: string]: Json }
  return { name: name as Json, ...fillObject(part.definition.options.shape, options, folder) }
}

/** The options of an object with its defaults filled in: known ones in the order of the schema, then all others. */
export function fillObject(shape: Shape, given: JsonObject, folder: string): Record<string, Json> {
  const filled: Record<string, Json> = {}
  for (const [key, schema] of Object.entries(shape)) {
    const own = Object.hasOwn(given, key) ? given[key] : undefined
    const value = own === undefined ? standardOf(schema, folder) : own
    if (value !== undefined) filled[key] = fillValue(schema, value, folder)
  }
  for (const [key, value] of Object.entries(given)) {
    if (!Object.hasOwn(filled, key) && value !== undefined) filled[key] = value
  }
  return filled
}

/** The keys that a resolved spec keeps, in the order of the schema: those that have a value and stand for no others. */
export function resolvedKeys(
  shape: Shape,
  values: Readonly<Record<string, Json | undefined>>,
  shortKeys: readonly string[],
): JsonObject {
  const kept = Object.keys(shape).filter((key) => values[key] !== undefined && !shortKeys.includes(key))
  return Object.fromEntries(kept.map((key) => [key, values[key] as Json]))
}

function fillValue(schema: Type, value: Json, folder: string): Json {
  const { about, path } = schema
  if (path !== undefined) return typeof value === 'string' ? absolutePath(value, folder) : value
  switch (about.type) {
    case 'part':
      return fillPart(about.kind as PartKind, value, folder)
    case 'numbers':
      return Array.isArray(value) ? value.map((each: Json) => wordOfNumber(each)) : value
    case 'number':
    case 'words':
      return wordOfNumber(value)
    case 'table':
      return isObject(value) ? fillObject(about.shape, value, folder) : value
    default:
      return mapMembers(schema, value, (member, each) => fillValue(member, each, folder)) as Json
  }
}

/** The default of an option as a spec would write it; undefined where there is none that a file can hold. */
function standardOf(schema: Type, folder: string): Json | undefined {
  const { standard, path } = schema
  return jsonOf(standard?.()) ?? (path === 'folder' ? folder : undefined)
}

/** A default as JSON: parts by name and options, lists of numbers as lists; functions are nothing that a file holds. */
export function jsonOf(value: unknown): Json | undefined {
  if (typeof value === 'function' || value === undefined) return undefined
  if (typeof value !== 'object' || value === null) return wordOfNumber(value) as Json
  if (ArrayBuffer.isView(value)) return Array.from(value as Float64Array, (each) => wordOfNumber(each))
  if (Array.isArray(value)) return value.map((each) => jsonOf(each) ?? null)
  const origin = originOf(value)
  const members = Object.entries(origin === undefined ? value : { name: origin.name, ...origin.options })
  return Object.fromEntries(
    members.flatMap(([key, each]) => {
      const json = jsonOf(each)
      return json === undefined ? [] : [[key, json]]
    }),
  )
}

/** URLs are no paths. */
function absolutePath(path: string, folder: string): string {
  return path === '' || isAbsolute(path) || /^[a-z][a-z0-9+.-]+:/i.test(path) ? path : resolve(folder, path)
}
