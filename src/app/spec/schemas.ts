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

/** The parts of a kind that a spec can name without saying more, in the order of their names. */
export function namesIn(schema: JsonObject, kind: string): string[] {
  const { oneOf } = (schema.definitions as { [kind: string]: { oneOf: { enum?: string[] }[] } })[kind] ?? { oneOf: [] }
  return oneOf.flatMap(({ enum: names = [] }) => names)
}
