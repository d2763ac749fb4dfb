import * as z from 'zod/mini'

import type { PartKind } from '../core/part.ts'
import { isNumeric } from './number-words.ts'
import { isObject } from './plain-data.ts'

/** The schema of one option, or of a member of one. */
export type OptionSchema = z.core.$ZodType

/** What an option's schema says, with what is wrapped around its type taken off. */
export interface OpenedOption {
  /** The bare type: no default, no optional, nothing that transforms. */
  readonly type: z.core.$ZodTypes
  /** The kind of part it takes, where it takes one. */
  readonly part: PartKind | undefined
  /** Whether it is the objective of a spec, which is filled in and made after everything else is known. */
  readonly blackBox: boolean
  /** Whether it takes a list of numbers. */
  readonly numbers: boolean
  /** Whether it is a path; `folder` where the spec's own folder is meant when it is left out. */
  readonly path: boolean | 'folder'
  /** Whether it may be left out. */
  readonly optional: boolean
  /** What it is when left out. */
  readonly standard: () => unknown
}

/** Takes the wrappers off a schema, collecting what they and their metadata say. */
export function openOption(schema: OptionSchema): OpenedOption {
  let type = schema as z.core.$ZodTypes
  let meta: Readonly<Record<string, unknown>> = {}
  let optional = false
  let standard: (() => unknown) | undefined
  for (;;) {
    meta = { ...z.globalRegistry.get(type), ...meta }
    const { def } = type._zod
    // Of two defaults the outer one is what is meant.
    if (def.type === 'default' || def.type === 'prefault') standard ??= () => def.defaultValue
    if (def.type === 'default' || def.type === 'prefault' || def.type === 'optional') optional = true
    const inner = innerOf(def)
    if (inner === undefined) break
    type = inner as z.core.$ZodTypes
  }
  return {
    type,
    part: meta.part as PartKind | undefined,
    blackBox: meta.blackBox === true,
    numbers: meta.numbers === true,
    path: meta.path === 'folder' ? 'folder' : meta.path === true,
    optional,
    standard: standard ?? (() => undefined),
  }
}

function innerOf(def: z.core.$ZodTypes['_zod']['def']): OptionSchema | undefined {
  switch (def.type) {
    case 'default':
    case 'prefault':
    case 'optional':
    case 'nullable':
    case 'readonly':
    case 'nonoptional':
    case 'catch':
      return def.innerType
    case 'pipe':
      return def.in
    default:
      return undefined
  }
}

/** Whether something in a file could be meant for this schema, going by its outer shape. */
function suits(schema: OptionSchema, value: unknown): boolean {
  const { type, part, numbers } = openOption(schema)
  if (part !== undefined) return typeof value === 'string' || isObject(value)
  if (numbers) return Array.isArray(value)
  const { def } = type._zod
  switch (def.type) {
    case 'number':
      return isNumeric(value)
    case 'string':
    case 'enum':
      return typeof value === 'string'
    case 'boolean':
      return typeof value === 'boolean'
    case 'literal':
      return def.values.includes(value as z.core.util.Literal) || (isNumeric(value) && def.values.some(isNumeric))
    case 'array':
    case 'tuple':
      return Array.isArray(value)
    case 'object':
      return isObject(value) && Object.keys(value).every((key) => Object.hasOwn(def.shape, key))
    case 'record':
      return isObject(value)
    case 'union':
      return def.options.some((option) => suits(option, value))
    default:
      return isOpenEnded(def.type)
  }
}

/** The alternative of a union that is meant by a value. An object with a misspelt key means the only kind of object. */
export function meantOption(options: readonly OptionSchema[], value: unknown): OptionSchema | undefined {
  const suitable = options.find((option) => suits(option, value))
  if (suitable !== undefined || !isObject(value)) return suitable
  const objects = options.filter((option) => openOption(option).type._zod.def.type === 'object')
  return objects.length === 1 ? objects[0] : undefined
}

/** Whether an option can be written into a file at all: functions cannot. */
export function isWritable(schema: OptionSchema): boolean {
  const { type, part, numbers, blackBox } = openOption(schema)
  if (part !== undefined || numbers || blackBox) return true
  const { def } = type._zod
  if (def.type === 'union') return def.options.some(isWritable)
  return !['custom', 'function', 'transform', 'never'].includes(def.type)
}

/** Types that take anything. */
function isOpenEnded(type: string): boolean {
  return ['unknown', 'any', 'lazy'].includes(type)
}
