import { basename, join, resolve } from 'node:path'
import { ZerothError } from '../index.ts'
import { zerothVersion } from '../provenance/machine.ts'
import { now } from '../provenance/wall-clock.ts'
import { type AttackSpec, compileAttack, openAttack } from '../spec/attack/index.ts'
import type { CompileOptions, JsonObject, Spec } from '../spec/index.ts'
import type { RunResult } from '../trace/index.ts'
import { type EvaluationTrials, evaluationTrials } from './evaluation/evaluation.ts'
import type { Progress } from './events.ts'
import type { Limits } from './limits.ts'
import type { Emit, Stage } from './performing.ts'
import { holdRun, resolvedSpec } from './run.ts'
import {
  type Ended,
  type HeldPlan,
  holdPlan,
  plannedWork,
  resumePlan,
  type SearchPlan,
  type SeriesPlan,
} from './series-plan.ts'
import {
  bestOf,
  checkSearch,
  type Found,
  type Setting,
  searchSettings,
  settingsPlanned,
  settingTitle,
  solverWith,
  type Tried,
  trialName,
  trialTitle,
  tunableAttack,
} from './tuning-search.ts'
import type { Work } from './work.ts'

/** What a tuning searches and how often it tries each setting. */
export interface TuningSearch extends SearchPlan {
  readonly seeds: readonly number[]
}

/** What a tuning has found; of one that was interrupted, what it has tried. */
export type TuningResult =
  | { readonly status: 'interrupted'; readonly tried: readonly Tried[] }
  | ({ readonly status: 'finished'; readonly solver: JsonObject } & Found)

/** How the spec of a tuning is read, and how its settings are tried. */
export interface TuningOptions extends CompileOptions {
  /** Tries settings in another way than in runs or evaluations of their own; the spec must then be a resolved one. */
  readonly trials?: Trials | undefined
}

/**
 * A search for the learning rate, and on request the betas, that suit a spec best: begun, or resumed where it is. The spec
 * is that of a run or, where it has a model, of an evaluation.
 */
export async function openTuning(
  folder: string,
  spec: Spec | AttackSpec | JsonObject,
  { seeds, from, to, betas }: TuningSearch,
  { trials: given, ...source }: TuningOptions = {},
): Promise<Work<TuningResult, 'tuning'>> {
  const search = { from, to, betas }
  const { resolved, trials } = await subjectOf(folder, spec as JsonObject, given, source)
  try {
    checkSearch(resolved, search)
    const plan = { kind: 'tune', created: now(), zeroth: zerothVersion(), spec: resolved, seeds, search } as const
    return tuningWork(folder, await holdPlan(folder, plan), trials)
  } catch (error) {
    await trials?.close?.()
    throw error
  }
}

/** What is tuned. A model that cannot be opened leaves no folder behind. */
async function subjectOf(folder: string, spec: JsonObject, given: Trials | undefined, source: CompileOptions) {
  if (given !== undefined) return { resolved: spec, trials: given }
  if (!('model' in spec)) return { resolved: await resolvedSpec(spec, source), trials: undefined }
  const compiled = compileAttack(tunableAttack(spec), source)
  const trials = attackTrials(folder, evaluationTrials(compiled, await openAttack(compiled)), compiled.resolved)
  return { resolved: compiled.resolved, trials }
}

/** The tuning in a folder. Other limits than its own are refused: its trials would not be comparable. */
export async function resumeTuning(folder: string, limits: Limits = {}): Promise<Work<TuningResult, 'tuning'>> {
  return tuningWork(folder, await resumePlan(folder, limits))
}

function tuningWork(folder: string, held: HeldPlan, given?: Trials): Work<TuningResult, 'tuning'> {
  return plannedWork('tuning', folder, held, async (plan, stage) => {
    const { trial, close } = given ?? trialsOf(folder, plan.spec)
    return performTuning(folder, plan, stage, trial).finally(close)
  })
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

/**
 * What a setting leads to with a seed: the less the better, NaN where it leads nowhere. Tells what happens as a member of
 * the tuning, and rejects with the signal's reason where that fires first.
 */
export type Trial = (setting: Setting, seed: number, emit: Emit, signal: AbortSignal) => Promise<number>

/** How settings are tried. */
export interface Trials {
  readonly trial: Trial
  /** Closes what the trials share. */
  readonly close?: (() => Promise<void>) | undefined
}

/** The trials of a resolved spec: runs or, where it has a model, evaluations, each in a folder below that of the tuning. */
function trialsOf(folder: string, spec: JsonObject): Trials {
  if (!('model' in spec)) return { trial: runTrial(folder, spec) }
  return attackTrials(folder, evaluationTrials(compileAttack(spec, { locate: () => `${folder}: ` })), spec)
}

/** Tries settings in evaluations of one model. */
function attackTrials(folder: string, { perform, close }: EvaluationTrials, spec: JsonObject): Trials {
  return {
    async trial(setting, seed, emit, signal) {
      const { place, stage } = member(folder, setting, seed, emit, signal)
      const value = await perform(place, { seed, solver: solverWith(spec, setting) }, stage)
      if (value === undefined) throw signal.reason
      return value
    },
    close,
  }
}

function runTrial(folder: string, spec: JsonObject): Trial {
  return async (setting, seed, emit, signal) => {
    const { place, stage } = member(folder, setting, seed, emit, signal)
    const run = await holdRun(place, { ...spec, seed, solver: solverWith(spec, setting) })
    const result = await run.perform(stage)
    if (result.status === 'aborted') throw signal.reason
    return trialValue(result)
  }
}

function member(folder: string, setting: Setting, seed: number, emit: Emit, signal: AbortSignal) {
  const name = trialName(setting, seed)
  const parent = basename(resolve(folder))
  const stage: Stage = { work: `${parent}/${name}`, parent, title: trialTitle(setting, seed), emit, signal }
  return { place: join(folder, name), stage }
}

/** A run that failed later may have had too large a learning rate; one that never began has another reason. */
export function trialValue({ status, value, iterations, error = 'a run failed' }: RunResult): number {
  if (status !== 'failed') return value
  if (iterations === 0) throw new ZerothError('objective-failed', error)
  return Number.NaN
}
