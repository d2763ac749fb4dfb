import type { Input, Output, Same, Type } from './option-type.ts'
import { option } from './options.ts'
import { article, type OptionTable, parseOptions } from './parse-options.ts'
import { tested } from './schema.ts'

/** The kinds of parts a run is made of. */
export type PartKind =
  | 'directions'
  | 'basis'
  | 'estimator'
  | 'step'
  | 'mirror'
  | 'set'
  | 'solver'
  | 'problem'
  | 'objective'
  | 'model'
  | 'attack'

/** Which part an object was made by, with its options filled in: enough to make it again. */
export interface Origin {
  readonly kind: PartKind
  readonly name: string
  readonly options: Readonly<Record<string, unknown>>
}

/** An object made by a part. */
export type Made<T> = T & { readonly origin: Origin }

interface PartDefinition<Schema extends OptionTable, T> {
  readonly kind: PartKind
  readonly name: string
  /** One sentence on what it is, for help texts and docs. */
  readonly summary: string
  /** The only place where options, their limits and their defaults are written down. */
  readonly options: Schema
  /** Options with which the conformance suite tries the part in a given dimension; it supplies nested parts itself. */
  readonly examples: (dim: number) => readonly Readonly<Record<string, unknown>>[]
  readonly make: (options: Output<Schema>) => T
}

/** A callable that makes the part, carrying its definition. */
export interface Part<Schema extends OptionTable, T> {
  (...options: Record<string, never> extends Input<Schema> ? [Input<Schema>?] : [Input<Schema>]): Made<T>
  readonly definition: PartDefinition<Schema, T>
}

/** What a program writes for the options of a part. */
export type Given<Of extends AnyPart> = Input<Of['definition']['options']>

/** A part whose options are those of a documented interface: editors show what each one means. */
export type Documented<Of extends AnyPart, Options> =
  Same<Options, Given<Of>> extends true
    ? {
        (...options: Record<string, never> extends Options ? [options?: Options] : [options: Options]): ReturnType<Of>
        readonly definition: Of['definition']
      }
    : never

interface AnyPart {
  (options: never): object
  readonly definition: { readonly options: OptionTable }
}

/** Declares a part: its name, its options and how it is made from them. */
export function definePart<Schema extends OptionTable, T extends object>(
  definition: PartDefinition<Schema, T>,
): Part<Schema, T> {
  const make = (given?: unknown): Made<T> => {
    const options = parseOptions(definition.name, definition.options, given ?? {})
    const origin: Origin = { kind: definition.kind, name: definition.name, options: options as Origin['options'] }
    return Object.assign(definition.make(options), { origin })
  }
  return Object.assign(make, { definition }) as Part<Schema, T>
}

/** Which part made this object, if one did. */
export function originOf(value: object): Origin | undefined {
  return (value as { origin?: Origin }).origin
}

/** A part of the given kind, or any object of that kind's shape that a user wrote; specs write it by its name. */
export function partType<T extends object>(kind: PartKind, method: string & keyof T): Type<T, T> {
  const isPart = (value: unknown): boolean =>
    typeof value === 'object' &&
    value !== null &&
    typeof (value as Record<string, unknown>)[method] === 'function' &&
    [undefined, kind].includes(originOf(value)?.kind)
  return { ...tested<T>(isPart, `must be ${article(kind)}`), about: { type: 'part', kind } }
}

/** An option that takes a part: its kind, a method that every part of it has, what it means and its default. */
export function part<T extends object>(kind: PartKind, method: string & keyof T, sentence: string): Type<T, T>
export function part<T extends object>(
  kind: PartKind,
  method: string & keyof T,
  sentence: string,
  standard: () => T,
): Type<T, T | undefined>
export function part<T extends object>(kind: PartKind, method: string & keyof T, sentence: string, standard?: () => T) {
  const type = partType<T>(kind, method)
  return standard === undefined ? option(type, sentence) : option(type, sentence, standard)
}

/** A part with all its options as text: the same text, the same part. Functions count by their source. */
export function described(part: object): string {
  const origin = originOf(part)
  if ('unbounded' in part) return 'no constraint'
  if (origin === undefined) return 'a part of your own'
  const options = Object.entries(origin.options).map(([name, value]) => `${name}: ${describedOption(value)}`)
  return `${origin.name}(${options.join(', ')})`
}

function describedOption(value: unknown): string {
  if (typeof value === 'function') return String(value)
  if (ArrayBuffer.isView(value)) return `${value.byteLength} bytes with checksum ${checksum(value)}`
  if (Array.isArray(value)) return `[${value.map(describedOption).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  return originOf(value) === undefined && 'begin' in value ? 'a part of your own' : describedObject(value)
}

/** FNV-1a over the bytes of a list of numbers: bounds of a million entries must not become text. */
function checksum(list: ArrayBufferView): number {
  let hash = 0x811c9dc5
  for (const byte of new Uint8Array(list.buffer, list.byteOffset, list.byteLength)) {
    hash = Math.imul(hash ^ byte, 0x01000193)
  }
  return hash >>> 0
}

function describedObject(value: object): string {
  if (originOf(value) !== undefined) return described(value)
  return `{${Object.entries(value)
    .map(([name, each]) => `${name}: ${describedOption(each)}`)
    .join(', ')}}`
}
