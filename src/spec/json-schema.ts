import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod/mini'
import { table } from '../core/options.ts'
import type { OptionTable } from '../core/parse-options.ts'
import { originOf, type PartKind } from '../core/part.ts'
import { fillPart, jsonOf } from './fill-in.ts'
import { type AnyPart, knownParts } from './known-parts.ts'
import { isNumeric, wordOfNumber } from './number-words.ts'
import { isWritable, type OptionSchema, openOption } from './option-schema.ts'
import type { Json, JsonObject } from './plain-data.ts'
import { specOptions } from './spec.ts'

type Mutable = Record<string, unknown>

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
  const names = alone.map((part) => part.definition.name)
  return { oneOf: [{ type: 'string', enum: names }, ...known.map((part) => partSchema(kind, part))] }
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
  const { shape } = definition.options
  const needed = Object.keys(shape).filter((key) => !openOption(shape[key] as OptionSchema).optional)
  return needed.filter((key) => kind !== 'objective' || key !== 'dim')
}

/** The options of an object as JSON Schema, without those that no file can hold. */
export function objectSchema(schema: OptionTable): { properties: JsonObject; required: readonly string[] } {
  const writable = Object.entries(schema.shape).filter(([, option]) => isWritable(option))
  const { properties, required = [] } = z.toJSONSchema(table(Object.fromEntries(writable)), {
    target: 'draft-7',
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => adapt(zodSchema, jsonSchema as Mutable),
  })
  return { properties: properties as JsonObject, required }
}

/** What the conversion cannot know: which schemas are parts, what a file cannot hold, and how it writes infinities. */
function adapt(schema: z.core.$ZodTypes, json: Mutable): void {
  const { def } = schema._zod
  // The only schema that refers to itself is that of any JSON: it says nothing.
  if (openOption(schema).type._zod.def.type === 'lazy') {
    delete json.$ref
    delete json.allOf
  }
  if (def.type === 'union') reduceUnion(def.options, json)
  if (def.type === 'literal' && def.values.some(isNumeric)) {
    delete json.type
    json.enum = def.values.map(wordOfNumber)
  }
  if (def.type === 'default') json.default = shortDefault(def.defaultValue)
  if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum
  if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum
  adaptMetadata(json)
}

/** The library's own metadata are no JSON Schema. */
function adaptMetadata(json: Mutable): void {
  const { part, numbers, blackBox } = json
  const kind = blackBox === true ? 'objective' : part
  for (const key of ['part', 'numbers', 'path', 'blackBox']) delete json[key]
  // Beside a $ref of its own, draft 7 hears nothing else.
  if (kind !== undefined) json.allOf = [{ $ref: `#/definitions/${kind}` }]
  if (numbers === true) Object.assign(json, { type: 'array', items: { anyOf: [{ type: 'number' }, infinities] } })
}

/** A default as an author would write it: a part with nothing but its own defaults by its name. */
function shortDefault(value: unknown): Json | undefined {
  const origin = typeof value === 'object' && value !== null ? originOf(value) : undefined
  const json = jsonOf(value)
  if (origin === undefined) return json
  return isDeepStrictEqual(fillPart(origin.kind, origin.name, ''), json) ? origin.name : json
}

const infinities = { enum: ['Infinity', '-Infinity'] }

/** Alternatives that no file can hold are none; a single one that is left stands for itself. */
function reduceUnion(options: readonly OptionSchema[], json: Mutable): void {
  const alternatives = json.anyOf as Mutable[]
  const left = alternatives.filter((_, i) => isWritable(options[i] as OptionSchema))
  json.anyOf = left
  if (left.length > 1) return
  delete json.anyOf
  Object.assign(json, left[0])
}
