import { below, failAt, type Place } from '../place.ts'
import type { JsonObject } from '../plain-data.ts'

const modelPath = /^(.*?)\/v2\/models\/([^/]+)(?:\/versions\/([^/]+))?(?:\/(?:infer|ready))?\/?$/

/**
 * The model on an inference server that an address means: with the name of the model in it, as in
 * http://host/v2/models/NAME, or with the name beside it.
 */
export function servedModel(address: string, modelName: string | undefined, place: Place): JsonObject {
  const url = parsed(address, place)
  const [, prefix, named, version] = modelPath.exec(url.pathname) ?? []
  if (named === undefined || prefix === undefined) {
    if (modelName !== undefined) return { name: 'open-inference', url: address, model: modelName }
    const advice = 'give modelName (--model-name NAME), or an address like http://host/v2/models/NAME'
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
    throw failAt(below(place, 'model'), ' is no address that can be read')
  }
}
