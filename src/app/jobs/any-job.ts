import { readdir } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { summarize, ZerothError } from '../../index.ts'
import type { AttackReport } from '../../robustness/index.ts'
import { folderHolder, type RunResult, readOverview, traceTail } from '../store/index.ts'
import { readReport } from './evaluation/attack-files.ts'
import { itemDone, meterOf } from './evaluation/attack-meter.ts'
import { readAttack } from './evaluation/attack-record.ts'
import type { Evaluation } from './evaluation/evaluation.ts'
import { evaluationNow, evaluationStatus } from './evaluation/status.ts'
import { type Emit, type EventBody, eventsOf, type JobContext, type JobEvent } from './events.ts'
import { isAttack, type JobKind, kindOf } from './folders.ts'
import { type Job, type JobState, type JobView, type Limits, limitKeys } from './job.ts'
import { readLabel } from './label.ts'
import { type JobPlan, requirePlan } from './plan.ts'
import { type RepeatsResult, resumeRepeats } from './repeats.ts'
import { budgetOf, progressMeter, resumeRun, runEnds } from './run.ts'
import {
  bestOf,
  resumeTuning,
  type Setting,
  searchSettings,
  settingTitle,
  type Tried,
  type TuningResult,
  trialName,
  trialValue,
} from './tuning.ts'

/** What each kind of job finds. */
export interface JobResults {
  readonly run: RunResult
  readonly series: RepeatsResult
  readonly tuning: TuningResult
  readonly evaluation: AttackReport
}

/** A job of any kind. */
export type AnyJob = Job<RunResult, 'run'> | Job<RepeatsResult, 'series'> | Job<TuningResult, 'tuning'> | Evaluation

/** How each kind of job is opened. */
const openers: Readonly<Record<JobKind, (folder: string, limits: Limits) => Promise<AnyJob>>> = {
  run: openStoredRun,
  series: resumeRepeats,
  tuning: resumeTuning,
  evaluation: openStoredEvaluation,
}

/** The job in a folder, whatever kind it is, with other limits where some are given. */
export async function openJob(folder: string, limits: Limits = {}): Promise<AnyJob> {
  const kind = kindOf(folder)
  if (kind === undefined) throw new ZerothError('invalid-run', `${folder} holds no work`)
  return openers[kind](folder, limits)
}

/** A run that is not part of an evaluation, which alone can resume it. */
async function openStoredRun(folder: string, limits: Limits): Promise<Job<RunResult, 'run'>> {
  const above = dirname(resolve(folder))
  // Within a smaller limit, an image has a run of its own below its first.
  const whole = [above, dirname(above), dirname(dirname(above))].find(isAttack)
  if (whole === undefined) return resumeRun(folder, limits)
  throw new ZerothError('invalid-option', `${folder} is part of an attack: zeroth resume ${whole} continues it`)
}

async function openStoredEvaluation(folder: string, limits: Limits): Promise<Evaluation> {
  const isChanged = limitKeys.some((key) => limits[key] !== undefined)
  if (isChanged) throw new ZerothError('invalid-option', `${folder} is an attack: it keeps its limits`)
  return (await import('./evaluation/evaluation.ts')).openEvaluation(folder)
}

/** How the files of each kind of job are read. */
const readers: Readonly<Record<JobKind, (folder: string) => JobView | Promise<JobView>>> = {
  run: viewRun,
  series: viewRepeats,
  tuning: viewTuning,
  evaluation: evaluationStatus,
}

/** How far the job in a folder is, as its files tell; one that cannot be read is `damaged`, and says why. */
export async function viewJob(folder: string): Promise<JobView> {
  const kind = kindOf(folder)
  if (kind === undefined) throw new ZerothError('invalid-run', `${folder} holds no work`)
  try {
    return { ...(await readers[kind](folder)), ...readLabel(folder) }
  } catch (error) {
    return { kind, folder, state: 'damaged', problem: (error as Error).message }
  }
}

/** All jobs in a folder, oldest first, damaged ones included; none where there is no folder. */
export async function listJobs(folder: string): Promise<JobView[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name))
  const jobs = folders.filter((each) => kindOf(each) !== undefined).sort()
  const statuses: JobView[] = []
  for (const each of jobs) statuses.push(await viewJob(each))
  return statuses.sort((a, b) => compareTexts(a.created ?? '', b.created ?? ''))
}

async function viewRun(folder: string): Promise<JobView> {
  const { meta, status, result, ...progress } = await readOverview(folder)
  const { iterations, queries, best, seconds } = result === undefined ? progress : { ...result, best: result.value }
  const state = status === 'aborted' ? 'interrupted' : status
  const reason = status === 'running' ? undefined : (result?.error ?? result?.stopReason)
  return { kind: 'run', folder, state, created: meta.created, iterations, queries, best, seconds, reason }
}

async function viewRepeats(folder: string): Promise<JobView> {
  const { plan, members, ...status } = await viewPlan(folder)
  const done = countOf(members, 'finished')
  const items = { done, total: plan.seeds.length }
  const isOver = members.length === items.total && members.every(({ state }) => state in runEnds)
  const ended = isOver && done < items.total ? 'failed' : 'interrupted'
  return {
    ...status,
    kind: 'series',
    state: stateOf(folder, done === items.total ? 'finished' : ended),
    value: medianOf(members),
    items,
    members,
  }
}

/** A tuning has finished when its search can be gone through to its end with what its trials have found. */
async function viewTuning(folder: string): Promise<JobView> {
  const { plan, members, ...status } = await viewPlan(folder)
  const items = { done: countOf(members, 'finished'), total: members.length }
  const { tried, isComplete } = await searchedSettings(folder, plan)
  const best = tried.length === 0 ? undefined : bestOf(tried)
  const judged = best === undefined ? {} : { value: best.value, setting: settingTitle(best) }
  const state = stateOf(folder, isComplete ? 'finished' : 'interrupted')
  return { ...status, ...judged, kind: 'tuning', state, items, members }
}

/** The settings that all seeds of a tuning have tried, and whether that is all of its search. */
async function searchedSettings(folder: string, plan: JobPlan) {
  const missing = new Error('a trial is missing')
  const tried: Tried[] = []
  const stored = async (trial: string): Promise<number> => {
    const kind = kindOf(trial)
    const value = kind === 'evaluation' ? readReport(trial)?.summary.finalObjective.mean : await runValue(trial, kind)
    if (value === undefined) throw missing
    return value
  }
  const trial = (setting: Setting, seed: number) => stored(join(folder, trialName(setting, seed)))
  const isComplete = await searchSettings(plan, trial, (setting) => tried.push(setting)).then(
    () => true,
    () => false,
  )
  return { tried, isComplete }
}

function medianOf(members: readonly JobView[]): number | undefined {
  const values = members.flatMap(({ state, best }) => (state === 'finished' && best !== undefined ? [best] : []))
  return values.length === 0 ? undefined : summarize(values).median
}

async function runValue(folder: string, kind: JobKind | undefined): Promise<number | undefined> {
  const result: RunResult | undefined = kind === 'run' ? (await readOverview(folder)).result : undefined
  return result === undefined || result.status === 'aborted' ? undefined : trialValue(result)
}

async function viewPlan(folder: string) {
  const plan = await requirePlan(folder)
  const members = await listJobs(folder)
  return { plan, folder, created: plan.created, ...totals(members), members }
}

function totals(members: readonly JobView[]): Pick<JobView, 'iterations' | 'queries' | 'best' | 'seconds'> {
  const sum = (field: 'iterations' | 'queries' | 'seconds') =>
    members.reduce((all, each) => all + (each[field] ?? 0), 0)
  const values = members.flatMap(({ best = Number.NaN }) => (Number.isNaN(best) ? [] : [best]))
  const best = values.length === 0 ? Number.NaN : Math.min(...values)
  return { iterations: sum('iterations'), queries: sum('queries'), seconds: sum('seconds'), best }
}

function stateOf(folder: string, otherwise: JobState): JobState {
  return folderHolder(folder) === undefined ? otherwise : 'running'
}

function countOf(members: readonly JobView[], state: JobState): number {
  return members.filter((each) => each.state === state).length
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}

/** How a job is followed. */
export interface FollowOptions {
  /** Ends the following; the job itself does not notice. */
  readonly signal?: AbortSignal | undefined
}

/** Milliseconds between two readings of the files, and how many times as long as a reading the pause is at least. */
const interval = 50
const easiness = 5

/** Milliseconds after which a job that nothing performs has been interrupted: between two locks there may be a moment. */
const grace = 300

/** Tells what its files say a job has done since the last time. */
type Reader = (status: JobView) => Promise<void>

/** Reads the files once more and tells what happened; true behind the end of the job. */
type Follower = () => Promise<boolean>

/**
 * The events of a job that another process performs, read from its files; it may begin, or be resumed, later. Images of an
 * evaluation that are done already are told first. Ends with `finished` when that process has ended; at once where the job
 * has finished already.
 */
export function follow(folder: string, { signal }: FollowOptions = {}): AsyncGenerator<JobEvent, void, void> {
  return eventsOf(
    async (emit, stopped) => {
      const isThere = kindOf(folder) !== undefined
      const poll = follower(folder, { job: basename(resolve(folder)), emit, signal: stopped }, !isThere)
      let isOver = false
      while (!isOver && !stopped.aborted) {
        const began = performance.now()
        isOver = kindOf(folder) !== undefined && (await poll())
        if (isOver) return
        const pause = Math.max(interval, easiness * (performance.now() - began))
        await sleep(pause, undefined, { signal: stopped }).catch(() => undefined)
      }
    },
    { signal },
  )
}

/** Follows one job, alone or as a member. One that is not new counts as begun when something changes. */
function follower(folder: string, stage: JobContext, isNew: boolean): Follower {
  const { job, emit } = stage
  let first = isNew ? '' : undefined
  let read: Reader | undefined
  let quietSince: number | undefined
  return async () => {
    const status = await viewJob(folder)
    const { state, reason = state, problem = reason } = status
    first ??= fingerprint(status)
    if (read === undefined) {
      if ((state === 'interrupted' || state === 'failed') && fingerprint(status) === first) return false
      read = await begun(folder, status, stage)
    }
    await read(status)
    if (state === 'running') quietSince = undefined
    else quietSince ??= performance.now()
    if (quietSince === undefined) return false
    const isSure = state !== 'interrupted' || status.reason !== undefined
    if (!isSure && performance.now() - quietSince < grace) return false
    emit(job, {
      type: 'finished',
      status: state === 'damaged' || state === 'running' ? 'failed' : state,
      reason: problem,
    })
    return true
  }
}

/** What changes while a job is performed. */
function fingerprint({ state, iterations, queries, items }: JobView): string {
  return JSON.stringify([state, iterations, queries, items])
}

async function begun(folder: string, { kind, iterations, items }: JobView, stage: JobContext): Promise<Reader> {
  const { job, parent, title, emit } = stage
  const budget = kind === 'run' ? budgetOf((await readOverview(folder)).meta.spec) : {}
  const resumed = (iterations ?? items?.done ?? 0) > 0
  emit(job, { type: 'started', kind, parent, title, resumed, budget })
  return eventReaders[kind](folder, stage, budget)
}

const eventReaders: Readonly<
  Record<JobKind, (folder: string, stage: JobContext, budget: ReturnType<typeof budgetOf>) => Reader>
> = {
  run: runReader,
  series: membersReader,
  tuning: membersReader,
  evaluation: imagesReader,
}

/** The iterations of a run, from the end of its trace. */
function runReader(folder: string, { job, emit }: JobContext, budget: ReturnType<typeof budgetOf>): Reader {
  const meter = progressMeter({ emit: (progress) => emit(job, progress), budget, interval: Infinity })
  let at: number | undefined
  let latest = 0
  return async () => {
    const isFirst = at === undefined
    const { records, to } = traceTail(folder, at)
    at = to
    for (const record of records) {
      // A run that is resumed writes the end of its trace again.
      if (record.iteration <= latest) continue
      latest = record.iteration
      meter.record(record, isFirst)
    }
    meter.flush()
  }
}

/** The jobs inside a series or a tuning, and how many of them are done. */
function membersReader(folder: string, stage: JobContext): Reader {
  const members = new Map<string, Follower | undefined>()
  const readItems = itemsReader(stage)
  let isFirst = true
  return async (status) => {
    for (const name of await readdir(folder)) {
      if (members.has(name) || kindOf(join(folder, name)) === undefined) continue
      const own = { ...stage, job: `${stage.job}/${name}`, parent: stage.job, title: name }
      members.set(name, follower(join(folder, name), own, !isFirst))
    }
    isFirst = false
    for (const [name, poll] of members) if ((await poll?.()) === true) members.set(name, undefined)
    await readItems(status)
  }
}

/** The images of an evaluation that are done, those of earlier processes included, and how far the others are. */
function imagesReader(folder: string, stage: JobContext): Reader {
  const attack = readAttack(folder)
  let latest: EventBody | undefined
  // One report for all that a reading has found.
  const emit: Emit = (_, event) => {
    latest = event
  }
  const meter = meterOf(attack, { ...stage, emit })
  const told = new Set<number>()
  const done = new Map<number, number>()
  let [before, asked] = ['', -1]
  return async () => {
    const { screened, attacked, untold, underWay } = evaluationNow(folder, told)
    const now = JSON.stringify([screened, attacked, told.size, underWay])
    if (now === before) return
    before = now
    meter.screened(screened, attacked)
    for (const { record, isAttacked } of untold) {
      if (isAttacked) {
        meter.done(record)
        done.set(record.index, record.queries)
      }
      stage.emit(stage.job, itemDone(record, attack.images.classNames))
    }
    for (const each of underWay) meter.iteration(each)
    const queries = [...done.values(), ...underWay.map((each) => each.queries)].reduce((sum, each) => sum + each, 0)
    // What was asked before it was followed says nothing about the pace.
    meter.asked(asked < 0 ? 0 : Math.max(0, queries - asked))
    asked = queries
    meter.flush()
    if (latest !== undefined) stage.emit(stage.job, latest)
  }
}

/** How many items of a job are done, whenever that has changed. */
function itemsReader({ job, emit }: JobContext): Reader {
  let told = ''
  return async ({ iterations = 0, queries = 0, best, items }) => {
    const now = JSON.stringify([iterations, queries, items])
    if (now === told) return
    told = now
    emit(job, { type: 'progress', iterations, queries, best, rate: 0, items, tail: [] })
  }
}
