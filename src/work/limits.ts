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
  const keys = [...new Set([...Object.keys(there), ...Object.keys(wanted)])]
  const differing = keys.filter((key) => !isDeepStrictEqual(there[key], wanted[key]))
  const other = differing.find((key) => !(limitKeys as readonly string[]).includes(key) || wanted[key] === undefined)
  if (other !== undefined) {
    const [old, now] = [there[other], wanted[other]].map((value) => JSON.stringify(value) ?? 'nothing')
    throw new ZerothError(
      'invalid-option',
      `${folder} is another run: its ${other} is ${short(old)}, not ${short(now)}; choose another folder`,
    )
  }
  return newLimits(there, wanted as Limits)
}

function short(text = ''): string {
  return text.length > 60 ? `${text.slice(0, 57)}...` : text
}
