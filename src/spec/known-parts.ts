import { attacks } from '../attacks/index.ts'
import { didYouMean, show } from '../core/errors.ts'
import type { Table } from '../core/option-type.ts'
import { article } from '../core/parse-options.ts'
import type { Part, PartKind } from '../core/part.ts'
import { models } from '../models/index.ts'
import { objectives } from '../objectives/index.ts'
import { parts } from '../parts.ts'
import { isWritable } from './option-schema.ts'
import { failAt, type Place } from './place.ts'

/** Any part of the library. */
export type AnyPart = Part<Table, object>

/** Longer names are no misspelt ones. */
const longestName = 100

const byKind: Readonly<Partial<Record<PartKind, readonly unknown[]>>> = {
  ...parts,
  objective: [...parts.problem, ...objectives],
  model: models,
  attack: attacks,
}

const remembered = new Map<PartKind, readonly AnyPart[]>()

/** The parts of a kind that a spec can name; test problems are objectives like any other. */
export function knownParts(kind: PartKind): readonly AnyPart[] {
  const known = remembered.get(kind) ?? ((byKind[kind] ?? []) as readonly AnyPart[]).filter(canBeWritten)
  remembered.set(kind, known)
  return known
}

/** The part of that name, if a spec can name it. */
export function findPart(kind: PartKind, name: unknown): AnyPart | undefined {
  return knownParts(kind).find((part) => part.definition.name === name)
}

/** The part of that name; an unknown one is an error that lists the known ones. */
export function partAt(kind: PartKind, name: string, place: Place): AnyPart {
  const found = findPart(kind, name)
  if (found !== undefined) return found
  const names = knownParts(kind).map((part) => part.definition.name)
  const unwritable = ((byKind[kind] ?? []) as readonly AnyPart[]).some((part) => part.definition.name === name)
  if (unwritable) throw failAt(place, `: ${name} takes a function, which no spec can hold (known: ${names.join(', ')})`)
  const hint = name.length > longestName ? '' : didYouMean(name, names)
  throw failAt(place, ` must be ${article(kind)}, got ${show(name)}${hint} (known: ${names.join(', ')})`)
}

/** Whether every option that must be given can be given in a file. */
function canBeWritten({ definition }: AnyPart): boolean {
  return Object.values(definition.options.shape).every((option) => option.optional || isWritable(option))
}
