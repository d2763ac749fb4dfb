import { isAbsolute, resolve } from 'node:path'
import { didYouMean, show } from '../../../optimizer/core/errors.ts'
import { type EmbeddedName, embeddedNames } from '../../../robustness/embedded/index.ts'
import { isAccelerated, type OnnxProvider } from '../../../robustness/models/index.ts'
import { fillPart, knownParts, partAt } from '../compile-part.ts'
import { below, failAt, type Place } from '../place.ts'
import { isObject, type Json, type JsonObject } from '../plain-data.ts'
import { readSpec } from '../read-spec.ts'
import { refuseSecrets } from '../secrets.ts'

/** What an attack spec says about its model. */
interface ModelKeys {
  readonly model: Json
  readonly modelName?: string | undefined
  readonly preprocessing?: Json | undefined
  readonly batch?: number | undefined
  readonly input?: string | undefined
  readonly output?: string | undefined
  readonly providers?: readonly OnnxProvider[] | undefined
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
  // How many calls are in flight at once is not part of what the model is.
  for (const key of placesKeys) if (!Object.hasOwn(options, key)) delete filled[key]
  return filled
}

/** Options of models that say how many calls are in flight at once. */
export const placesKeys = ['sessions', 'concurrency'] as const

function names(): string[] {
  return [...embeddedNames, ...knownParts('model').map(({ definition }) => definition.name)]
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
  const allowed = `${embeddedNames.join(', ')}, an .onnx file, an address, a YAML or JSON file, or { name, ...options }`
  const hint = foreign.test(text)
    ? '; export it to ONNX (torch.onnx.export, tf2onnx, skl2onnx)'
    : didYouMean(text, names())
  throw failAt(below(place, 'model'), ` must be ${allowed}, got ${show(text)}${hint}`)
}

/** Files of models that other libraries write. */
const foreign = /\.(pt|pth|ckpt|safetensors|h5|keras|pb|tflite|pkl|joblib)$/i

function isNetwork(path: string): boolean {
  return /\.onnx$/i.test(path)
}

function embedded(model: JsonObject, keys: ModelKeys, place: Place): JsonObject {
  const { batch, providers } = keys
  const known = ['name', 'batch', 'sessions', 'providers']
  const unknown = Object.keys(model).find((key) => !known.includes(key))
  if (unknown !== undefined) {
    throw failAt(
      below(place, 'model', unknown),
      ` is not an option of ${model.name} (known: batch, sessions, providers)`,
      'unknown-option',
    )
  }
  for (const key of ['preprocessing', 'input', 'output'] as const) {
    if (keys[key] === undefined) continue
    throw failAt(below(place, key), ` does nothing for ${model.name}, which brings its own`)
  }
  const full = providers === undefined ? model : { ...model, providers: [...providers] }
  return { ...full, batch: batch ?? model.batch ?? (isOnCard(full) ? cardBatch : 16) }
}

/** The options of the model that stand beside it in the spec. */
function ownKeys(
  name: string,
  known: readonly string[],
  options: JsonObject,
  { preprocessing, batch, providers, input, output }: ModelKeys,
  { folder, place }: SpecPlace,
): Record<string, Json> {
  const own: Record<string, Json> = {}
  for (const [key, value] of Object.entries({ preprocessing, batch, providers, input, output })) {
    if (value === undefined) continue
    if (!known.includes(key)) throw failAt(below(place, key), ` does nothing for ${name}: it has no option ${key}`)
    own[key] = value as Json
  }
  if (batch === undefined && options.batch === undefined && isOnCard({ ...options, ...own })) own.batch = cardBatch
  if (preprocessing === undefined) return own
  const said = isObject(preprocessing) ? preprocessing : readSpec(resolve(folder, String(preprocessing))).spec
  const base = isObject(options.preprocessing) ? options.preprocessing : {}
  return { ...own, preprocessing: { ...base, ...said } }
}

const modelPath = /^(.*?)\/v2\/models\/([^/]+)(?:\/versions\/([^/]+))?(?:\/(?:infer|ready))?\/?$/

/**
 * The model on an inference server that an address means: with the name of the model in it, as in
 * http://host/v2/models/NAME, or with the name beside it.
 */
function servedModel(address: string, modelName: string | undefined, place: Place): JsonObject {
  const url = parsed(address, place)
  const [, prefix, named, version] = modelPath.exec(url.pathname) ?? []
  if (named === undefined || prefix === undefined) {
    if (modelName !== undefined) return { name: 'open-inference', url: address, model: modelName }
    const advice =
      'give modelName (--model-name NAME), or an address like http://host/v2/models/NAME; for any other JSON API a file with name: http-classifier'
    throw failAt(below(place, 'model'), `: which model of ${url.origin} is meant? ${advice}`)
  }
  const model = decodeURIComponent(named)
  if (modelName !== undefined && modelName !== model) {
    throw failAt(below(place, 'modelName'), ` is ${modelName}, but the address of the model names ${model}`)
  }
  url.pathname = prefix
  const base = { name: 'open-inference', url: String(url).replace(/\/$/, ''), model }
  return version === undefined ? base : { ...base, version: decodeURIComponent(version) }
}

function parsed(address: string, place: Place): URL {
  try {
    return new URL(address)
  } catch {
    throw failAt(below(place, 'model'), ' is not a valid address')
  }
}

/** The embedded model that a written one is, if it is one. */
export function embeddedNameOf({ name }: JsonObject): EmbeddedName | undefined {
  return embeddedNames.find((each) => each === name)
}

/** Other names for parts: `http` is what most people write first. */
const shortNames: Readonly<Record<string, string>> = { http: 'http-classifier' }

/** A model with its full name. */
function withFullName(model: JsonObject): JsonObject {
  const { name } = model
  return typeof name === 'string' && Object.hasOwn(shortNames, name)
    ? { ...model, name: shortNames[name] as string }
    : model
}

/** Whether a written model is computed by a graphics card, or whatever else is no CPU of this machine. */
export function isOnCard({ providers }: JsonObject): boolean {
  return isAccelerated(providers as readonly string[] | undefined)
}

/** Images per call that keep a graphics card busy, unless the spec says another number. */
const cardBatch = 64

/** Whether a written model is a service, not computed here. */
export function isService({ name }: JsonObject): boolean {
  return name === 'open-inference' || name === 'http-classifier'
}

/** Whether a written model is reached over HTTP, if only to fetch it: that takes permission. */
export function isRemote(model: JsonObject): boolean {
  return isService(model) || (typeof model.file === 'string' && /^https?:/i.test(model.file))
}
