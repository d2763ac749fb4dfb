import { ZerothError } from './errors.ts'
import type { Begin, Memory, SavedMemory, Search, Solver, State, Vector } from './types.ts'

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
export function resumeSearch(solver: Solver, at: Begin, saved: SavedMemory): Search {
  const search = solver.resume?.(at, saved) ?? solver.begin(at)
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
