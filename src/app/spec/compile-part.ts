import { isAbsolute, resolve } from 'node:path'
import { didYouMean, show } from '../../optimizer/core/errors.ts'
import { encodeNumber, numberOf } from '../../optimizer/core/exact-json.ts'
import { article, type Shape, type Type } from '../../optimizer/core/options.ts'
import { type Made, originOf, type PartKind } from '../../optimizer/core/part.ts'
import type { AnyPart } from '../../registry.ts'
import { attacks } from '../../robustness/index.ts'
import * as attackMethods from '../../robustness/methods/parts.ts'
import { below, failAt, type Place, parseAt, shownPlace, wholeSpec, within } from './place.ts'
import { isObject, type Json, type JsonObject } from './plain-data.ts'

/** Longer names are no misspelt ones. */
const longestName = 100

type Lists = Readonly<Partial<Record<PartKind, readonly unknown[]>>>

/** What a spec can name, by kind. Attacks can do without the other parts, which take a while to load. */
let byKind: Lists = { solver: Object.values(attackMethods), attack: attacks }

const remembered = new Map<PartKind, readonly AnyPart[]>()

/** From now on specs can name these parts, too. */
export function knowParts(lists: Lists): void {
  byKind = { ...byKind, ...lists }
  remembered.clear()
}

/** The parts of a kind that a spec can name; test problems are objectives like any other. */
export function knownParts(kind: PartKind): readonly AnyPart[] {
  const known = remembered.get(kind) ?? ((byKind[kind] ?? []) as readonly AnyPart[]).filter(canBeWritten)
  remembered.set(kind, known)
  return known
}

/** The part of that name, if a spec can name it. */
export function findPart(kind: PartKind, name: unknown): AnyPart | undefined {
  return knownParts(kind).find((part) => part.definition.name === name)
}

/** The part of that name; an unknown one is an error that lists the known ones. */
export function partAt(kind: PartKind, name: string, place: Place): AnyPart {
  const found = findPart(kind, name)
  if (found !== undefined) return found
  const names = knownParts(kind).map((part) => part.definition.name)
  const unwritable = ((byKind[kind] ?? []) as readonly AnyPart[]).some((part) => part.definition.name === name)
  if (unwritable) throw failAt(place, `: ${name} takes a function, which no spec can hold (known: ${names.join(', ')})`)
  const hint = name.length > longestName ? '' : didYouMean(name, names)
  throw failAt(place, ` must be ${article(kind)}, got ${show(name)}${hint} (known: ${names.join(', ')})`)
}

/** Whether every option that must be given can be given in a file. */
function canBeWritten({ definition }: AnyPart): boolean {
  return Object.values(definition.options.shape).every((option) => option.optional || isWritable(option))
}

/** Whether something in a file could be meant for this type, going by its outer shape. */
function suits({ description }: Type, value: unknown): boolean {
  switch (description.type) {
    case 'part':
      return typeof value === 'string' || isObject(value)
    case 'number':
      return isNumeric(value)
    case 'text':
      return typeof value === 'string'
    case 'flag':
      return typeof value === 'boolean'
    case 'words':
      return suitsWord(description.words, value)
    case 'numbers':
    case 'list':
    case 'tuple':
      return Array.isArray(value)
    case 'table':
      return isObject(value) && Object.keys(value).every((key) => Object.hasOwn(description.shape, key))
    case 'record':
      return isObject(value)
    case 'union':
      return description.of.some((option) => suits(option, value))
    default:
      return description.type === 'json'
  }
}

/** Any text may be a misspelt word, but not where numbers are meant. */
function suitsWord(words: readonly unknown[], value: unknown): boolean {
  if (words.includes(value) || (isNumeric(value) && words.some(isNumeric))) return true
  return words.length > 1 && !words.some(isNumeric) && typeof value === 'string'
}

/** The alternative of a union that is meant by a value. An object with a misspelt key means the only kind of object. */
function meantOption(options: readonly Type[], value: unknown): Type | undefined {
  const suitable = options.find((option) => suits(option, value))
  if (suitable !== undefined || !isObject(value)) return suitable
  const objects = options.filter((option) => option.description.type === 'table')
  return objects.length === 1 ? objects[0] : undefined
}

/** What becomes of the values of a schema; everything else stays as it is. */
interface Visitor {
  readonly number: (value: Json) => unknown
  readonly part: (kind: PartKind, value: Json, place: Place) => unknown
  readonly table: (shape: Shape, value: JsonObject, place: Place) => unknown
  readonly path: (value: Json) => unknown
}

/** Goes through a value and all that it holds by its schema. What does not fit stays as it is: checking comes later. */
function visit({ description, path }: Type, value: Json, place: Place, visitor: Visitor): unknown {
  const go = (type: Type | undefined, member: Json, at: Place): unknown =>
    type === undefined ? member : visit(type, member, at, visitor)
  if (path !== undefined) return visitor.path(value)
  switch (description.type) {
    case 'part':
      return visitor.part(description.kind as PartKind, value, place)
    case 'number':
    case 'words':
      return visitor.number(value)
    case 'numbers':
      return Array.isArray(value) ? value.map((each: Json) => visitor.number(each)) : value
    case 'list':
      return Array.isArray(value) ? value.map((each: Json, i) => go(description.of, each, below(place, i))) : value
    case 'tuple':
      return Array.isArray(value) ? value.map((each: Json, i) => go(description.of[i], each, below(place, i))) : value
    case 'union':
      return go(meantOption(description.of, value), value, place)
    case 'table':
      return isObject(value) ? visitor.table(description.shape, value, place) : value
    case 'record':
      if (!isObject(value)) return value
      return Object.fromEntries(
        Object.entries(value).map(([key, each]) => [key, go(description.of, each, below(place, key))]),
      )
    default:
      return value
  }
}

/** Whether an option can be written into a file at all: functions cannot. */
export function isWritable({ description, blackBox }: Type): boolean {
  if (description.type === 'union') return description.of.some(isWritable)
  return blackBox === true || (description.type !== 'function' && description.type !== 'foreign')
}

/** The number that a word stands for; anything else as it is. */
function numberOfWord<T>(value: T): T | number {
  return numberOf(value) ?? value
}

/** The word for a number that JSON has no digits for; anything else as it is. */
export function wordOfNumber<T>(value: T): T | string | number {
  return typeof value === 'number' ? encodeNumber(value) : value
}

/** Whether a value is a number, or a word for one. */
function isNumeric(value: unknown): boolean {
  return typeof numberOfWord(value) === 'number'
}

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

/** Filling in says nothing, so it need not know where it is. */
const nowhere = wholeSpec()

/** The options of an object with its defaults filled in: known ones in the order of the schema, then all others. */
export function fillObject(shape: Shape, given: JsonObject, folder: string): Record<string, Json> {
  const filled: Record<string, Json> = {}
  const fill: Visitor = {
    number: wordOfNumber,
    part: (kind, value) => fillPart(kind, value, folder),
    table: (members, value) => fillObject(members, value, folder),
    path: (value) => (typeof value === 'string' ? absolutePath(value, folder) : value),
  }
  for (const [key, schema] of Object.entries(shape)) {
    const own = Object.hasOwn(given, key) ? given[key] : undefined
    const value = own === undefined ? standardOf(schema, folder) : own
    if (value !== undefined) filled[key] = visit(schema, value, nowhere, fill) as Json
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

/** The default of an option as a spec would write it; undefined where there is none that a file can hold. */
function standardOf(schema: Type, folder: string): Json | undefined {
  const { default: standard, path } = schema
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

const compiling: Visitor = { number: numberOfWord, part: compilePart, table: compileMember, path: (value) => value }

/** The options of an object as its schema takes them: parts made, words for numbers read. */
export function compileObject(shape: Shape, given: JsonObject, place: Place): Record<string, unknown> {
  const compiled = Object.entries(given).map(([key, value]) => {
    const schema = Object.hasOwn(shape, key) ? shape[key] : undefined
    return [key, schema === undefined ? value : visit(schema, value, below(place, key), compiling)]
  })
  return Object.fromEntries(compiled) as Record<string, unknown>
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
