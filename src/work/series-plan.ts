import { existsSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { migrateSearch, migrateSpec } from '../core/migrate-spec.ts'
import { ZerothError } from '../index.ts'
import type { JsonObject } from '../spec/index.ts'
import { type Lock, lockFolder } from '../trace/index.ts'
import type { Finished, WorkKind } from './events.ts'
import { isRun, isSeries, makeFolder, planFile } from './folders.ts'
import { changedLimits, type Limits, newLimits } from './limits.ts'
import { performing, type Stage } from './performing.ts'
import { damaged, isObject, readStored, refuseOccupied, writeStored } from './stored-file.ts'
import type { Work } from './work.ts'

const planFormat = 'zeroth-series'

/** Several runs that belong together: one spec with several seeds, or a search for its best settings. */
export interface SeriesPlan {
  readonly kind: 'repeat' | 'tune'
  readonly created: string
  /** The version of zeroth that made it. */
  readonly zeroth: string
  /** The resolved spec of all its runs, but for their seeds and what is searched. */
  readonly spec: JsonObject
  readonly seeds: readonly number[]
  readonly search?: SearchPlan | undefined
}

/** What a search tries. */
export interface SearchPlan {
  readonly from: number
  readonly to: number
  readonly betas: boolean
}

/** A plan in whose folder no other process works. */
export interface HeldPlan {
  readonly plan: SeriesPlan
  /** Whether it was there already. */
  readonly resumed: boolean
  readonly lock: Lock
}

/** Makes a folder a series, or takes the one that is there, which must have the same plan but for its limits. */
export async function holdPlan(folder: string, wanted: SeriesPlan): Promise<HeldPlan> {
  if (isRun(folder)) throw new ZerothError('invalid-option', `${folder} is a single run: choose another folder`)
  await makeFolder(folder)
  const resumed = isSeries(folder)
  if (!resumed) refuseOccupied(folder)
  return locked(folder, resumed, async () => {
    const there = await readPlan(folder)
    if (there !== undefined) return sameBut(folder, there, wanted)
    refuseOccupied(folder)
    writeStored(join(folder, planFile), planFormat, wanted)
    return wanted
  })
}

/** Takes the plan that is there, with other limits where some are given: every run will have them. */
export async function resumePlan(folder: string, limits: Limits = {}): Promise<HeldPlan> {
  return locked(folder, true, async () => {
    const plan = await requirePlan(folder)
    return withLimits(folder, plan, newLimits(plan.spec, limits))
  })
}

async function locked(folder: string, resumed: boolean, act: () => Promise<SeriesPlan>): Promise<HeldPlan> {
  const lock = lockFolder(folder)
  try {
    return { plan: await act(), resumed, lock }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** Other limits are written into the plan first: however often the series is interrupted, they hold for all its runs. */
function withLimits(folder: string, plan: SeriesPlan, limits: Record<string, number>): SeriesPlan {
  if (Object.keys(limits).length === 0) return plan
  if (plan.kind === 'tune') {
    throw new ZerothError('invalid-option', `${folder} is a tuning: its runs keep their limits`)
  }
  const changed = { ...plan, spec: { ...plan.spec, ...limits } }
  writeStored(join(folder, planFile), planFormat, changed)
  return changed
}

function sameBut(folder: string, there: SeriesPlan, wanted: SeriesPlan): SeriesPlan {
  for (const key of ['kind', 'seeds', 'search'] as const) {
    if (isDeepStrictEqual(there[key], wanted[key])) continue
    const [old, now] = [there[key], wanted[key]].map((value) => JSON.stringify(value))
    throw new ZerothError(
      'invalid-option',
      `${folder} holds other runs (${key}: ${old}, not ${now}): choose another folder`,
    )
  }
  return withLimits(folder, there, changedLimits(folder, there.spec, wanted.spec))
}

/** The plan of a series. */
export async function requirePlan(folder: string): Promise<SeriesPlan> {
  const plan = await readPlan(folder)
  if (plan === undefined) throw new ZerothError('invalid-run', `${folder} has no ${planFile}`)
  return plan
}

/** The plan of a series; undefined where the folder is none. */
export async function readPlan(folder: string): Promise<SeriesPlan | undefined> {
  const file = join(folder, planFile)
  if (!existsSync(file)) return undefined
  const read = readStored(file, planFormat, migratePlan)
  const problem = problemOf(read)
  if (problem !== undefined) throw damaged(file, problem)
  return read as unknown as SeriesPlan
}

function migratePlan(old: Record<string, unknown>): Record<string, unknown> {
  return { ...old, spec: isObject(old.search) ? migrateSearch(old.spec, old.search.from) : migrateSpec(old.spec) }
}

/** What is wrong with a plan that was read, if anything is; its spec is checked when it is compiled. */
function problemOf({ kind, seeds, spec, search }: Record<string, unknown>): string | undefined {
  if (!isObject(spec)) return 'it has no spec'
  if (!Array.isArray(seeds) || seeds.length === 0 || !seeds.every((seed) => Number.isSafeInteger(seed) && seed >= 0)) {
    return 'its seeds must be whole numbers of at least 0'
  }
  if (kind === 'repeat') return undefined
  if (kind !== 'tune') return `its kind must be repeat or tune, got ${String(kind)}`
  const isSearch = isObject(search) && Number.isFinite(search.from) && Number.isFinite(search.to)
  return isSearch && typeof search.betas === 'boolean' ? undefined : 'it does not say what is searched'
}

/** How a planned work ended this time. */
export interface Ended<Result> extends Pick<Finished, 'status' | 'reason'> {
  readonly result: Result
}

/** The work of a plan: its lock is held until it has been performed. */
export function plannedWork<Result, Kind extends WorkKind>(
  kind: Kind,
  folder: string,
  { plan, resumed, lock }: HeldPlan,
  act: (plan: SeriesPlan, stage: Stage) => Promise<Ended<Result>>,
): Work<Result, Kind> {
  const work = basename(resolve(folder))
  let held: Lock | undefined = lock
  let result: Result | undefined
  const close = async (): Promise<void> => {
    held?.release()
    held = undefined
  }
  return {
    kind,
    folder,
    perform: (control) =>
      performing(
        folder,
        async (emit, signal) => {
          const isAgain = held === undefined
          held ??= lockFolder(folder)
          emit(work, { type: 'started', kind, resumed: resumed || isAgain, budget: {} })
          const ended = await act(plan, { work, emit, signal }).finally(close)
          result = ended.result
          emit(work, { type: 'finished', status: ended.status, reason: ended.reason })
        },
        control,
      ),
    result: () => result,
    close,
  }
}
