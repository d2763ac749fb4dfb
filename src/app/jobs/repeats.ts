import { join } from 'node:path'
import { zerothVersion } from '../provenance/machine.ts'
import { now } from '../provenance/wall-clock.ts'
import type { CompileOptions, JsonObject, Spec } from '../spec/index.ts'
import type { RunResult } from '../store/index.ts'
import type { JobContext, Progress } from './events.ts'
import type { Job, Limits } from './job.ts'
import { type JobPlan, type LockedPlan, lockPlan, plannedJob, resumePlan } from './plan.ts'
import { lockRun, resolvedSpec, runEnds } from './run.ts'

/** A run of a series and where it is. */
export interface Repeat {
  readonly folder: string
  readonly result: RunResult
}

/** What the runs of a series have found. */
export interface RepeatsResult {
  /** As bad as the worst of its runs, and finished only when all are. */
  readonly status: RunResult['status']
  readonly members: readonly Repeat[]
  /** How many runs there are to be. */
  readonly planned: number
}

/** The runs of a spec that differ in their seed alone: begun, or resumed where they are. */
export async function openRepeats(
  folder: string,
  spec: Spec | JsonObject,
  { seeds }: { readonly seeds: readonly number[] },
  source: CompileOptions = {},
): Promise<Job<RepeatsResult, 'series'>> {
  const resolved = await resolvedSpec(spec, source)
  const plan = { kind: 'repeat', created: now(), zeroth: zerothVersion(), spec: resolved, seeds } as const
  return repeatsJob(folder, await lockPlan(folder, plan))
}

/** The series in a folder, with other limits for all its runs where some are given. */
export async function resumeRepeats(folder: string, limits: Limits = {}): Promise<Job<RepeatsResult, 'series'>> {
  return repeatsJob(folder, await resumePlan(folder, limits))
}

function repeatsJob(folder: string, held: LockedPlan): Job<RepeatsResult, 'series'> {
  return plannedJob('series', folder, held, async (plan, stage) => {
    const result = await performRepeats(folder, plan, stage)
    const done = result.members.filter((each) => each.result.status === 'finished').length
    return { result, status: runEnds[result.status], reason: `${done} of ${result.planned} runs finished` }
  })
}

/** Brings every run to its end, one after the other. One that fails does not keep the others from running. */
export async function performRepeats(
  folder: string,
  { spec, seeds }: JobPlan,
  { job: parent, emit, signal }: JobContext,
): Promise<RepeatsResult> {
  const members: Repeat[] = []
  for (const [i, seed] of seeds.entries()) {
    emit(parent, repeatsProgress(members, seeds.length))
    const name = `seed-${seed}`
    const run = await lockRun(join(folder, name), { ...spec, seed })
    const title = `seed ${seed} (${i + 1} of ${seeds.length})`
    const result = await run.perform({ job: `${parent}/${name}`, parent, title, emit, signal })
    members.push({ folder: join(folder, name), result })
    if (result.status === 'aborted') break
  }
  emit(parent, repeatsProgress(members, seeds.length))
  return { status: statusOf(members, seeds.length), members, planned: seeds.length }
}

function repeatsProgress(members: readonly Repeat[], total: number): Progress {
  const results = members.map(({ result }) => result)
  const values = results.map(({ value }) => value).filter((value) => !Number.isNaN(value))
  return {
    type: 'progress',
    iterations: results.reduce((sum, { iterations }) => sum + iterations, 0),
    queries: results.reduce((sum, { queries }) => sum + queries, 0),
    best: values.length === 0 ? undefined : Math.min(...values),
    rate: 0,
    items: {
      done: results.filter(({ status }) => status === 'finished').length,
      total,
      failed: results.filter(({ status }) => status === 'failed').length,
    },
    tail: [],
  }
}

function statusOf(members: readonly Repeat[], planned: number): RunResult['status'] {
  const statuses = members.map(({ result }) => result.status)
  if (statuses.includes('aborted') || members.length < planned) return 'aborted'
  return statuses.includes('failed') ? 'failed' : 'finished'
}
