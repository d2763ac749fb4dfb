import { createHash } from 'node:crypto'
import { show, ZerothError } from '../../optimizer/core/errors.ts'
import { Issue, type Type } from '../../optimizer/core/options.ts'

const blank = '0'.repeat(64)
const seal = /"sha256": "([0-9a-f]{64})"\n}\n$/
const forbidden = ['__proto__', 'constructor', 'prototype']
const maxDepth = 100

/** What a file must be to be taken. */
interface Expected<Content> {
  readonly format: string
  readonly schema: Type<Content>
}

/**
 * JSON text, one line per field, with a seal as its last field: the SHA-256 of the text with zeros in the seal's place.
 */
export function sealedJson(fields: JsonObject): Uint8Array {
  const lines = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)},\n`)
  const text = `{\n${lines.join('')}  "sha256": "${blank}"\n}\n`
  return new TextEncoder().encode(text.replace(seal, `"sha256": "${digest(text)}"\n}\n`))
}

/** Reads what `sealedJson` wrote; refuses damaged, edited, newer and unexpected content, naming file and field. */
export function unsealJson<Content>(path: string, bytes: Uint8Array, expected: Expected<Content>): Content {
  const content = expected.schema.read(unsealFields(path, bytes, expected.format))
  if (!(content instanceof Issue)) return content
  const where = content.path.join('.') || 'a field'
  throw new ZerothError('invalid-run', `${path}: ${where} is not what zeroth writes: it ${content.text}`)
}

/** The fields of a file that `sealedJson` wrote, its format and version among them; refuses what does not fit its seal. */
export function unsealFields(path: string, bytes: Uint8Array, format: string): JsonObject {
  const text = new TextDecoder().decode(bytes)
  const found = parseObject(path, text)
  if (found.format !== format) {
    throw new ZerothError('invalid-run', `${path}: the format is ${show(found.format)}, not "${format}"`)
  }
  checkVersion(path, found.version, 1)
  if (seal.exec(text)?.[1] !== digest(text.replace(seal, `"sha256": "${blank}"\n}\n`))) {
    throw new ZerothError('invalid-run', `${path} does not fit its sha256: it was damaged or changed by hand`)
  }
  const { sha256: _, ...fields } = found
  return fields
}

/** Parses a JSON object; names that reach into JavaScript's own objects are refused wherever they stand. */
export function parseObject(path: string, text: string): JsonObject {
  let found: unknown
  try {
    found = JSON.parse(text)
  } catch (cause) {
    throw new ZerothError('invalid-run', `${path} is not JSON: it is damaged, or not a file of a run`, { cause })
  }
  if (typeof found !== 'object' || found === null || Array.isArray(found)) {
    throw new ZerothError('invalid-run', `${path} must hold a JSON object, got ${show(found)}`)
  }
  refuseForbidden(path, found, 0)
  return found as JsonObject
}

function refuseForbidden(path: string, value: unknown, depth: number): void {
  if (typeof value !== 'object' || value === null) return
  if (depth > maxDepth) throw new ZerothError('invalid-run', `${path} is nested more than ${maxDepth} levels deep`)
  if (!Array.isArray(value)) {
    const bad = Object.keys(value).find((key) => forbidden.includes(key))
    if (bad !== undefined) throw new ZerothError('invalid-run', `${path} has a field ${bad}, which is not allowed`)
  }
  for (const each of Object.values(value)) refuseForbidden(path, each, depth + 1)
}

/** The SHA-256 of some content. */
export function digest(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex')
}

/** A JSON object as it was read, before anything is known about it. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Refuses what a newer zeroth wrote: guessing what its fields mean could give a wrong result. */
export function checkVersion(path: string, found: unknown, known: number): void {
  if (typeof found !== 'number' || !Number.isInteger(found) || found < 1) {
    throw new ZerothError('invalid-run', `${path}: the schema version is ${show(found)}, not a count`)
  }
  if (found > known) {
    const advice = 'it was written by a newer zeroth: update this one'
    throw new ZerothError(
      'invalid-run',
      `${path} has schema version ${found}, this zeroth reads up to ${known}; ${advice}`,
    )
  }
}
