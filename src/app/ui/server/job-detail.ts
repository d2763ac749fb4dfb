import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { summarize } from '../../../optimizer/core/statistics.ts'
import { variableText } from '../../../optimizer/core/variable.ts'
import type { Variables } from '../../../optimizer/core/variable-types.ts'
import { wilson } from '../../../robustness/summary.ts'
import { layout } from '../../jobs/evaluation/attack-files.ts'
import { readEvaluation } from '../../jobs/evaluation/status.ts'
import type { JobKind } from '../../jobs/index.ts'
import { specDigest } from '../../jobs/job.ts'
import { requirePlan } from '../../jobs/plan.ts'
import { settingTitle } from '../../jobs/tuning.ts'
import { readOverview, readRun as readWholeRun } from '../../store/index.ts'
import type { Coordinate, EvaluationDetail, JobDetail, JobView, RunDetail, TriedSetting } from '../api.ts'
import { classesOf, coordinates, type LiveJobs, methodsOf, namedCoordinates, savedPoint } from './live-jobs.ts'
import { executionsOf, resumeRefusal, withoutCredentials } from './resume.ts'
import { type FoundJob, fileWithin } from './scanner.ts'

type Json = Readonly<Record<string, unknown>>
type Parts = Partial<Omit<JobDetail, 'row' | 'spec'>> & { readonly spec: Json }

/** What begins each kind of job. Nothing of a stranger's folder but numbers gets into a command that people copy. */
const commands = { run: 'minimize', series: 'minimize', tuning: 'minimize', evaluation: 'attack' } as const

/** Everything about a job but its course and its pictures. */
export async function readDetail(job: FoundJob, jobs: LiveJobs): Promise<JobDetail> {
  const row = jobs.viewOf(job.id) ?? job.view
  const { spec, ...parts } = await readers[row.kind](job, jobs).catch((error: Error) => ({
    spec: {},
    // What keeps the row from being read stands on top of the page.
    warnings: error.message === row.problem ? [] : [error.message],
  }))
  const written = ['index.html', 'report.html'].find((name) => fileWithin(job.folder, name) !== undefined)
  const report = written ?? (row.kind === 'run' && row.state !== 'damaged' ? 'report.html' : undefined)
  return {
    job: row,
    spec: redacted(spec) as Json,
    command: `zeroth ${commands[row.kind]} spec.json`,
    executes: executionsOf(spec),
    shown: specDigest(spec),
    refusal: resumeRefusal(spec),
    files: filesIn(job.folder),
    report,
    warnings: [],
    ...parts,
  }
}

const readers: Readonly<Record<JobKind, (job: FoundJob, jobs: LiveJobs) => Promise<Parts>>> = {
  run: readRunJob,
  series: async (job, jobs) => ({ ...(await planned(job)), members: membersOf(job, jobs) }),
  tuning: async (job, jobs) => {
    const members = membersOf(job, jobs)
    return { ...(await planned(job)), members, tried: triedOf(members, job.view.setting) }
  },
  evaluation: readEvaluationJob,
}

async function readRunJob({ id, folder }: FoundJob, jobs: LiveJobs): Promise<Parts> {
  const { meta, result, problems } = await (hasShortTrace(folder)
    ? readWholeRun(folder, { points: 9 })
    : readOverview(folder))
  const { spec, zeroth, machine } = meta
  const { point: values = [], variables, phases = [], warnings = [], failures } = result ?? {}
  const ended = variables === undefined ? coordinates(values) : namedCoordinates(variables)
  const told = values.length > 0 ? ended : jobs.pointOf(id)
  const { point, saved } = told === undefined ? (savedPoint(folder) ?? {}) : { point: told }
  const run: RunDetail = {
    dim: values.length || (typeof spec.dim === 'number' ? spec.dim : undefined),
    point: point?.map((each) => ({ ...each, ...rangeOf(each.name, spec) })),
    saved,
    phases,
    estimate: result?.estimate,
    stopReason: result?.stopReason,
    seed: result?.seed ?? (typeof spec.seed === 'number' ? spec.seed : undefined),
    hash: result?.hash,
    failures: failures?.count,
    retries: result?.retries,
    cacheHits: result?.cacheHits,
  }
  const failed = failures?.first === undefined ? [] : [failedText(failures.count, failures.first)]
  return { spec, zeroth, machine, run, warnings: [...warnings, ...failed, ...problems] }
}

/** Whether all lines of a trace can be looked at while others wait: how many of them are damaged is told then. */
function hasShortTrace(folder: string): boolean {
  const { size = 0 } = lstatSync(join(folder, 'trace.jsonl'), { throwIfNoEntry: false }) ?? {}
  return size <= 8 << 20
}

function failedText(count: number, first: string): string {
  return `${count === 1 ? '1 query' : `${count} queries`} failed, the first with: ${first}`
}

/** What a coordinate may be, as a resolved spec has it: by name, for all, or a list. */
function rangeOf(name: string, { variables, set }: Json): Pick<Coordinate, 'range' | 'lower' | 'upper'> {
  const own = (variables as Variables | undefined)?.[name]
  if (own !== undefined) return { range: variableText(own) }
  const { lower, upper } = (set ?? {}) as Json
  const at = Number(name.slice(1)) - 1
  const bound = (each: unknown): number | undefined => {
    const own = Array.isArray(each) ? each[at] : each
    return typeof own === 'number' ? own : undefined
  }
  return { lower: bound(lower), upper: bound(upper) }
}

async function planned({ folder }: FoundJob): Promise<Parts> {
  const { spec, zeroth, seeds, search } = await requirePlan(folder)
  const { from, to, betas } = search ?? {}
  const options =
    search === undefined
      ? `--repeat ${seeds.length} --seed ${seeds[0]}`
      : `--tune-solver --from ${from} --to ${to} --seeds ${seeds.length}${betas ? ' --betas' : ''} --seed ${seeds[0]}`
  return { spec, zeroth, command: `zeroth ${'model' in spec ? 'attack' : 'minimize'} spec.json ${options}` }
}

function membersOf({ id }: FoundJob, jobs: LiveJobs): JobView[] {
  return [...jobs.scanner.jobs.values()]
    .filter(({ parent }) => parent === id)
    .map((each) => jobs.viewOf(each.id) ?? each.view)
    .sort((a, b) => (a.created ?? '').localeCompare(b.created ?? '', 'en') || a.name.localeCompare(b.name, 'en'))
}

/** The settings of a tuning, by the names of its trials: `rate-0p003-betas-0p1-0p9-seed-0`. */
function triedOf(members: readonly JobView[], best: string | undefined): TriedSetting[] {
  const settings = new Map<string, JobView[]>()
  for (const member of members) {
    const key = member.name.replace(/-seed-\d+$/, '')
    settings.set(key, [...(settings.get(key) ?? []), member])
  }
  return [...settings].flatMap(([key, those]) => {
    const [, rate, beta1, beta2] = /^rate-([\dpe-]+?)(?:-betas-([\dp]+)-([\dp]+))?$/.exec(key) ?? []
    if (rate === undefined) return []
    const number = (text: string): number => Number(text.replace('p', '.'))
    const betas = beta1 === undefined || beta2 === undefined ? {} : { beta1: number(beta1), beta2: number(beta2) }
    const setting = { learningRate: number(rate), ...betas }
    const done = those.filter(({ state }) => state === 'finished' || state === 'failed')
    const members = those.map(({ id }) => id)
    const value = summarize(done.map(trialValue)).mean
    return [{ setting, value, seeds: done.length, members, isBest: settingTitle(setting) === best }]
  })
}

/** What a setting is judged by: one that made a run fail leads nowhere, as it does in the search. */
function trialValue({ state, value, best }: JobView): number {
  return state === 'failed' ? Number.NaN : (value ?? best ?? Number.NaN)
}

async function readEvaluationJob(job: FoundJob, jobs: LiveJobs): Promise<Parts> {
  const { record, report } = readEvaluation(job.folder)
  const { spec, zeroth, machine, images } = record
  const { summary, warnings, universal } = report
  const attacked = report.images.filter(({ status }) => status === 'fooled' || status === 'robust')
  const savedL2 = attacked.flatMap(({ status, saved }) => (status === 'fooled' && saved !== null ? [saved.l2] : []))
  const items = [...jobs.itemsOf(job).values()]
  const evaluation: EvaluationDetail = {
    images: images.name,
    universal: universal !== null,
    meaning: summary.meaning,
    screened: summary.looked,
    attacked: summary.attacked,
    fooled: summary.fooled,
    robust: summary.attacked - summary.fooled,
    skipped: summary.skipped,
    failed: summary.failed,
    unfinished: summary.unfinished,
    unconfirmed: summary.unconfirmed,
    robustAccuracy: summary.robustAccuracy,
    robustInterval: wilson(Math.round(summary.robustAccuracy * summary.looked), summary.looked),
    robustAccuracyBounds: summary.robustAccuracyBounds,
    cleanAccuracy: summary.cleanAccuracy,
    successRate: summary.attackSuccessRate,
    successInterval: summary.attackSuccessInterval,
    medianQueries: summary.firstSuccessQueries.median,
    medianL2: summary.bestL2.median,
    medianLinf: summary.bestLinf.median,
    medianSavedL2: summarize(savedL2).median,
    limits: summary.limits?.map(({ linf, l2, robustAccuracy, robustAccuracyInterval }) => ({
      norm: linf === undefined ? 'l2' : 'linf',
      size: linf ?? l2 ?? 0,
      robustAccuracy,
      interval: robustAccuracyInterval,
    })),
    success: {
      images: attacked.map(({ index }) => index),
      first: attacked.map(({ first }) => first?.queries ?? null),
      // First successes are those within the largest of several limits, which is the first.
      most: Math.max(0, ...attacked.map(({ limits, queries }) => limits?.[0]?.queries ?? queries)),
    },
    classes: classesOf(items),
    methods: methodsOf(items),
  }
  // That it has not finished goes without saying while it is at work.
  return { spec, zeroth, machine, evaluation, warnings: job.view.state === 'running' ? [] : warnings }
}

/** The files of a job, those of its members and images left out. */
function filesIn(folder: string): { name: string; bytes: number }[] {
  const hidden = /^(lock|stop)(\.|$)|\.tmp$/
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && !hidden.test(entry.name))
    .map(({ name }) => ({ name, bytes: lstatSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0 }))
    .sort((a, b) => order(a.name) - order(b.name) || a.name.localeCompare(b.name, 'en'))
}

/** What says what the job is comes first. */
function order(name: string): number {
  const first: readonly string[] = ['meta.json', 'series.json', 'attack.json', 'result.json', layout.summary]
  return first.includes(name) ? first.indexOf(name) : first.length
}

/** Keys below which texts may be secret. */
const secretive = /^(headers?|env|environment|authorization|cookie|token|password|secret|api-?key)$/i

/** A spec without what may be secret: texts below such keys, and what stands before the host of an address. */
export function redacted(value: unknown, isSecret = false): unknown {
  if (typeof value === 'string') return isSecret ? '[hidden]' : withoutCredentials(value)
  if (Array.isArray(value)) return value.map((each) => redacted(each, isSecret))
  if (typeof value !== 'object' || value === null) return value
  const isReference = Object.keys(value).length === 1 && ('env' in value || 'file' in value)
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => {
      // Where a secret is, is no secret.
      if (isReference) return [key, each]
      return [key, redacted(each, isSecret || secretive.test(key))]
    }),
  )
}
