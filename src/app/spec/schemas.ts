import { readFileSync } from 'node:fs'
import type { JsonObject } from './plain-data.ts'

/** The JSON Schema of specs (draft 7), for editors and other programs: what a file may say, with what it means. */
export function specSchema(): JsonObject {
  return published('zeroth')
}

/** The JSON Schema of attack specs (draft 7). */
export function attackSchema(): JsonObject {
  return published('attack')
}

/** The doc comments of options are not in the program: `npm run gen` reads them into the schemas of the package. */
function published(name: string): JsonObject {
  const file = new URL(`../../../schema/${name}.schema.json`, import.meta.url)
  return JSON.parse(readFileSync(file, 'utf8')) as JsonObject
}

interface Names {
  enum?: string[]
  description?: string
}

/** The parts of a kind, or of a group of it, that a spec can name without saying more, in the order of their names. */
export function namesIn(schema: JsonObject, kind: string, group?: string): string[] {
  const { oneOf } = (schema.definitions as unknown as { [kind: string]: { oneOf: Names[] } })[kind] ?? { oneOf: [] }
  const wanted = oneOf.filter(({ description }) => group === undefined || description === group)
  return wanted.flatMap(({ enum: names = [] }) => names)
}
