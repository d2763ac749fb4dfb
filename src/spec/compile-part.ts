import { didYouMean, show } from '../core/errors.ts'
import type { Shape, Type } from '../core/option-type.ts'
import { article } from '../core/parse-options.ts'
import type { Made, PartKind } from '../core/part.ts'
import { type AnyPart, partAt } from './known-parts.ts'
import { isWritable, mapMembers, numberOfWord } from './option-schema.ts'
import { below, failAt, type Place, parseAt, shownPlace, within } from './place.ts'
import { isObject, type Json, type JsonObject } from './plain-data.ts'

/** A part as it was written, taken apart. */
export interface WrittenPart {
  readonly part: AnyPart
  readonly options: JsonObject
}

/** Which part of a kind is meant, and with which options: `name`, or `{ name, ...options }`. */
export function readPart(kind: PartKind, given: Json, place: Place): WrittenPart {
  const { name, ...options } =
    typeof given === 'string' ? { name: given } : isObject(given) ? given : { name: undefined }
  if (typeof name === 'string') return { part: partAt(kind, name, place), options: options as JsonObject }
  const found = isObject(given) ? 'an object without a name' : show(given)
  throw failAt(place, ` must be ${article(kind)}: its name, or { name, ...options }, got ${found}`)
}

/** Makes a part from a spec, and the parts among its options first. */
export function compilePart(kind: PartKind, given: Json, place: Place): Made<object> {
  const { part, options } = readPart(kind, given, place)
  const ready = compileObject(part.definition.options.shape, options, place)
  parseAt(place, part.definition.options, ready)
  return within(place, () => part(ready as never))
}

/** The options of an object as its schema takes them: parts made, words for numbers read. */
export function compileObject(shape: Shape, given: JsonObject, place: Place): Record<string, unknown> {
  const compiled = Object.entries(given).map(([key, value]) => {
    const schema = Object.hasOwn(shape, key) ? shape[key] : undefined
    return [key, schema === undefined ? value : compileValue(schema, value, below(place, key))]
  })
  return Object.fromEntries(compiled) as Record<string, unknown>
}

function compileValue(schema: Type, value: Json, place: Place): unknown {
  const { about } = schema
  switch (about.type) {
    case 'part':
      return compilePart(about.kind as PartKind, value, place)
    case 'numbers':
      return Array.isArray(value) ? value.map((each: Json) => numberOfWord(each)) : value
    case 'number':
    case 'words':
      return numberOfWord(value)
    case 'table':
      return isObject(value) ? compileMember(about.shape, value, place) : value
    default:
      return mapMembers(schema, value, (member, each, key) =>
        compileValue(member, each, key === undefined ? place : below(place, key)),
      )
  }
}

/** An object that is an option of another: its unknown members are said here, where they can be listed. */
function compileMember(shape: Shape, given: JsonObject, place: Place): unknown {
  const unknown = Object.keys(given).find((key) => !Object.hasOwn(shape, key))
  if (unknown === undefined) return compileObject(shape, given, place)
  const known = Object.keys(shape).filter((key) => isWritable(shape[key] as Type))
  throw failAt(
    below(place, unknown),
    ` is not an option of ${shownPlace(place)}${didYouMean(unknown, known)} (known: ${known.join(', ')})`,
    'unknown-option',
  )
}
