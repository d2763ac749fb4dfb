import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { summarize, ZerothError } from '../index.ts'
import { folderHolder, type RunResult, readOverview } from '../trace/index.ts'
import { readReport } from './evaluation/attack-files.ts'
import { evaluationStatus } from './evaluation/status.ts'
import type { WorkKind } from './events.ts'
import { kindOf } from './folders.ts'
import { runEnds } from './perform-run.ts'
import { requirePlan, type SeriesPlan } from './series-plan.ts'
import { trialValue } from './tuning.ts'
import { bestOf, type Setting, searchSettings, settingTitle, type Tried, trialName } from './tuning-search.ts'
import type { WorkState, WorkStatus } from './work.ts'

/** How the files of each kind of work are read. */
const readers: Readonly<Record<WorkKind, (folder: string) => WorkStatus | Promise<WorkStatus>>> = {
  run: runStatus,
  series: seriesStatus,
  tuning: tuningStatus,
  evaluation: evaluationStatus,
}

/** How far the work in a folder is, as its files tell; one that cannot be read is `damaged`, and says why. */
export async function workStatus(folder: string): Promise<WorkStatus> {
  const kind = kindOf(folder)
  if (kind === undefined) throw new ZerothError('invalid-run', `${folder} holds no work`)
  try {
    return await readers[kind](folder)
  } catch (error) {
    return { kind, folder, state: 'damaged', problem: (error as Error).message }
  }
}

/** All works in a folder, oldest first, damaged ones included; none where there is no folder. */
export async function listWorks(folder: string): Promise<WorkStatus[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name))
  const works = folders.filter((each) => kindOf(each) !== undefined).sort()
  const statuses: WorkStatus[] = []
  for (const each of works) statuses.push(await workStatus(each))
  return statuses.sort((a, b) => compareTexts(a.created ?? '', b.created ?? ''))
}

async function runStatus(folder: string): Promise<WorkStatus> {
  const { meta, status, result, ...progress } = await readOverview(folder)
  const { iterations, queries, best, seconds } = result === undefined ? progress : { ...result, best: result.value }
  const state = status === 'aborted' ? 'interrupted' : status
  const reason = status === 'running' ? undefined : (result?.error ?? result?.stopReason)
  return { kind: 'run', folder, state, created: meta.created, iterations, queries, best, seconds, reason }
}

async function seriesStatus(folder: string): Promise<WorkStatus> {
  const { plan, members, ...status } = await planStatus(folder)
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
async function tuningStatus(folder: string): Promise<WorkStatus> {
  const { plan, members, ...status } = await planStatus(folder)
  const items = { done: countOf(members, 'finished'), total: members.length }
  const { tried, isComplete } = await searchedSettings(folder, plan)
  const best = tried.length === 0 ? undefined : bestOf(tried)
  const judged = best === undefined ? {} : { value: best.value, setting: settingTitle(best) }
  const state = stateOf(folder, isComplete ? 'finished' : 'interrupted')
  return { ...status, ...judged, kind: 'tuning', state, items, members }
}

/** The settings that all seeds of a tuning have tried, and whether that is all of its search. */
async function searchedSettings(folder: string, plan: SeriesPlan) {
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

function medianOf(members: readonly WorkStatus[]): number | undefined {
  const values = members.flatMap(({ state, best }) => (state === 'finished' && best !== undefined ? [best] : []))
  return values.length === 0 ? undefined : summarize(values).median
}

async function runValue(folder: string, kind: WorkKind | undefined): Promise<number | undefined> {
  const result: RunResult | undefined = kind === 'run' ? (await readOverview(folder)).result : undefined
  return result === undefined || result.status === 'aborted' ? undefined : trialValue(result)
}

async function planStatus(folder: string) {
  const plan = await requirePlan(folder)
  const members = await listWorks(folder)
  return { plan, folder, created: plan.created, ...totals(members), members }
}

function totals(members: readonly WorkStatus[]): Pick<WorkStatus, 'iterations' | 'queries' | 'best' | 'seconds'> {
  const sum = (field: 'iterations' | 'queries' | 'seconds') =>
    members.reduce((all, each) => all + (each[field] ?? 0), 0)
  const values = members.flatMap(({ best = Number.NaN }) => (Number.isNaN(best) ? [] : [best]))
  const best = values.length === 0 ? Number.NaN : Math.min(...values)
  return { iterations: sum('iterations'), queries: sum('queries'), seconds: sum('seconds'), best }
}

function stateOf(folder: string, otherwise: WorkState): WorkState {
  return folderHolder(folder) === undefined ? otherwise : 'running'
}

function countOf(members: readonly WorkStatus[], state: WorkState): number {
  return members.filter((each) => each.state === state).length
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}
