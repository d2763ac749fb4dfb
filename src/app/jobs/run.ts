import { closeSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type ErrorCode, type Objective, ZerothError } from '../../index.ts'
import { History } from '../../optimizer/core/ledger.ts'
import { isObject } from '../../optimizer/core/options.ts'
import type { Session } from '../../optimizer/core/session.ts'
import type { Budget, HistoryRecord, QueueCounts } from '../../optimizer/core/types.ts'
import type { Start } from '../../optimizer/core/variable-types.ts'
import { flatPoint } from '../../optimizer/core/variables.ts'
import { type Served, servedBy } from '../executors/queue/index.ts'
import { machine, zerothVersion } from '../provenance/machine.ts'
import { now } from '../provenance/wall-clock.ts'
import {
  type CompiledSpec,
  type CompileOptions,
  callsLogged,
  compileSpec,
  type JsonObject,
  type Spec,
} from '../spec/index.ts'
import {
  createRun,
  driveRun,
  openOrdinary,
  openRun as openStore,
  type RunControl,
  type RunResult,
  type RunStore,
} from '../store/index.ts'
import { compareWithStart, readComparison } from './compare-start.ts'
import type { Finished, JobContext, Progress, TimedRecord } from './events.ts'
import { idOf, isRun, makeFolder } from './folders.ts'
import { changedLimits, closeWithin, type Job, type Limits, limitKeys, makeJob, newLimits } from './job.ts'

/** A run whose lock this process holds. */
interface LockedRun {
  readonly spec: JsonObject
  readonly result: RunResult | undefined
  /** Takes the run to its end, or until the stage's signal fires, and closes it. */
  perform(stage: JobContext): Promise<RunResult>
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
): Promise<Job<RunResult, 'run'>> {
  return runJob(folder, await lockRun(folder, spec, source))
}

/** The run in a folder, with other limits where some are given. */
export async function resumeRun(folder: string, limits: Limits = {}): Promise<Job<RunResult, 'run'>> {
  return runJob(folder, await resumedRun(folder, (spec) => newLimits(spec, limits)))
}

function runJob(folder: string, held: LockedRun): Job<RunResult, 'run'> {
  return makeJob('run', folder, {
    spec: held.spec,
    held,
    found: held.result,
    plan: () => resumedRun(folder, () => ({})),
    step: (run, context) => run.perform(context),
    release: (run) => run.close(),
  })
}

/** A spec with every default filled in, whose paths hold in every folder. */
export async function resolvedSpec(spec: Spec | JsonObject, source: CompileOptions): Promise<JsonObject> {
  const { objective, resolved } = compileSpec(spec, source)
  await closeWithin(objective)
  return resolved
}

/** Begins the run of a spec, or takes the one that is there. */
export async function lockRun(
  folder: string,
  spec: Spec | JsonObject | CompiledSpec,
  source: CompileOptions = {},
): Promise<LockedRun> {
  const compiled = isCompiled(spec) ? spec : compileSpec(spec, source)
  if (!isRun(folder)) return newRun(folder, compiled)
  await closeWithin(compiled.objective)
  return resumedRun(folder, (there) => changedLimits(folder, there, compiled.resolved))
}

/** Mistakes that no other try can undo. */
const mistakes: readonly ErrorCode[] = ['invalid-option', 'invalid-objective', 'missing-package']

/** A run that is begun. If a mistake ends it before its first answer (there is no such program), its folder is removed. */
async function newRun(folder: string, compiled: CompiledSpec): Promise<LockedRun> {
  const store = await createStore(folder, compiled.resolved).catch(async (error: unknown) => {
    await closeWithin(compiled.objective)
    throw error
  })
  return {
    spec: compiled.resolved,
    result: undefined,
    async perform(stage) {
      try {
        return await performRun(compiled, store, { ...stage, resumed: false })
      } catch (error) {
        if (!store.isEmpty || !(error instanceof ZerothError) || !mistakes.includes(error.code)) throw error
        await rm(folder, { recursive: true, force: true }).catch(() => undefined)
        throw Object.assign(error, { run: undefined })
      }
    },
    close: () => closeWithin(compiled.objective).finally(() => store.close()),
  }
}

/** A run that is there. What changes of its limits is told by its spec; one that has finished asks nothing. */
async function resumedRun(folder: string, changes: (spec: JsonObject) => Record<string, number>): Promise<LockedRun> {
  const store = await openStore(folder, { fromStart: ({ spec }) => isOn(spec.cache) })
  const changed = await unlessFailing(store, () => changes(store.meta.spec as JsonObject))
  return {
    spec: store.meta.spec as JsonObject,
    result: store.result,
    async perform(stage) {
      await unlessFailing(store, () => changeLimits(store, changed))
      if (store.result?.status === 'finished' && !isToCompare(store, store.result)) {
        return emitResult(store.result, store, stage)
      }
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
export async function createStore(folder: string, spec: JsonObject, content = servedOf(spec)?.hash): Promise<RunStore> {
  await makeFolder(folder)
  const about = { id: idOf(folder), created: now(), zeroth: zerothVersion(), spec, machine: machine(), content }
  try {
    return await createRun(folder, about)
  } catch (error) {
    if (!(error instanceof ZerothError) || error.code !== 'invalid-run') throw error
    throw new ZerothError('invalid-option', error.message, { cause: error })
  }
}

/** Other limits hold from where the run is. One that has not finished is first brought to the last it was told. */
export async function changeLimits(
  store: RunStore,
  changes: Record<string, number>,
  compile: () => Replayed = () => compiledOf(store),
): Promise<void> {
  if (Object.keys(changes).length === 0) return
  const isUnfinished = store.result?.status !== 'finished' || store.reopen()
  if (isUnfinished) await replay(compile(), store)
  try {
    await store.extend(changes)
  } catch (error) {
    if (!isUnfinished || !(error instanceof ZerothError) || error.code !== 'invalid-run') throw error
    const message = `${store.folder} was interrupted in the middle of an iteration: resume it without other limits first`
    throw new ZerothError('invalid-option', message, { cause: error })
  }
}

/** What a run is gone through with once more. */
interface Replayed extends Pick<CompiledSpec, 'objective' | 'session'> {
  readonly start: Start | undefined
}

/** Takes a run through everything it has been told and stops before it asks anything new. */
async function replay({ objective, start, session }: Replayed, store: RunStore): Promise<void> {
  const end = new AbortController()
  const silent: Objective = { dim: objective.dim, evaluate: () => end.abort() }
  await closeWithin(objective)
  await driveRun(store, silent, start, session, { signal: end.signal })
}

/** Whether the objective of a run is a function of a program, which no file can hold. */
export function isFunction(objective: unknown): objective is JsonObject {
  return isObject(objective) && objective.name === 'function'
}

/** The run of a store; what is wrong with its spec today (a file that is gone) is said with the run's name. */
function compiledOf({ folder, meta }: RunStore): CompiledSpec {
  const { objective = null } = meta.spec as JsonObject
  if (isFunction(objective)) {
    const advice = 'run that program again, and it continues'
    throw new ZerothError(
      'invalid-option',
      `${folder} minimises the function ${objective.function} of a program: ${advice}`,
    )
  }
  return compileSpec(meta.spec as JsonObject, { locate: () => `${folder}: ` })
}

function isCompiled(spec: Spec | JsonObject | CompiledSpec): spec is CompiledSpec {
  return 'session' in spec && 'resolved' in spec
}

/** A cache is filled again with what was answered before: otherwise its hits would become queries. */
function isOn(cache: unknown): boolean {
  return cache !== undefined && cache !== false
}

/** How the end of a run is told. */
export const runEnds = { finished: 'finished', aborted: 'interrupted', failed: 'failed' } as const

/** Takes a run from where it is to its end, or until it is stopped; then closes its objective and its files. */
export async function performRun(
  compiled: CompiledSpec,
  store: RunStore,
  { resumed, ...stage }: JobContext & { readonly resumed: boolean },
): Promise<RunResult> {
  const { emit, signal, job } = stage
  const budget = begin(store, stage, resumed)
  const { maxTime } = budget
  const timeLeft = maxTime === undefined ? undefined : () => maxTime - store.seconds * 1000
  const meter = progressMeter({ emit: (progress) => emit(job, progress), budget, timeLeft })
  const { id, created } = store.meta
  const notice = (message: string): void => emit(job, { type: 'warning', code: 'queue', message })
  compiled.objective.attach?.({ run: `${id} ${created}`, notice, counted: meter.counted })
  const result = await drive(compiled, store, {
    signal,
    onCompare(pairs) {
      meter.flush()
      const message = `comparing the best point with the start: ${pairs} measurements of each, in turns`
      emit(job, { type: 'warning', code: 'note', message })
    },
    onIteration: (record, session) =>
      meter.record({ ...record, seconds: store.iterationSeconds }, store.unread > 0, session),
  })
  meter.flush()
  emit(job, endOf(result))
  return result
}

/** Tells the result of a run that has finished, and closes its files. */
async function emitResult(result: RunResult, store: RunStore, stage: JobContext): Promise<RunResult> {
  begin(store, stage, true)
  await store.close()
  stage.emit(stage.job, endOf(result))
  return result
}

/** The limits of a run, as its spec has them. */
export function budgetOf(spec: Readonly<Record<string, unknown>>): Budget {
  const limits = limitKeys.filter((key) => typeof spec[key] === 'number')
  return Object.fromEntries(limits.map((key) => [key, spec[key]]))
}

function begin(store: RunStore, { emit, job, parent, title }: JobContext, resumed: boolean): Budget {
  const budget = budgetOf(store.meta.spec)
  emit(job, { type: 'started', kind: 'run', parent, title, resumed, budget })
  for (const message of store.notes) emit(job, { type: 'warning', code: 'note', message })
  if (resumed && store.result?.status !== 'finished') {
    for (const message of changesOf(store.meta)) emit(job, { type: 'warning', code: 'settings', message })
  }
  return budget
}

/** What has changed since a run began that its spec does not say. What it does to the points is found when they are asked. */
function changesOf({ zeroth, content, spec }: RunStore['meta']): string[] {
  const { what, hash } = servedOf(spec as JsonObject) ?? {}
  const files = `the files of the objective (${what}) have changed since the run began: its answers may not fit together`
  const version = `the run began with zeroth ${zeroth} and continues with ${zerothVersion()}`
  return [...(content === hash ? [] : [files]), ...(zeroth === zerothVersion() ? [] : [version])]
}

/** What a spec evaluates, programs and modules by their content. */
function servedOf({ objective }: JsonObject): Served | undefined {
  return isObject(objective) ? servedBy(objective as Parameters<typeof servedBy>[0]) : undefined
}

async function drive(
  { objective: bare, start, session, log }: CompiledSpec,
  store: RunStore,
  control: RunControl & { readonly signal: AbortSignal; readonly onCompare: (pairs: number) => void },
): Promise<RunResult> {
  let objective = bare
  try {
    if (log) objective = callsLogged(bare, ordinary(join(store.folder, 'calls.jsonl')))
    const result = await driveRun(store, objective, start, session, control)
    if (isToCompare(store, result)) {
      const { seed = 0 } = session
      const wanted = Number(store.meta.spec.compare)
      const onBegin = (): void => control.onCompare(wanted)
      await compareWithStart(store.folder, result, { objective, start, seed, wanted, onBegin }, control.signal)
    }
    return result
  } catch (error) {
    // An explanation of the error can then say which run it was.
    if (error instanceof Error) Object.assign(error, { run: resolve(store.folder) })
    throw error
  } finally {
    await closeWithin(objective).finally(() => store.close())
  }
}

/** Whether a run that has ended is still to be compared with its start: it has a best point, and pairs are missing. */
function isToCompare({ folder, meta }: RunStore, { status, stopReason, hash, value }: RunResult): boolean {
  const { compare = 0 } = meta.spec
  if (status !== 'finished' || stopReason === 'callback' || Number.isNaN(value)) return false
  const found = readComparison(folder)
  return found?.hash === hash ? found.best.length < found.wanted : Number(compare) > 0
}

/** A file that may be written to, made if there is none; what leads elsewhere is refused. */
function ordinary(path: string): string {
  closeSync(openOrdinary(path, 'a+'))
  return path
}

function endOf({ status, stopReason, error }: RunResult): Finished {
  return { type: 'finished', status: runEnds[status], reason: error ?? stopReason }
}

/** Milliseconds between two reports of progress at least. */
const usualInterval = 100

/** Iterations that a report of progress carries at most. */
const tailLength = 64

/** Variables that a report of progress carries at most. */
const mostVariables = 12

/** What a meter is told and whom it tells. */
export interface MeterOptions {
  readonly emit: (progress: Progress) => void
  readonly budget: Budget
  /** Milliseconds left of the job's own time, where that is limited. */
  readonly timeLeft?: (() => number) | undefined
  /** Milliseconds between two reports at least (default: 100). Infinity: only `flush` reports. */
  readonly interval?: number | undefined
}

/** Follows the iterations of a run and reports progress now and then. */
interface Meter {
  /** Takes note of an iteration. Cheap: it may be called a hundred thousand times a second. */
  record(record: TimedRecord, isReplayed?: boolean, session?: Pick<Session, 'best'>): void
  /** Reports who evaluates elsewhere, however long an iteration takes. */
  counted(counts: QueueCounts): void
  /** Reports what has not been reported yet. */
  flush(): void
}

/** Where a run is before its first iteration. */
const nowhere: HistoryRecord = { iteration: 0, queries: 0, value: Number.NaN, best: Number.NaN }

/** Progress by iterations. What is read again from a journal counts for the place, not for the pace. */
export function progressMeter({ emit, budget, timeLeft, interval = usualInterval }: MeterOptions): Meter {
  let latest: HistoryRecord | undefined
  let place = nowhere
  let queue: QueueCounts | undefined
  let source: Pick<Session, 'best'> | undefined
  let first: { readonly record: HistoryRecord; readonly at: number } | undefined
  let tail = new History<TimedRecord>(tailLength - 1)
  let reported = interval === Infinity ? 0 : Number.NEGATIVE_INFINITY

  const report = (record: HistoryRecord, now: number): void => {
    const { iteration, queries, value, best } = record
    const pace = paceOf(record, first?.record ?? record, now - (first?.at ?? now))
    const left = timeOf(record, pace, budget, timeLeft?.())
    const rate = 1000 * pace.queries
    emit({
      type: 'progress',
      iterations: iteration,
      queries,
      value,
      best,
      ...firstOf(source?.best),
      rate,
      left,
      queue,
      tail: tail.records(),
    })
    reported = now
    latest = undefined
    place = record
    tail = new History<TimedRecord>(tailLength - 1)
  }

  return {
    record(record, isReplayed = false, session) {
      latest = record
      source = session
      tail.add(record)
      const now = performance.now()
      if (isReplayed || first === undefined) first = { record, at: now }
      if (now - reported >= interval) report(record, now)
    },
    counted(counts) {
      queue = counts
      report(latest ?? place, performance.now())
    },
    flush() {
      if (latest !== undefined) report(latest, performance.now())
    },
  }
}

/** The beginning of the best point: by name where variables have names. */
function firstOf(best: Session['best'] | undefined): Pick<Progress, 'variables' | 'point'> {
  if (best === undefined) return {}
  const { variables, point } = best
  if (variables === undefined) return { point: Array.from(point.subarray(0, mostVariables)) }
  return { variables: Object.fromEntries(flatPoint(variables).slice(0, mostVariables)) }
}

interface Pace {
  readonly queries: number
  readonly iterations: number
}

/** What is done per millisecond; 0 while that is not known. */
function paceOf(record: HistoryRecord, first: HistoryRecord, elapsed: number): Pace {
  if (elapsed <= 0) return { queries: 0, iterations: 0 }
  return {
    queries: (record.queries - first.queries) / elapsed,
    iterations: (record.iteration - first.iteration) / elapsed,
  }
}

/** Milliseconds until the limit that is reached first; undefined where none is in sight. */
function timeOf(
  { queries, iteration }: HistoryRecord,
  pace: Pace,
  { maxQueries = Infinity, maxIterations = Infinity }: Budget,
  most = Infinity,
): number | undefined {
  const left = Math.min(most, (maxQueries - queries) / pace.queries, (maxIterations - iteration) / pace.iterations)
  return Number.isFinite(left) ? Math.max(left, 0) : undefined
}
