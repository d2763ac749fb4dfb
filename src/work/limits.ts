import { isDeepStrictEqual } from 'node:util'
import { ZerothError } from '../index.ts'
import type { JsonObject } from '../spec/index.ts'

/** What may be changed in a run that is there: when it stops, never what it does. */
export const limitKeys = ['maxQueries', 'maxIterations', 'maxTime', 'target'] as const

/** Limits as options give them. */
export type Limits = Readonly<Partial<Record<(typeof limitKeys)[number], number | undefined>>>

/** Those of the given limits that a spec does not have already. */
export function newLimits(spec: Readonly<Record<string, unknown>>, limits: Limits): Record<string, number> {
  const changed = limitKeys.filter((key) => limits[key] !== undefined && limits[key] !== spec[key])
  return Object.fromEntries(changed.map((key) => [key, limits[key] as number]))
}

/** The limits in which a wanted spec differs from the one of a run that is there; any other difference is an error. */
export function changedLimits(
  folder: string,
  there: Readonly<Record<string, unknown>>,
  wanted: JsonObject,
): Record<string, number> {
  const isLimit = (key: string): boolean => (limitKeys as readonly string[]).includes(key)
  const other = differingKeys(there, wanted).find((key) => !isLimit(key) || wanted[key] === undefined)
  if (other !== undefined) throw isAnother('run', folder, other, there, wanted)
  return newLimits(there, wanted as Limits)
}

/** The keys whose values differ between two specs. */
export function differingKeys(
  there: Readonly<Record<string, unknown>>,
  wanted: Readonly<Record<string, unknown>>,
): string[] {
  const keys = [...new Set([...Object.keys(there), ...Object.keys(wanted)])]
  return keys.filter((key) => !isDeepStrictEqual(there[key], wanted[key]))
}

/** The error of a folder whose work has another spec than the wanted one. */
export function isAnother(
  what: 'run' | 'attack',
  folder: string,
  key: string,
  there: Readonly<Record<string, unknown>>,
  wanted: Readonly<Record<string, unknown>>,
): ZerothError {
  const [old, now] = [there[key], wanted[key]].map((value) => cut(JSON.stringify(value) ?? 'nothing'))
  const difference = `its ${key} is ${old}, not ${now}`
  return new ZerothError('invalid-option', `${folder} is another ${what}: ${difference}; choose another folder`)
}

function cut(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}...` : text
}
