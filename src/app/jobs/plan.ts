import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { ZerothError } from '../../index.ts'
import { isObject } from '../../optimizer/core/options.ts'
import type { JsonObject } from '../spec/index.ts'
import { type Lock, lockFolder } from '../store/index.ts'
import type { Finished, JobContext } from './events.ts'
import { isPlanned, isRun, type JobKind, makeFolder, planFile } from './folders.ts'
import {
  changedLimits,
  damaged,
  type Job,
  type Limits,
  makeJob,
  newLimits,
  readStored,
  refuseOccupied,
  writeStored,
} from './job.ts'

const planFormat = 'zeroth-series'

/** Several runs that belong together: one spec with several seeds, or a search for its best settings. */
export interface JobPlan {
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
export interface LockedPlan {
  readonly plan: JobPlan
  /** Whether it was there already. */
  readonly resumed: boolean
  readonly lock: Lock
}

/** Makes a folder a series, or takes the one that is there, which must have the same plan but for its limits. */
export async function lockPlan(folder: string, wanted: JobPlan): Promise<LockedPlan> {
  if (isRun(folder)) throw new ZerothError('invalid-option', `${folder} is a single run: choose another folder`)
  await makeFolder(folder)
  const resumed = isPlanned(folder)
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
export async function resumePlan(folder: string, limits: Limits = {}): Promise<LockedPlan> {
  return locked(folder, true, async () => {
    const plan = await requirePlan(folder)
    return withLimits(folder, plan, newLimits(plan.spec, limits))
  })
}

async function locked(folder: string, resumed: boolean, act: () => Promise<JobPlan>): Promise<LockedPlan> {
  const lock = await lockFolder(folder)
  try {
    return { plan: await act(), resumed, lock }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** Removes a folder that holds a plan and nothing else: no job of it came to an answer. */
function removeIfBare(folder: string): void {
  if (readdirSync(folder).some((name) => name !== planFile)) return
  rmSync(folder, { recursive: true, force: true })
}

/** Other limits are written into the plan first: however often the series is interrupted, they hold for all its runs. */
function withLimits(folder: string, plan: JobPlan, limits: Record<string, number>): JobPlan {
  if (Object.keys(limits).length === 0) return plan
  if (plan.kind === 'tune') {
    throw new ZerothError('invalid-option', `${folder} is a tuning: its runs keep their limits`)
  }
  const changed = { ...plan, spec: { ...plan.spec, ...limits } }
  writeStored(join(folder, planFile), planFormat, changed)
  return changed
}

function sameBut(folder: string, there: JobPlan, wanted: JobPlan): JobPlan {
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
export async function requirePlan(folder: string): Promise<JobPlan> {
  const plan = await readPlan(folder)
  if (plan === undefined) throw new ZerothError('invalid-run', `${folder} has no ${planFile}`)
  return plan
}

/** The plan of a series; undefined where the folder is none. */
export async function readPlan(folder: string): Promise<JobPlan | undefined> {
  const file = join(folder, planFile)
  if (!existsSync(file)) return undefined
  const read = readStored(file, planFormat)
  const problem = problemOf(read)
  if (problem !== undefined) throw damaged(file, problem)
  return read as unknown as JobPlan
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

/** How a planned job ended this time. */
export interface Ended<Result> extends Pick<Finished, 'status' | 'reason'> {
  readonly result: Result
}

/** The job of a plan: its lock is held until it has been performed. */
export function plannedJob<Result, Kind extends JobKind>(
  kind: Kind,
  folder: string,
  held: LockedPlan,
  act: (plan: JobPlan, context: JobContext) => Promise<Ended<Result>>,
): Job<Result, Kind> {
  const { plan } = held
  return makeJob(kind, folder, {
    spec: plan.spec,
    held,
    plan: async () => ({ plan, resumed: true, lock: await lockFolder(folder) }),
    async step({ resumed, lock }, context) {
      const { job, emit } = context
      emit(job, { type: 'started', kind, resumed, budget: {} })
      const { result, status, reason } = await act(plan, context)
        .finally(() => lock.release())
        .catch((error: unknown) => {
          if (!resumed) removeIfBare(folder)
          throw error
        })
      emit(job, { type: 'finished', status, reason })
      return result
    },
    release: async ({ lock }) => lock.release(),
  })
}
