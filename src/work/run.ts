import { rm } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { type Objective, ZerothError } from '../index.ts'
import { machine, zerothVersion } from '../provenance/machine.ts'
import { now } from '../provenance/wall-clock.ts'
import { type CompiledSpec, type CompileOptions, compileSpec, type JsonObject, type Spec } from '../spec/index.ts'
import { createRun, driveRun, openRun as openStore, type RunResult, type RunStore } from '../trace/index.ts'
import { idOf, isRun, makeFolder } from './folders.ts'
import { changedLimits, type Limits, newLimits } from './limits.ts'
import { performRun, tellResult } from './perform-run.ts'
import { performing, type Stage } from './performing.ts'
import { closeWithin, type Work } from './work.ts'

/** A run whose lock this process holds. */
export interface HeldRun {
  readonly result: RunResult | undefined
  /** Takes the run to its end, or until the stage's signal fires, and closes it. */
  perform(stage: Stage): Promise<RunResult>
  close(): Promise<void>
}

/**
 * The run of a spec in a folder: a new one, or the one that is there, which must have the same spec but for its limits.
 * `source` says where relative paths in the spec begin; a compiled spec needs none and is closed with the run.
 */
export async function openRun(
  folder: string,
  spec: Spec | JsonObject | CompiledSpec,
  source: CompileOptions = {},
): Promise<Work<RunResult, 'run'>> {
  return runWork(folder, await holdRun(folder, spec, source))
}

/** The run in a folder, with other limits where some are given. */
export async function resumeRun(folder: string, limits: Limits = {}): Promise<Work<RunResult, 'run'>> {
  return runWork(folder, await resumedRun(folder, (spec) => newLimits(spec, limits)))
}

function runWork(folder: string, opened: HeldRun): Work<RunResult, 'run'> {
  let run: HeldRun | undefined = opened
  let result = opened.result
  const close = async (): Promise<void> => {
    await run?.close()
    run = undefined
  }
  return {
    kind: 'run',
    folder,
    perform: (control) =>
      performing(
        folder,
        async (emit, signal) => {
          run ??= await resumedRun(folder, () => ({}))
          const performed = run
          run = undefined
          result = await performed.perform({ work: basename(resolve(folder)), emit, signal })
        },
        control,
      ),
    result: () => result,
    close,
  }
}

/** A spec with every default filled in, whose paths hold in every folder. */
export async function resolvedSpec(spec: Spec | JsonObject, source: CompileOptions): Promise<JsonObject> {
  const { objective, resolved } = compileSpec(spec, source)
  await closeWithin(objective)
  return resolved
}

/** Begins the run of a spec, or takes the one that is there. */
export async function holdRun(
  folder: string,
  spec: Spec | JsonObject | CompiledSpec,
  source: CompileOptions = {},
): Promise<HeldRun> {
  const compiled = isCompiled(spec) ? spec : compileSpec(spec, source)
  if (!isRun(folder)) return newRun(folder, compiled)
  await closeWithin(compiled.objective)
  return resumedRun(folder, (there) => changedLimits(folder, there, compiled.resolved))
}

/**
 * A run that is begun. One whose method cannot begin (it needs the size of images, say) has asked nothing: it leaves
 * nothing behind that could be resumed.
 */
async function newRun(folder: string, compiled: CompiledSpec): Promise<HeldRun> {
  const store = await createStore(folder, compiled.resolved).catch(async (error: unknown) => {
    await closeWithin(compiled.objective)
    throw error
  })
  return {
    result: undefined,
    async perform(stage) {
      try {
        return await performRun(compiled, store, { ...stage, resumed: false })
      } catch (error) {
        const isMistake = error instanceof ZerothError && error.code === 'invalid-option'
        if (!isMistake || store.seconds > 0) throw error
        await rm(folder, { recursive: true, force: true })
        throw Object.assign(error, { run: undefined })
      }
    },
    close: () => closeWithin(compiled.objective).finally(() => store.close()),
  }
}

/** A run that is there. What changes of its limits is told by its spec; one that has finished asks nothing. */
async function resumedRun(folder: string, changes: (spec: JsonObject) => Record<string, number>): Promise<HeldRun> {
  const store = await openStore(folder, { fromStart: ({ spec }) => isOn(spec.cache) })
  const changed = await unlessFailing(store, () => changes(store.meta.spec as JsonObject))
  return {
    result: store.result,
    async perform(stage) {
      await unlessFailing(store, () => changeLimits(store, changed))
      if (store.result?.status === 'finished') return tellResult(store.result, store, stage)
      const compiled = await unlessFailing(store, () => compiledOf(store))
      return performRun(compiled, store, { ...stage, resumed: true })
    },
    close: () => store.close(),
  }
}

/** Does something with a store that is closed should it fail. */
async function unlessFailing<T>(store: RunStore, act: () => T | Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Begins a run; a folder that cannot take one is a mistake of the caller. */
export async function createStore(folder: string, spec: JsonObject): Promise<RunStore> {
  await makeFolder(folder)
  const about = { id: idOf(folder), created: now(), zeroth: zerothVersion(), spec, machine: machine() }
  try {
    return await createRun(folder, about)
  } catch (error) {
    if (!(error instanceof ZerothError) || error.code !== 'invalid-run') throw error
    throw new ZerothError('invalid-option', error.message, { cause: error })
  }
}

/** Other limits hold from where the run is. One that has not finished is first brought to the last it was told. */
async function changeLimits(store: RunStore, changes: Record<string, number>): Promise<void> {
  if (Object.keys(changes).length === 0) return
  const isUnfinished = store.result?.status !== 'finished' || store.reopen()
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
  await closeWithin(objective)
  await driveRun(store, silent, start, session, { signal: end.signal })
}

/** The run of a store; what is wrong with its spec today (a file that is gone) is said with the run's name. */
function compiledOf({ folder, meta }: RunStore): CompiledSpec {
  return compileSpec(meta.spec as JsonObject, { locate: () => `${folder}: ` })
}

function isCompiled(spec: Spec | JsonObject | CompiledSpec): spec is CompiledSpec {
  return 'session' in spec && 'resolved' in spec
}

/** A cache is filled again with what was answered before: otherwise its hits would become queries. */
function isOn(cache: unknown): boolean {
  return cache !== undefined && cache !== false
}
