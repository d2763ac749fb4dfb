import { attackOptions } from '../../src/app/spec/attack/attack-options.ts'
import { knownParts } from '../../src/app/spec/compile-part.ts'
import type { Json, JsonObject } from '../../src/app/spec/plain-data.ts'
import type { PartKind } from '../../src/optimizer/core/part.ts'
import { embeddedNames } from '../../src/robustness/embedded/index.ts'
import { kindSchema, objectSchema, partSchema } from './json-schema.ts'

const kinds: readonly PartKind[] = ['attack', 'solver', 'estimator', 'directions', 'basis', 'step', 'mirror', 'set']

/** The JSON Schema of attack specs (draft 7), for editors and other programs. */
export function attackSchema(): JsonObject {
  const { properties, required } = objectSchema(attackOptions)
  const { description } = properties.model as JsonObject
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'An attack spec of zeroth',
    description: 'A robustness evaluation: which classifier, which images, by which method, within which limits.',
    type: 'object',
    properties: {
      ...properties,
      model: { description: description as Json, allOf: [{ $ref: '#/definitions/model' }] },
    },
    required,
    additionalProperties: false,
    definitions: { model: modelSchema(), ...Object.fromEntries(kinds.map((kind) => [kind, kindSchema(kind)])) },
  }
}

/** A name, a file or an address, or one of the models with its options. */
function modelSchema(): JsonObject {
  const parts = knownParts('model').map((part) => partSchema('model', part))
  const optionsOf = (name: string) => parts.find((part) => nameOf(part) === name)?.properties as JsonObject
  const http = parts.find((part) => nameOf(part) === 'http-classifier') as JsonObject
  const short = { ...http, properties: { ...optionsOf('http-classifier'), name: { const: 'http' } } }
  const providers = optionsOf('onnx').providers as JsonObject
  return {
    oneOf: [
      { type: 'string', minLength: 1 },
      ...embeddedNames.map((name) => embeddedSchema(name, providers)),
      ...parts,
      short,
    ],
  }
}

function embeddedSchema(name: string, providers: JsonObject): JsonObject {
  const count = { type: 'integer', minimum: 1 }
  const batch = { description: 'images per call at most', default: 16, ...count }
  const sessions = { description: 'copies of the network run in parallel', ...count, maximum: 64 }
  return {
    type: 'object',
    description: `The classifier ${name} that ships with zeroth.`,
    properties: { name: { const: name }, batch, sessions, providers },
    required: ['name'],
    additionalProperties: false,
  }
}

function nameOf(part: JsonObject): unknown {
  return ((part.properties as JsonObject).name as JsonObject).const
}
