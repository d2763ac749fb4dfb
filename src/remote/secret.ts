import { ZerothError } from '../core/errors.ts'
import { noted, option, table } from '../core/options.ts'
import { filledText, mapped, text, union } from '../core/schema.ts'
import { urlObject } from './url.ts'

/** A secret that was given as it is, kept out of every text, log and file that its options may end up in. */
export interface HiddenSecret {
  /** What may be seen of it. */
  readonly shown: string
}

/** Where a secret is to be found. */
export type SecretSource = string | HiddenSecret | { readonly env: string } | { readonly file: string }

const values = new WeakMap<HiddenSecret, string>()

/** Puts a secret out of sight: only `resolveSecret` finds it again. */
export function hideSecret(value: string, shown = '[secret]'): HiddenSecret {
  const hidden = Object.freeze({ shown })
  values.set(hidden, value)
  return hidden
}

/** Says where a text is to be found instead of writing it down. */
export const referenceOptions = [
  table({ env: option(filledText, 'the environment variable that holds it') }),
  table({
    file: option(union(noted(filledText, { path: true }), urlObject), 'the file that holds it'),
  }),
] as const

/**
 * A secret text: itself, or the environment variable or the file that holds it. Options of this type
 * carry `.meta({ secret: true })`, so that errors about them do not show what was given.
 */
export const secretOption = union(
  mapped(text, (value) => hideSecret(value)),
  ...referenceOptions,
)

/** Whether a secret was not given itself, but where it is to be found: then all of it is one. */
export function isReference(source: SecretSource): boolean {
  return typeof source !== 'string' && ('env' in source || 'file' in source)
}

/** The secret itself. `where` names the option in errors, which never hold the secret. */
export function resolveSecret(source: SecretSource, where: string): string {
  if (typeof source === 'string') return source
  if ('env' in source) return fromEnvironment(source.env, where)
  if ('file' in source) return fromFile(source.file, where)
  const value = values.get(source)
  if (value === undefined) {
    throw new ZerothError('invalid-option', `${where} was a secret that is not kept: give it again`)
  }
  return value
}

function fromEnvironment(name: string, where: string): string {
  const value = globalThis.process?.env?.[name]
  if (value !== undefined && value !== '') return value
  const state = value === undefined ? 'is not set' : 'is empty'
  throw new ZerothError('invalid-option', `${where}: the environment variable ${name} ${state}`)
}

/** The file's text without the white space around it: editors and secret stores end files with a new line. */
function fromFile(path: string, where: string): string {
  const files = globalThis.process?.getBuiltinModule?.('node:fs')
  if (files === undefined) {
    throw new ZerothError('invalid-option', `${where}: the file ${path} cannot be read here: there are no files`)
  }
  let text: string
  try {
    text = files.readFileSync(path.startsWith('file:') ? new URL(path) : path, 'utf8').trim()
  } catch (error) {
    const code = (error as { code?: unknown }).code ?? 'unknown reason'
    throw new ZerothError('invalid-option', `${where}: cannot read the file ${path} (${code})`)
  }
  if (text === '') throw new ZerothError('invalid-option', `${where}: the file ${path} is empty`)
  return text
}

/** Wherever they stand in a name, they say what it is. */
const anywhere = /secret|passw|passphrase|credential|cookie|apikey|authoriz|bearer/

/** At the end of a word only: API_KEY and accessToken, but neither TOKENIZERS nor AUTHOR nor KEYBOARD. */
const atTheEnd = /(^(pass|sig)|key|token|auth|signature|jwt|pwd)s?$/

/** A user and a password inside an address. */
const credentials = /\/\/[^/@\s]*:[^/@\s]+@/

/** Whether a setting of this name and value is probably a secret. */
export function looksSecret(name: string, value = ''): boolean {
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
  return words.some((word) => anywhere.test(word) || atTheEnd.test(word)) || credentials.test(value)
}
