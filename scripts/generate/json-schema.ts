import { isDeepStrictEqual } from 'node:util'
import { fillPart, isWritable, jsonOf, knownParts, wordOfNumber } from '../../src/app/spec/compile-part.ts'
import type { Json, JsonObject } from '../../src/app/spec/plain-data.ts'
import { specOptions } from '../../src/app/spec/spec.ts'
import { type Limits, type Shape, type Table, type Type, table } from '../../src/optimizer/core/options.ts'
import { originOf, type PartKind } from '../../src/optimizer/core/part.ts'
import type { AnyPart } from '../../src/registry.ts'
import { sentenceOf } from './option-text.ts'

const kinds: readonly PartKind[] = ['objective', 'solver', 'estimator', 'directions', 'basis', 'step', 'mirror', 'set']

/** The JSON Schema of specs (draft 7), for editors and other programs: what a file may say, with what it means. */
export function specSchema(): JsonObject {
  const { properties, required } = objectSchema(specOptions)
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'A spec of zeroth',
    description: 'A run: what to minimise, by which method, within which limits.',
    type: 'object',
    properties,
    required,
    additionalProperties: false,
    definitions: Object.fromEntries(kinds.map((kind) => [kind, kindSchema(kind)])),
  }
}

/** A part of one kind: its name where that is enough, or its name and its options. */
export function kindSchema(kind: PartKind): JsonObject {
  const known = knownParts(kind)
  const alone = known.filter((part) => requiredOf(kind, part).length === 0)
  const groups = [...new Set(alone.map(groupOf))]
  const named = groups.map((group) => ({
    type: 'string',
    ...(group !== undefined && { description: group }),
    enum: alone.filter((part) => groupOf(part) === group).map((part) => part.definition.name),
  }))
  return { oneOf: [...named, ...known.map((part) => partSchema(kind, part))] }
}

/** What sets methods apart: help texts list them by it. */
function groupOf({ definition: { kind, forAttacks, options } }: AnyPart): string | undefined {
  if (kind !== 'solver') return undefined
  if (forAttacks === true) return 'made for attacks'
  return 'learningRate' in options.shape ? 'with a learning rate' : 'without a learning rate'
}

/** A part with its options. */
export function partSchema(kind: PartKind, part: AnyPart): JsonObject {
  const { name, summary, options } = part.definition
  const { properties } = objectSchema(options)
  return {
    type: 'object',
    description: summary,
    properties: { name: { const: name }, ...properties },
    required: ['name', ...requiredOf(kind, part)],
    additionalProperties: false,
  }
}

/** The options that must stand with the name. The number of variables may stand elsewhere in the spec. */
function requiredOf(kind: PartKind, { definition }: AnyPart): string[] {
  return requiredKeys(definition.options).filter((key) => kind !== 'objective' || key !== 'dim')
}

function requiredKeys({ shape }: Table): string[] {
  return Object.keys(shape).filter((key) => !shape[key]?.optional)
}

/** The options of an object as JSON Schema, without those that no file can hold. */
export function objectSchema(table: Table): { properties: JsonObject; required: readonly string[] } {
  const writable = Object.entries(table.shape).filter(([, option]) => isWritable(option))
  const properties = Object.fromEntries(writable.map(([key, option]) => [key, optionSchema(option)]))
  return { properties, required: requiredKeys(table).filter((key) => Object.hasOwn(properties, key)) }
}

/** An option: its default, what it means, and its type. */
function optionSchema(option: Type): JsonObject {
  const sentence = sentenceOf(option)
  const standard = option.default === undefined ? undefined : shortDefault(option.default())
  return {
    ...(standard === undefined ? {} : { default: standard }),
    ...(sentence === undefined ? {} : { description: sentence }),
    ...(option.secret === true ? { secret: true } : {}),
    ...typeSchema(option),
  }
}

function typeSchema({ description, blackBox }: Type): JsonObject {
  if (blackBox === true) return reference('objective')
  switch (description.type) {
    case 'part':
      return reference(description.kind)
    case 'number':
      return numberSchema(description.whole === true, description.limits)
    case 'text':
      return { type: 'string', ...(description.filled === true ? { minLength: 1 } : {}) }
    case 'flag':
      return { type: 'boolean' }
    case 'words':
      return wordsSchema(description.words)
    case 'numbers':
      return { type: 'array', items: { anyOf: [{ type: 'number' }, { enum: ['Infinity', '-Infinity'] }] } }
    case 'list':
      return {
        type: 'array',
        items: optionSchema(description.of),
        ...(description.least > 0 ? { minItems: description.least } : {}),
      }
    case 'tuple':
      return tupleSchema(description.of)
    case 'record':
      return { type: 'object', propertyNames: { type: 'string' }, additionalProperties: optionSchema(description.of) }
    case 'table':
      return tableSchema(description.shape)
    case 'union':
      return unionSchema(description.of)
    default:
      return {}
  }
}

/** Beside a $ref of its own, draft 7 hears nothing else. */
function reference(kind: string): JsonObject {
  return { allOf: [{ $ref: `#/definitions/${kind}` }] }
}

function numberSchema(whole: boolean, { least, most, above, below }: Limits): JsonObject {
  return {
    type: whole ? 'integer' : 'number',
    ...(least === undefined ? {} : { minimum: least }),
    ...(above === undefined ? {} : { exclusiveMinimum: above }),
    ...(most === undefined ? {} : { maximum: most }),
    ...(below === undefined ? {} : { exclusiveMaximum: below }),
  }
}

/** One word stands for itself; infinities are written as words. */
function wordsSchema(words: readonly (string | number)[]): JsonObject {
  const [word] = words
  if (words.some((each) => !Number.isFinite(each) && typeof each === 'number')) return { enum: words.map(wordOfNumber) }
  if (typeof word === 'number') return { enum: words }
  return words.length === 1 ? { type: 'string', const: word as Json } : { type: 'string', enum: words }
}

function tupleSchema(of: readonly Type[]): JsonObject {
  return {
    type: 'array',
    items: of.map(optionSchema),
    additionalItems: false,
    minItems: of.length,
    maxItems: of.length,
  }
}

function tableSchema(shape: Shape): JsonObject {
  const { properties, required } = objectSchema(table(shape))
  return {
    type: 'object',
    properties,
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  }
}

/** Alternatives that no file can hold are none; a single one that is left stands for itself. */
function unionSchema(of: readonly Type[]): JsonObject {
  const [first, ...more] = of.filter(isWritable).map(optionSchema) as [JsonObject, ...JsonObject[]]
  return more.length === 0 ? first : { anyOf: [first, ...more] }
}

/** A default as an author would write it: a part with nothing but its own defaults by its name. */
function shortDefault(value: unknown): Json | undefined {
  const origin = typeof value === 'object' && value !== null ? originOf(value) : undefined
  const json = jsonOf(value)
  if (origin === undefined) return json
  return isDeepStrictEqual(fillPart(origin.kind, origin.name, ''), json) ? origin.name : json
}
