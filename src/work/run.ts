import { rm } from 'node:fs/promises'
import type { Watcher } from '../cli/watch.ts'
import { type Objective, ZerothError } from '../index.ts'
import { machine, zerothVersion } from '../provenance/machine.ts'
import { now } from '../provenance/wall-clock.ts'
import { type CompiledSpec, compileSpec, type JsonObject } from '../spec/index.ts'
import { createRun, driveRun, openRun, type RunResult, type RunStore } from '../trace/index.ts'
import { isRun, type RunPlace } from './folders.ts'
import { changedLimits } from './limits.ts'
import { makeFolder } from './make-folder.ts'
import { perform } from './perform.ts'

/** Begins a run; a folder that cannot take one is a mistake of whoever named it. */
export async function beginRun({ folder, id }: RunPlace, spec: JsonObject): Promise<RunStore> {
  await makeFolder(folder)
  try {
    return await createRun(folder, { id, created: now(), zeroth: zerothVersion(), spec, machine: machine() })
  } catch (error) {
    if (!(error instanceof ZerothError) || error.code !== 'invalid-run') throw error
    throw new ZerothError('invalid-option', error.message, { cause: error })
  }
}

/**
 * Takes a run that was just begun to its end. One whose method cannot begin (it needs the size of images, say) has asked
 * nothing: it leaves nothing behind that could be gone on with.
 */
export async function performNew(
  compiled: CompiledSpec,
  store: RunStore,
  watching: Watcher,
  label?: string,
): Promise<RunResult> {
  try {
    return await perform(compiled, store, watching, label)
  } catch (error) {
    const isMistake = error instanceof ZerothError && error.code === 'invalid-option'
    if (!isMistake || store.seconds > 0) throw error
    await rm(store.folder, { recursive: true, force: true })
    throw Object.assign(error, { run: undefined })
  }
}

/** Goes on with a run where it stands, some limits of its spec changed; one that has finished asks nothing. */
export async function takeUp(
  folder: string,
  changes: (spec: JsonObject) => Record<string, number>,
  watching: Watcher,
  label?: string,
): Promise<RunResult> {
  const store = await openRun(folder, { fromStart: ({ spec }) => isOn(spec.cache) })
  try {
    await changeLimits(store, changes(store.meta.spec as JsonObject))
    if (store.result?.status === 'finished') return store.result
    return await perform(compiledOf(store), store, watching, label)
  } finally {
    await store.close()
  }
}

/** Brings the run of a resolved spec to its end: makes it, or takes up the one that is there. */
export async function runOrTakeUp(
  place: RunPlace,
  spec: JsonObject,
  watching: Watcher,
  label?: string,
): Promise<RunResult> {
  if (!isRun(place.folder)) {
    const compiled = compileSpec(spec)
    return performNew(compiled, await beginRun(place, compiled.resolved), watching, label)
  }
  return takeUp(place.folder, (there) => changedLimits(place.folder, there, spec), watching, label)
}

/** Other limits hold from where the run stands. One that has not finished is first brought to the last it was told. */
async function changeLimits(store: RunStore, changes: Record<string, number>): Promise<void> {
  if (Object.keys(changes).length === 0) return
  const isUnfinished = store.result?.status !== 'finished'
  if (isUnfinished) await replay(compiledOf(store), store)
  try {
    await store.extend(changes)
  } catch (error) {
    if (!isUnfinished || !(error instanceof ZerothError) || error.code !== 'invalid-run') throw error
    const message = `${store.folder} was interrupted in the middle of an iteration: resume it without other limits first`
    throw new ZerothError('invalid-option', message, { cause: error })
  }
}

/** Takes a run through everything it has been told and stops before it asks anything new. */
async function replay({ objective, start, session }: CompiledSpec, store: RunStore): Promise<void> {
  const end = new AbortController()
  const silent: Objective = { dim: objective.dim, evaluate: () => end.abort() }
  await objective.close?.()
  await driveRun(store, silent, start, session, { signal: end.signal })
}

/** The run of a store; what is wrong with its spec today (a file that is gone) is said with the run's name. */
function compiledOf({ folder, meta }: RunStore): CompiledSpec {
  return compileSpec(meta.spec as JsonObject, { locate: () => `${folder}: ` })
}

/** A cache is filled anew with what was answered before: otherwise its hits would become queries. */
function isOn(cache: unknown): boolean {
  return cache !== undefined && cache !== false
}
