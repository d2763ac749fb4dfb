import { join } from 'node:path'
import { ZerothError } from '../index.ts'
import { zerothVersion } from '../provenance/machine.ts'
import { now } from '../provenance/wall-clock.ts'
import type { CompileOptions, JsonObject, Spec } from '../spec/index.ts'
import type { RunResult } from '../trace/index.ts'
import type { Progress } from './events.ts'
import { bestOf, type Found, type Setting, type Tried } from './greedy-search.ts'
import type { Limits } from './limits.ts'
import type { Emit, Stage } from './performing.ts'
import { type Ended, plannedWork } from './planned-work.ts'
import { holdRun, resolvedSpec } from './run.ts'
import { type HeldPlan, holdPlan, resumePlan, type SearchPlan, type SeriesPlan } from './series-plan.ts'
import { settingTitle, trialName, trialTitle } from './trial-name.ts'
import { checkSearch, searchSettings, settingsPlanned, solverWith } from './tuning-search.ts'
import type { Work } from './work.ts'

/**
 * What a setting leads to with a seed: the less the better, NaN where it leads nowhere. Tells what happens as a member of
 * the tuning, and rejects with the signal's reason where that fires first.
 */
export type Trial = (setting: Setting, seed: number, emit: Emit, signal: AbortSignal) => Promise<number>

/** What a tuning searches and how often it tries each setting. */
export interface TuningSearch extends SearchPlan {
  readonly seeds: readonly number[]
}

/** What a tuning has found; of one that was interrupted, what it has tried. */
export type TuningResult =
  | { readonly status: 'interrupted'; readonly tried: readonly Tried[] }
  | ({ readonly status: 'finished'; readonly solver: JsonObject } & Found)

/** Where the trials of a tuning come from, and how its spec is read. */
export interface TuningOptions extends CompileOptions {
  /** Tries a setting in another way than in a run of its own; the spec must then be a resolved one. */
  readonly trial?: Trial | undefined
}

/** A search for the learning rate, and on request the betas, that suit a spec best: begun, or resumed where it is. */
export async function openTuning(
  folder: string,
  spec: Spec | JsonObject,
  { seeds, from, to, betas }: TuningSearch,
  { trial, ...source }: TuningOptions = {},
): Promise<Work<TuningResult, 'tuning'>> {
  const resolved = trial === undefined ? await resolvedSpec(spec, source) : (spec as JsonObject)
  const search = { from, to, betas }
  checkSearch(resolved, search)
  const plan = { kind: 'tune', created: now(), zeroth: zerothVersion(), spec: resolved, seeds, search } as const
  return tuningWork(folder, await holdPlan(folder, plan), trial)
}

/** The tuning in a folder. Other limits than its own are refused: its trials would not be comparable. */
export async function resumeTuning(
  folder: string,
  { trial, limits }: { readonly trial?: Trial | undefined; readonly limits?: Limits } = {},
): Promise<Work<TuningResult, 'tuning'>> {
  return tuningWork(folder, await resumePlan(folder, limits), trial)
}

function tuningWork(folder: string, held: HeldPlan, trial?: Trial): Work<TuningResult, 'tuning'> {
  return plannedWork('tuning', folder, held, (plan, stage) =>
    performTuning(folder, plan, stage, trial ?? runTrial(folder, plan, stage.work)),
  )
}

async function performTuning(
  folder: string,
  plan: SeriesPlan,
  { work, emit, signal }: Stage,
  trial: Trial,
): Promise<Ended<TuningResult>> {
  const tried: Tried[] = []
  const onMeasured = (setting: Tried): void => {
    tried.push(setting)
    const message = `${settingTitle(setting)}  mean value ${Number(setting.value.toPrecision(4))}`
    emit(work, { type: 'warning', code: 'note', message })
    emit(work, tuningProgress(plan, tried))
  }
  emit(work, tuningProgress(plan, tried))
  try {
    const found = await searchSettings(plan, (setting, seed) => trial(setting, seed, emit, signal), onMeasured)
    if (Number.isNaN(found.best.value)) {
      throw new ZerothError('objective-failed', `no learning rate led to a value: the runs in ${folder} say why`)
    }
    if (found.atEdge) {
      const message = 'the best learning rate is at the edge of all that were tried'
      emit(work, { type: 'warning', code: 'settings', message })
    }
    const solver = solverWith(plan.spec, found.best)
    return { result: { status: 'finished', ...found, solver }, status: 'finished', reason: settingTitle(found.best) }
  } catch (error) {
    if (!signal.aborted || error !== signal.reason) throw error
    return { result: { status: 'interrupted', tried }, status: 'interrupted', reason: 'aborted' }
  }
}

function tuningProgress(plan: SeriesPlan, tried: readonly Tried[]): Progress {
  const best = tried.length === 0 ? undefined : bestOf(tried).value
  const items = { done: tried.length, total: Math.max(settingsPlanned(plan), tried.length) }
  const iterations = tried.length * plan.seeds.length
  return { type: 'progress', iterations, queries: 0, best, rate: 0, items, tail: [] }
}

/** Tries a setting in a run of its own. */
function runTrial(folder: string, { spec }: SeriesPlan, parent: string): Trial {
  return async (setting, seed, emit, signal) => {
    const name = trialName(setting, seed)
    const run = await holdRun(join(folder, name), { ...spec, seed, solver: solverWith(spec, setting) })
    const title = trialTitle(setting, seed)
    const result = await run.perform({ work: `${parent}/${name}`, parent, title, emit, signal })
    if (result.status === 'aborted') throw signal.reason
    return trialValue(result)
  }
}

/** A run that failed later may have had too large a learning rate; one that never began has another reason. */
export function trialValue({ status, value, iterations, error = 'a run failed' }: RunResult): number {
  if (status !== 'failed') return value
  if (iterations === 0) throw new ZerothError('objective-failed', error)
  return Number.NaN
}
