import { basename, join, resolve } from 'node:path'
import { ZerothError } from '../../index.ts'
import { zerothVersion } from '../provenance/machine.ts'
import { now } from '../provenance/wall-clock.ts'
import { type AttackSpec, decaysWritten } from '../spec/attack/index.ts'
import type { CompileOptions, JsonObject, Spec } from '../spec/index.ts'
import type { RunResult } from '../store/index.ts'
import type { EvaluationTrials } from './evaluation/evaluation.ts'
import type { Emit, JobContext, Progress } from './events.ts'
import type { Job, Limits } from './job.ts'
import { type Ended, type JobPlan, type LockedPlan, lockPlan, plannedJob, resumePlan, type SearchPlan } from './plan.ts'
import { lockRun, resolvedSpec } from './run.ts'

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
): Promise<Job<TuningResult, 'tuning'>> {
  const search = { from, to, betas }
  const { resolved, trials } = await subjectOf(folder, spec as JsonObject, given, source)
  try {
    await checkSearch(resolved, search)
    const plan = { kind: 'tune', created: now(), zeroth: zerothVersion(), spec: resolved, seeds, search } as const
    return tuningJob(folder, await lockPlan(folder, plan), trials)
  } catch (error) {
    await trials?.close?.()
    throw error
  }
}

/** What is tuned. A model that cannot be opened leaves no folder behind. */
async function subjectOf(folder: string, spec: JsonObject, given: Trials | undefined, source: CompileOptions) {
  if (given !== undefined) return { resolved: spec, trials: given }
  if (!('model' in spec)) return { resolved: await resolvedSpec(spec, source), trials: undefined }
  const { compileAttack, openAttack } = await import('../spec/attack/index.ts')
  const { evaluationTrials } = await import('./evaluation/evaluation.ts')
  const compiled = await compileAttack(tunableAttack(spec), source)
  const trials = attackTrials(folder, evaluationTrials(compiled, await openAttack(compiled)), compiled.resolved)
  return { resolved: compiled.resolved, trials }
}

/** The tuning in a folder. Other limits than its own are refused: its trials would not be comparable. */
export async function resumeTuning(folder: string, limits: Limits = {}): Promise<Job<TuningResult, 'tuning'>> {
  return tuningJob(folder, await resumePlan(folder, limits))
}

function tuningJob(folder: string, held: LockedPlan, given?: Trials): Job<TuningResult, 'tuning'> {
  return plannedJob('tuning', folder, held, async (plan, stage) => {
    const { trial, close } = given ?? (await trialsOf(folder, plan.spec))
    return performTuning(folder, plan, stage, trial).finally(close)
  })
}

async function performTuning(
  folder: string,
  plan: JobPlan,
  { job, emit, signal }: JobContext,
  trial: Trial,
): Promise<Ended<TuningResult>> {
  const tried: Tried[] = []
  const onMeasured = (setting: Tried): void => {
    tried.push(setting)
    const message = `${settingTitle(setting)}  mean value ${Number(setting.value.toPrecision(4))}`
    emit(job, { type: 'warning', code: 'note', message })
    emit(job, tuningProgress(plan, tried))
  }
  emit(job, tuningProgress(plan, tried))
  try {
    const found = await searchSettings(plan, (setting, seed) => trial(setting, seed, emit, signal), onMeasured)
    if (Number.isNaN(found.best.value)) {
      throw new ZerothError('objective-failed', `no learning rate led to a value: the runs in ${folder} say why`)
    }
    if (found.atEdge) {
      const message = 'the best learning rate is at the edge of all that were tried'
      emit(job, { type: 'warning', code: 'settings', message })
    }
    const solver = solverWith(plan.spec, found.best)
    return { result: { status: 'finished', ...found, solver }, status: 'finished', reason: settingTitle(found.best) }
  } catch (error) {
    if (!signal.aborted || error !== signal.reason) throw error
    return { result: { status: 'interrupted', tried }, status: 'interrupted', reason: 'aborted' }
  }
}

function tuningProgress(plan: JobPlan, tried: readonly Tried[]): Progress {
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
async function trialsOf(folder: string, spec: JsonObject): Promise<Trials> {
  if (!('model' in spec)) return { trial: runTrial(folder, spec) }
  const { compileAttack } = await import('../spec/attack/index.ts')
  const { evaluationTrials } = await import('./evaluation/evaluation.ts')
  return attackTrials(folder, evaluationTrials(await compileAttack(spec, { locate: () => `${folder}: ` })), spec)
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
    const run = await lockRun(place, { ...spec, seed, solver: solverWith(spec, setting) })
    const result = await run.perform(stage)
    if (result.status === 'aborted') throw signal.reason
    return trialValue(result)
  }
}

function member(folder: string, setting: Setting, seed: number, emit: Emit, signal: AbortSignal) {
  const name = trialName(setting, seed)
  const parent = basename(resolve(folder))
  const stage: JobContext = { job: `${parent}/${name}`, parent, title: trialTitle(setting, seed), emit, signal }
  return { place: join(folder, name), stage }
}

/** A run that failed later may have had too large a learning rate; one that never began has another reason. */
export function trialValue({ status, value, iterations, error = 'a run failed' }: RunResult): number {
  if (status !== 'failed') return value
  if (iterations === 0) throw new ZerothError('objective-failed', error)
  return Number.NaN
}

/** The grid of the paper's search over beta1 and beta2. */
const paperBetas = [0.1, 0.3, 0.5, 0.7, 0.9]

/** How often the grid of learning rates may grow. */
const extensions = 6

/** Takes the search of a plan to its end: the mean value over its seeds counts, NaN where one of them led nowhere. */
export function searchSettings(
  { search, seeds }: JobPlan,
  value: (setting: Setting, seed: number) => Promise<number>,
  onMeasured: (tried: Tried) => void = () => undefined,
): Promise<Found> {
  const { from, to, betas } = search as SearchPlan
  return greedySearch(rateGrid(from, to), betas ? paperBetas : [], extensions, async (setting) => {
    let sum = 0
    for (const seed of seeds) sum += await value(setting, seed)
    const mean = sum / seeds.length
    onMeasured({ ...setting, value: mean })
    return mean
  })
}

/** How many settings a plan tries unless its grid has to grow. */
function settingsPlanned({ search }: JobPlan): number {
  const { from, to, betas } = search as SearchPlan
  return rateGrid(from, to).length + (betas ? paperBetas.length * paperBetas.length : 0)
}

/** The solver of a spec with a setting put in; a learning rate that decays keeps its schedule, and those of attacks do. */
export function solverWith(spec: JsonObject, { learningRate, beta1, beta2 }: Setting): JsonObject {
  const solver = spec.solver as JsonObject
  const schedule = solver.learningRate
  const rate = isSchedule(schedule) ? { ...schedule, value: learningRate } : learningRate
  const moments = beta1 === undefined || beta2 === undefined ? {} : { beta1, beta2 }
  const made = { ...solver, learningRate: rate, ...moments }
  return 'model' in spec ? decaysWritten(made) : made
}

/** An attack spec to tune: one that names no solver means the paper's method, since the default has no learning rate. */
export function tunableAttack<Spec extends JsonObject>(spec: Spec): Spec {
  return { solver: 'zo-adamm', ...spec }
}

/** Refuses a search that has nothing to search. */
async function checkSearch(resolved: JsonObject, { from, to, betas }: SearchPlan): Promise<void> {
  const { name } = resolved.solver as { readonly name: string }
  const { parts } = await import('../../registry.ts')
  const options = parts.solver.find((part) => part.definition.name === name)?.definition.options.shape ?? {}
  const needed = ['learningRate', ...(betas ? ['beta1', 'beta2'] : [])]
  const missing = needed.find((option) => !Object.hasOwn(options, option))
  if (missing !== undefined) {
    const advice =
      missing === 'learningRate'
        ? 'there is nothing to tune. Name a solver that has one, such as zo-adamm'
        : 'tune without betas'
    throw new ZerothError('invalid-option', `the solver ${name} has no ${missing}: ${advice}`)
  }
  if (rateGrid(from, to).length === 0) {
    const grid = 'there is no learning rate of the grid 1e-3, 3e-3, 1e-2, ...'
    throw new ZerothError('invalid-option', `${grid} between ${from} and ${to}`)
  }
}

function isSchedule(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && 'value' in value
}

/** A setting as people say it. */
export function settingTitle({ learningRate, beta1, beta2 }: Setting): string {
  return `learningRate ${learningRate}${beta1 === undefined ? '' : `  beta1 ${beta1}  beta2 ${beta2}`}`
}

/** What a trial is called while it is made. */
function trialTitle(setting: Setting, seed: number): string {
  return `${settingTitle(setting)} seed ${seed}`
}

/** The folder of a trial below that of its tuning. */
export function trialName({ learningRate, beta1, beta2 }: Setting, seed: number): string {
  const betas = beta1 === undefined ? '' : `betas-${beta1}-${beta2}-`
  return `rate-${learningRate}-${betas}seed-${seed}`.replaceAll('.', 'p').replaceAll('+', '')
}

/** What one trial of a search is made with. */
export interface Setting {
  readonly learningRate: number
  readonly beta1?: number | undefined
  readonly beta2?: number | undefined
}

/** One setting that was tried, and the mean value over seeds it led to; NaN where it led nowhere. */
export interface Tried extends Setting {
  readonly value: number
}

/** What a search found. */
export interface Found {
  readonly tried: readonly Tried[]
  readonly best: Tried
  /** Whether the best rate is the smallest or the largest of all that were tried. */
  readonly atEdge: boolean
}

/** The learning rates between two: 1e-4, 3e-4, 1e-3, 3e-3, ... */
export function rateGrid(from: number, to: number): number[] {
  const rates: number[] = []
  for (let power = Math.floor(Math.log10(from)); power <= Math.ceil(Math.log10(to)); power++) {
    for (const step of [1, 3]) rates.push(Number(`${step}e${power}`))
  }
  return rates.filter((rate) => rate >= from * 0.999 && rate <= to * 1.001)
}

/**
 * The greedy search of the paper: the learning rate first, then, where betas are given, all pairs of them at that rate. As
 * long as the best rate is at the edge of the grid the grid grows there, up to `extensions` times: a best value at an edge
 * is no best value.
 */
export async function greedySearch(
  rates: readonly number[],
  betas: readonly number[],
  extensions: number,
  measure: (setting: Setting) => Promise<number>,
): Promise<Found> {
  const tried: Tried[] = []
  const attempt = async (setting: Setting): Promise<void> => {
    tried.push({ ...setting, value: await measure(setting) })
  }
  for (const learningRate of rates) await attempt({ learningRate })
  let edge = edgeOf(tried)
  for (let grown = 0; edge !== 0 && grown < extensions; grown++) {
    await attempt({ learningRate: next(tried, edge) })
    edge = edgeOf(tried)
  }
  const { learningRate, value } = bestOf(tried)
  const pairs = Number.isNaN(value) ? [] : betas.flatMap((beta1) => betas.map((beta2) => ({ beta1, beta2 })))
  for (const pair of pairs) await attempt({ learningRate, ...pair })
  return { tried, best: bestOf(tried), atEdge: edge !== 0 }
}

/** The smallest mean value; settings that led nowhere count as worst. */
export function bestOf(tried: readonly Tried[]): Tried {
  return tried.reduce((best, each) => (each.value < best.value || Number.isNaN(best.value) ? each : best))
}

/** -1 or 1 where the best rate is the smallest or the largest that was tried, otherwise 0. */
function edgeOf(tried: readonly Tried[]): -1 | 0 | 1 {
  const rates = tried.map(({ learningRate }) => learningRate)
  const best = bestOf(tried)
  // As far as can be told, all of them were too large for the problem.
  if (Number.isNaN(best.value)) return -1
  if (best.learningRate === Math.max(...rates)) return 1
  return best.learningRate === Math.min(...rates) ? -1 : 0
}

/** The rate beyond the edge: 1, 3, 10, 30, ... in either direction. */
function next(tried: readonly Tried[], edge: -1 | 1): number {
  const rates = tried.map(({ learningRate }) => learningRate)
  const outermost = edge === 1 ? Math.max(...rates) : Math.min(...rates)
  const [digits = '1', power = '0'] = outermost.toExponential().split('e')
  const isRound = Number(digits) < 2
  const exponent = Number(power)
  if (edge === 1) return Number(isRound ? `3e${exponent}` : `1e${exponent + 1}`)
  return Number(isRound ? `3e${exponent - 1}` : `1e${exponent}`)
}
