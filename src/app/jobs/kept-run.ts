import { rm } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import type { Finished } from '../../optimizer/core/errors.ts'
import { ZerothError } from '../../optimizer/core/errors.ts'
import { jsonSafe } from '../../optimizer/core/exact-json.ts'
import { originOf } from '../../optimizer/core/part.ts'
import type { Session } from '../../optimizer/core/session.ts'
import { unconstrained } from '../../optimizer/core/session-options.ts'
import { type KeptRun, type Result, withFindings } from '../../optimizer/minimize/minimize.ts'
import { type JsonObject, jsonOf, pointsKept } from '../spec/index.ts'
import { digest, driveRun, openRun, type RunResult, type RunStore, readRun } from '../store/index.ts'
import { isRun } from './folders.ts'
import { changedLimits } from './job.ts'
import { changeLimits, createStore, isFunction } from './run.ts'

/** Performs the run of a function in a folder, or continues the one that is there; then writes its page. */
export async function keepRun(run: KeptRun): Promise<Result> {
  const { folder, objective, start, options } = run
  const spec = specOf(run)
  const isThere = isRun(folder)
  const store = isThere ? await openRun(folder) : await createStore(folder, spec, sourceHash(run))
  let session: Session | undefined
  try {
    if (isThere) {
      // A function may be called otherwise today; what it does is told from its text.
      const there = store.meta.spec as JsonObject
      const { objective: before = null } = there
      const changes = changedLimits(folder, there, isFunction(before) ? { ...spec, objective: before } : spec)
      await changeLimits(store, changes, () => ({ objective, start, session: options }))
    }
    if (store.result?.status === 'finished') return await storedResult(store.result, folder)
    const asked = options.variables === undefined ? objective : pointsKept(objective)
    const { signal, onIteration } = run
    const onBegin = (begun: Session): void => {
      session = begun
    }
    await driveRun(store, asked, start, options, { signal, onIteration, onBegin })
  } catch (error) {
    if (!isThere && store.isEmpty) await forget(store)
    throw session === undefined ? error : withFindings(error, session)
  } finally {
    await store.close()
  }
  return concluded(session as unknown as Session, store, run)
}

/** What a run that has ended gives back. One that has found nothing leaves nothing behind. */
async function concluded(session: Session, store: RunStore, run: KeptRun): Promise<Result> {
  const result = session.outcome as NonNullable<Session['outcome']>
  if (result.status === 'failed') {
    if (Number.isNaN(result.value)) await forget(store)
    throw withFindings(result.error, session)
  }
  if (result.status === 'finished') await writeReport(run.folder)
  if (store.meta.content === sourceHash(run)) return result
  const changed = 'the function has changed since the run began: its answers may not fit together'
  return { ...result, warnings: [...result.warnings, changed] }
}

async function forget(store: RunStore): Promise<void> {
  await store.close()
  await rm(store.folder, { recursive: true, force: true })
}

/** The run as a spec would say it, but for its function, which no file can hold. */
function specOf({ f, objective: { dim }, start, options }: KeptRun): JsonObject {
  if (options.resume !== undefined) {
    throw new ZerothError('invalid-option', 'minimize.resume does nothing with out: the folder knows where the run is')
  }
  const { solver, set = unconstrained, variables, seed, precision, failures, trackBest, population, ...rest } = options
  const { maxQueries, maxIterations, maxTime, target, patience } = rest
  const written = (part: object) => (originOf(part) === undefined ? { name: 'own' } : jsonOf(part))
  const spec = {
    objective: { name: 'function', function: (typeof f === 'function' && f.name) || 'objective' },
    dim,
    start: jsonOf(start),
    ...(variables === undefined
      ? { set: set === unconstrained ? { name: 'whole-space' } : written(set) }
      : { variables: jsonOf(variables.declared) }),
    ...{ solver: written(solver), seed, maxQueries, maxIterations, maxTime, target, patience },
    ...{ failures, precision, trackBest, population },
  }
  return JSON.parse(JSON.stringify(jsonSafe(spec)))
}

/** Tells a function from others by its text. */
function sourceHash({ f }: KeptRun): string {
  const text = typeof f === 'function' ? String(f) : String(f.evaluate)
  return digest(text)
}

/** The result of a run that had finished, as the process that finished it got it. */
async function storedResult(result: RunResult, folder: string): Promise<Finished> {
  const { trace } = await readRun(folder, { points: 1000 })
  const history = Array.from(trace.iteration, (iteration, i) => ({
    iteration,
    queries: trace.queries[i] as number,
    value: trace.value[i] as number,
    best: trace.best[i] as number,
  }))
  const { hash: _, seconds: __, error: ___, point, last, failures, ...rest } = result
  return {
    ...rest,
    point: Float64Array.from(point),
    last: { ...last, point: Float64Array.from(last.point) },
    failures: { count: failures.count, first: failures.first },
    history,
  } as Finished
}

async function writeReport(folder: string): Promise<void> {
  const { runPage, writePageFiles } = await import('../report/index.ts')
  const name = basename(resolve(folder))
  const data = { ...(await readRun(folder, { points: 4096 })), name }
  await writePageFiles(folder, 'report.html', runPage([data], { title: name }))
}
