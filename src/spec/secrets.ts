import type { Shape } from '../core/option-type.ts'
import { below, failAt, type Place } from './place.ts'
import { isObject, type JsonObject } from './plain-data.ts'
import { secretArgument } from './secret-arguments.ts'

/** Headers and parameters of an address that hold secrets. */
const secretHeader = /authorization|cookie|key|token|secret|passw/i

/** Variables that do: API_KEY, but not TOKENIZERS_PARALLELISM. */
const secretVariable = /(^|[^a-z])(api)?(authorization|cookie|key|token|secret|password|passwd)$/i

/**
 * Refuses secrets that are written out: specs are shared, committed and saved with every run. What carries a telling name
 * among headers or variables must say where the secret is to be found, as `{ env }` or `{ file }`.
 */
export function refuseSecrets(shape: Shape, options: JsonObject, place: Place): void {
  for (const [option, value] of Object.entries(options)) {
    const where = below(place, option)
    if (typeof value === 'string') refuseCredentials(value, where)
    if (option === 'command' && Array.isArray(value)) refuseArguments(value, where)
    const schema = Object.hasOwn(shape, option) ? shape[option] : undefined
    if (schema === undefined || schema.about.type !== 'record' || !isObject(value)) continue
    const telling = option === 'headers' ? secretHeader : secretVariable
    const found = Object.keys(value).find((name) => typeof value[name] === 'string' && telling.test(name))
    if (found === undefined) continue
    throw failAt(below(where, found), ' must not be written out: give { env: NAME } or { file: PATH } that holds it')
  }
}

/** A password or a key among the arguments of a program. */
function refuseArguments(words: readonly unknown[], place: Place): void {
  const found = secretArgument(words)
  if (found === undefined) return
  const advice = `put it into an environment variable and write \${NAME}, which is replaced when the program starts`
  throw failAt(below(place, found.index), ` must not hold a secret (${found.what}): ${advice}`)
}

/** A password or a key inside an address. */
function refuseCredentials(text: string, place: Place): void {
  const url = /^\s*(https?|rediss?):/i.test(text) ? addressOf(text) : undefined
  if (url === undefined) return
  const parameter = [...url.searchParams.keys()].find((name) => secretHeader.test(name))
  if (url.username === '' && url.password === '' && parameter === undefined) return
  const what = parameter === undefined ? 'a user or a password' : `the parameter ${parameter}`
  throw failAt(place, ` must not hold ${what}: give { env: NAME } or { file: PATH } that holds the whole address`)
}

function addressOf(text: string): URL | undefined {
  try {
    return new URL(text.trim())
  } catch {
    return undefined
  }
}
