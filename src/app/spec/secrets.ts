import type { Shape } from '../../optimizer/core/options.ts'
import { parsedUrl } from '../../optimizer/remote/url.ts'
import { below, failAt, type Place } from './place.ts'
import { isObject, type JsonObject } from './plain-data.ts'

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
    if (schema === undefined || schema.description.type !== 'record' || !isObject(value)) continue
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
  const url = /^\s*(https?|rediss?):/i.test(text) ? parsedUrl(text.trim()) : undefined
  if (url === undefined) return
  const parameter = [...url.searchParams.keys()].find((name) => secretHeader.test(name))
  if (url.username === '' && url.password === '' && parameter === undefined) return
  const what = parameter === undefined ? 'a user or a password' : `the parameter ${parameter}`
  throw failAt(place, ` must not hold ${what}: give { env: NAME } or { file: PATH } that holds the whole address`)
}

/** Options of programs that take a secret: --api-key, --token, -password; not --sort-key. */
const secretOption =
  /^--?(.*-)?(token|password|passwd|passphrase|pwd|secret|api-?key|access-?key|credentials?|bearer)$/i

/** Settings in front of a program: API_KEY=..., DB_PASSWORD=... */
const secretSetting = /^[A-Z0-9_]*(API_?KEY|ACCESS_?KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$/

/** What secrets themselves look like, wherever they are: keys of well-known services, bearer tokens, user:password@host. */
const telling = [
  /\bsk-[\w-]{8,}/,
  /\bgh[pousr]_\w{20,}/,
  /\bxox[abprs]-[\w-]{8,}/,
  /\bAKIA[0-9A-Z]{16}\b/,
  /\bbearer\s+\S{4,}/i,
  /\/\/[^/@\s]*:[^/@\s]+@/,
]

/** Stands for a secret of the environment. */
const reference = /\$\{[A-Z_][A-Z0-9_]*\}/g

/** Which argument of a command holds a secret, and what tells so, without the secret; undefined where none does. */
function secretArgument(words: readonly unknown[]): { readonly index: number; readonly what: string } | undefined {
  for (const [index, word] of words.entries()) {
    const text = String(word).replaceAll(reference, '')
    const [, name = '', value = ''] = /^([^=\s]+)=(.*)$/s.exec(text) ?? []
    if (value !== '' && (secretOption.test(name) || secretSetting.test(name))) return { index, what: name }
    const before = String(words[index - 1] ?? '')
    if (text !== '' && !text.startsWith('-') && secretOption.test(before)) return { index, what: before }
    if (telling.some((pattern) => pattern.test(text))) return { index, what: 'what looks like a key' }
  }
  return undefined
}
