import { isAbsolute, resolve } from 'node:path'
import { nearest, show } from '../../core/errors.ts'
import { fillPart } from '../fill-in.ts'
import { knownParts, partAt } from '../known-parts.ts'
import { below, failAt, type Place } from '../place.ts'
import { isObject, type Json, type JsonObject } from '../plain-data.ts'
import { readSpec } from '../read-spec.ts'
import { refuseSecrets } from '../secrets.ts'
import { embeddedModels, embeddedNameOf, withFullName } from './model-names.ts'
import { servedModel } from './served-model.ts'

/** What an attack spec says about its model. */
export interface ModelKeys {
  readonly model: Json
  readonly modelName?: string | undefined
  readonly preprocessing?: Json | undefined
  readonly batch?: number | undefined
}

/** Where something in a spec stands, and where its paths begin. */
export interface SpecPlace {
  readonly folder: string
  readonly place: Place
}

/** The model of an attack spec as `{ name, ...options }`, with every default filled in and paths made absolute. */
export function writtenModel(keys: ModelKeys, at: SpecPlace): JsonObject {
  const { model, folder } = meantModel(keys, at)
  const place = below(at.place, 'model')
  const full = withFullName(model)
  if (keys.modelName !== undefined && full.name !== 'open-inference') {
    throw failAt(below(at.place, 'modelName'), ` does nothing for ${show(full.name)}: it is for inference servers`)
  }
  if (embeddedNameOf(full) !== undefined) return embedded(full, keys, at.place)
  const { name, ...options } = full
  if (typeof name !== 'string') throw failAt(place, ` must have a name: one of ${names().join(', ')}`)
  if (!names().includes(name))
    throw failAt(below(place, 'name'), ` must be one of ${names().join(', ')}, got ${show(name)}`)
  const { shape } = partAt('model', name, place).definition.options
  refuseSecrets(shape, options, place)
  const said = { ...options, ...ownKeys(name, Object.keys(shape), options, keys, at) }
  const filled = fillPart('model', { name, ...said } as Json, folder) as Record<string, Json>
  // How many are at work at once is no matter of what the model is.
  for (const key of placesKeys) if (!Object.hasOwn(options, key)) delete filled[key]
  return filled
}

/** Options of models that say how many calls are under way at once. */
export const placesKeys = ['sessions', 'concurrency'] as const

function names(): string[] {
  return [...embeddedModels, ...knownParts('model').map(({ definition }) => definition.name)]
}

/** What is meant by a model that is given by its name, its file or its address; and where its paths begin. */
function meantModel(
  { model, modelName }: ModelKeys,
  { folder, place }: SpecPlace,
): { readonly model: JsonObject; readonly folder: string } {
  if (isObject(model)) return { model, folder }
  const text = String(model)
  if (/^https?:/i.test(text)) {
    refuseSecrets({}, { model: text }, place)
    const path = URL.canParse(text) ? new URL(text).pathname : ''
    return { model: isNetwork(path) ? { name: 'onnx', file: text } : servedModel(text, modelName, place), folder }
  }
  if (isNetwork(text)) return { model: { name: 'onnx', file: text }, folder }
  if (/\.(ya?ml|json)$/i.test(text)) {
    const { spec, folder: its } = readSpec(isAbsolute(text) ? text : resolve(folder, text))
    return { model: spec, folder: its }
  }
  if (names().includes(text) || text === 'http') return { model: { name: text }, folder }
  const suggestion = nearest(text, names())
  const hint = suggestion === undefined ? '' : `; did you mean ${suggestion}?`
  const allowed = `${embeddedModels.join(', ')}, an .onnx file, an address, a YAML or JSON file, or { name, ...options }`
  throw failAt(below(place, 'model'), ` must be ${allowed}, got ${show(text)}${hint}`)
}

function isNetwork(path: string): boolean {
  return /\.onnx$/i.test(path)
}

function embedded(model: JsonObject, { preprocessing, batch }: ModelKeys, place: Place): JsonObject {
  const known = ['name', 'batch', 'sessions']
  const unknown = Object.keys(model).find((key) => !known.includes(key))
  if (unknown !== undefined) {
    throw failAt(
      below(place, 'model', unknown),
      ` is no option of ${model.name} (known: batch, sessions)`,
      'unknown-option',
    )
  }
  if (preprocessing !== undefined) {
    throw failAt(below(place, 'preprocessing'), ` does nothing for ${model.name}, which brings its own`)
  }
  return { ...model, batch: batch ?? model.batch ?? 16 }
}

/** The options of the model that stand beside it in the spec. */
function ownKeys(
  name: string,
  known: readonly string[],
  options: JsonObject,
  { preprocessing, batch }: ModelKeys,
  { folder, place }: SpecPlace,
): Record<string, Json> {
  const own: Record<string, Json> = {}
  for (const [key, value] of Object.entries({ preprocessing, batch })) {
    if (value === undefined) continue
    if (!known.includes(key)) throw failAt(below(place, key), ` does nothing for ${name}: it has no option ${key}`)
    own[key] = value
  }
  if (preprocessing === undefined) return own
  const said = isObject(preprocessing) ? preprocessing : readSpec(resolve(folder, String(preprocessing))).spec
  const base = isObject(options.preprocessing) ? options.preprocessing : {}
  return { ...own, preprocessing: { ...base, ...said } }
}
