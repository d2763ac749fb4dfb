import { ZerothError } from './errors.ts'
import { article, custom, type Input, type OptionTable, type Output, parseOptions, type Type } from './options.ts'
import type { Memory, RunContext, SavedMemory, Search, Solver, State, Vector } from './types.ts'

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
  /** True for a method made for attacks on images: help texts list these apart. */
  readonly forAttacks?: true
  readonly make: (options: Output<Schema>) => T
}

/** A callable that makes the part, carrying its definition. */
export interface Part<Schema extends OptionTable, T> {
  (
    ...options: Record<string, never> extends Input<Schema> ? [options?: Input<Schema>] : [options: Input<Schema>]
  ): Made<T>
  readonly definition: PartDefinition<Schema, T>
}

/** The options of a part, as a program writes them: `OptionsOf<typeof zoAdaMM>`. */
export type OptionsOf<Of extends AnyPart> = Input<Of['definition']['options']>

interface AnyPart {
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
export function part<T extends object>(kind: PartKind, method: string & keyof T): Type<T, T> {
  const isPart = (value: unknown): boolean =>
    typeof value === 'object' &&
    value !== null &&
    typeof (value as Record<string, unknown>)[method] === 'function' &&
    [undefined, kind].includes(originOf(value)?.kind)
  return { ...custom<T>(isPart, `must be ${article(kind)}`), description: { type: 'part', kind } }
}

/** A part with all its options as text: the same text, the same part. Functions count by their source. */
export function fingerprint(part: object): string {
  const origin = originOf(part)
  if ('unbounded' in part) return 'no constraint'
  if (origin === undefined) return 'a part of your own'
  const options = Object.entries(origin.options).map(([name, value]) => `${name}: ${fingerprintOption(value)}`)
  return `${origin.name}(${options.join(', ')})`
}

function fingerprintOption(value: unknown): string {
  if (typeof value === 'function') return String(value)
  if (ArrayBuffer.isView(value)) return `${value.byteLength} bytes with checksum ${checksum(value)}`
  if (Array.isArray(value)) return `[${value.map(fingerprintOption).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  return originOf(value) === undefined && 'start' in value ? 'a part of your own' : fingerprintObject(value)
}

/** FNV-1a over the bytes of a list of numbers: bounds of a million entries must not become text. */
function checksum(list: ArrayBufferView): number {
  let hash = 0x811c9dc5
  for (const byte of new Uint8Array(list.buffer, list.byteOffset, list.byteLength)) {
    hash = Math.imul(hash ^ byte, 0x01000193)
  }
  return hash >>> 0
}

function fingerprintObject(value: object): string {
  if (originOf(value) !== undefined) return fingerprint(value)
  return `{${Object.entries(value)
    .map(([name, each]) => `${name}: ${fingerprintOption(each)}`)
    .join(', ')}}`
}

/** The version of checkpoints that this zeroth writes and reads. */
export const checkpointVersion = 1

/** A memory as a checkpoint keeps it: copies of everything. */
export function saveMemory(memory: Memory): SavedMemory {
  const { vectors, state } = liveMemory(memory)
  return {
    vectors: Object.fromEntries(Object.entries(vectors).map(([name, vector]) => [name, vector.slice()])),
    state,
  }
}

/** What one part of a saved memory remembered. */
export function savedPart({ vectors, state }: SavedMemory, part: string): SavedMemory {
  return { vectors: within(vectors, part), state: within(state, part) }
}

/** Copies what was saved into a memory with the same names, lengths and types; refuses any other. */
export function restoreMemory(memory: Memory, saved: SavedMemory): void {
  const { vectors, state } = liveMemory(memory)
  for (const name of namesOf(vectors, saved.vectors)) {
    copyVector(`memory.${name}`, vectors[name], saved.vectors[name])
  }
  for (const name of namesOf(state, saved.state)) checkEntry(name, state[name], saved.state[name])
  assignState(memory, saved.state, '')
}

/** A search of the solver that remembers what was saved; the caller sets its iteration. */
export function resumeSearch(solver: Solver, at: RunContext, saved: SavedMemory): Search {
  const search = solver.resume?.(at, saved) ?? solver.start(at)
  restoreMemory(search.memory, saved)
  return search
}

/** Copies a vector of a checkpoint into one of the same length. */
export function copyVector(name: string, into: Vector | undefined, from: Vector | undefined): void {
  if (into === undefined || from === undefined || into.length !== from.length) {
    const found = `${from?.length ?? 'no'} entries in the checkpoint, ${into?.length ?? 'none'} in this run`
    throw new ZerothError('invalid-checkpoint', `resume.${name} does not fit: ${found}`)
  }
  into.set(from)
}

/** All names of a memory at once; the vectors are those at work. */
export function liveMemory({ vectors, state, parts }: Memory): SavedMemory {
  const all = { vectors: { ...vectors }, state: { ...state } }
  for (const [part, memory] of Object.entries(parts ?? {})) {
    const inner = liveMemory(memory ?? {})
    for (const [name, vector] of Object.entries(inner.vectors)) all.vectors[`${part}.${name}`] = vector
    for (const [name, entry] of Object.entries(inner.state)) all.state[`${part}.${name}`] = entry
  }
  return all
}

function within<T>(all: Readonly<Record<string, T>>, part: string): Record<string, T> {
  const own = Object.entries(all).filter(([name]) => name.startsWith(`${part}.`))
  return Object.fromEntries(own.map(([name, entry]) => [name.slice(part.length + 1), entry]))
}

function namesOf(...records: readonly object[]): Set<string> {
  return new Set(records.flatMap((record) => Object.keys(record)))
}

function checkEntry(name: string, own: State[string] | undefined, saved: State[string] | undefined): void {
  if (typeof own === typeof saved) return
  const type = (entry: unknown): string => (entry === undefined ? 'nothing' : `a ${typeof entry}`)
  const found = `${type(saved)} in the checkpoint, ${type(own)} in this run`
  throw new ZerothError('invalid-checkpoint', `resume.memory.${name} does not fit: ${found}`)
}

function assignState({ state, parts }: Memory, saved: Readonly<State>, owner: string): void {
  for (const name of Object.keys(state ?? {})) (state as State)[name] = saved[owner + name] as State[string]
  for (const [part, memory] of Object.entries(parts ?? {})) assignState(memory ?? {}, saved, `${owner}${part}.`)
}
