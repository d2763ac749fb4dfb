import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { wilson } from '../../attacks/wilson.ts'
import { summarize } from '../../core/statistics.ts'
import { readOverview, readRun as readWholeRun } from '../../trace/index.ts'
import { layout } from '../../work/evaluation/attack-files.ts'
import { readEvaluation } from '../../work/evaluation/status.ts'
import type { WorkKind } from '../../work/index.ts'
import { requirePlan } from '../../work/series-plan.ts'
import { settingTitle } from '../../work/tuning-search.ts'
import type { Coordinate, EvaluationDetail, RunDetail, TriedSetting, WorkDetail, WorkRow } from '../api.ts'
import { executionsOf } from './executions.ts'
import { classesOf, methodsOf } from './item-store.ts'
import type { LiveWorks } from './live-works.ts'
import { redacted } from './redacted.ts'
import { coordinates, savedPoint } from './saved-point.ts'
import { type FoundWork, fileWithin } from './scanner.ts'

type Json = Readonly<Record<string, unknown>>
type Parts = Partial<Omit<WorkDetail, 'row' | 'spec'>> & { readonly spec: Json }

/** What begins each kind of work. Nothing of a stranger's folder but numbers gets into a command that people copy. */
const commands = { run: 'minimize', series: 'minimize', tuning: 'tune', evaluation: 'attack' } as const

/** Everything about a work but its course and its pictures. */
export async function readDetail(work: FoundWork, works: LiveWorks): Promise<WorkDetail> {
  const row = works.rowOf(work.id) ?? work.row
  const { spec, ...parts } = await readers[row.kind](work, works).catch((error: Error) => ({
    spec: {},
    // What keeps the row from being read stands on top of the page.
    warnings: error.message === row.problem ? [] : [error.message],
  }))
  const report = ['index.html', 'report.html'].find((name) => fileWithin(work.folder, name) !== undefined)
  return {
    row,
    spec: redacted(spec) as Json,
    command: `zeroth ${commands[row.kind]} spec.json`,
    executes: executionsOf(spec),
    files: filesIn(work.folder),
    report,
    warnings: [],
    ...parts,
  }
}

const readers: Readonly<Record<WorkKind, (work: FoundWork, works: LiveWorks) => Promise<Parts>>> = {
  run: readRun,
  series: async (work, works) => ({ ...(await planned(work)), members: membersOf(work, works) }),
  tuning: async (work, works) => {
    const members = membersOf(work, works)
    return { ...(await planned(work)), members, tried: triedOf(members, work.row.setting) }
  },
  evaluation: readAttack,
}

async function readRun({ id, folder }: FoundWork, works: LiveWorks): Promise<Parts> {
  const { meta, result, problems } = await (hasShortTrace(folder)
    ? readWholeRun(folder, { points: 9 })
    : readOverview(folder))
  const { spec, zeroth, machine } = meta
  const { point: values = [], variables, phases = [], warnings = [], failures } = result ?? {}
  const told = values.length > 0 ? coordinatesOf(values, variables, spec) : works.pointOf(id)
  const { point, saved } = told === undefined ? (savedPoint(folder) ?? {}) : { point: told }
  const run: RunDetail = {
    dim: values.length || (typeof spec.dim === 'number' ? spec.dim : undefined),
    point: point?.map((each) => ({ ...each, ...boundsOf(each.name, spec) })),
    saved,
    phases,
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

function coordinatesOf(
  point: readonly number[],
  variables: Readonly<Record<string, number>> | undefined,
  spec: Json,
): Coordinate[] {
  if (variables !== undefined) return coordinates(Object.values(variables), Object.keys(variables))
  return coordinates(point, Object.keys((spec.variables ?? {}) as object))
}

/** The bounds of a coordinate, as a resolved spec has them: by name, for all, or a list. */
function boundsOf(name: string, { variables, set }: Json): Pick<Coordinate, 'lower' | 'upper'> {
  const own = (variables as Record<string, { from?: number; to?: number }> | undefined)?.[name]
  if (own !== undefined) return { lower: own.from, upper: own.to }
  const { lower, upper } = (set ?? {}) as Json
  const at = Number(name.slice(1)) - 1
  const bound = (each: unknown): number | undefined => {
    const own = Array.isArray(each) ? each[at] : each
    return typeof own === 'number' ? own : undefined
  }
  return { lower: bound(lower), upper: bound(upper) }
}

async function planned({ folder }: FoundWork): Promise<Parts> {
  const { spec, zeroth, seeds, search } = await requirePlan(folder)
  const { from, to, betas } = search ?? {}
  const options =
    search === undefined
      ? `--repeat ${seeds.length} --seed ${seeds[0]}`
      : `--from ${from} --to ${to} --seeds ${seeds.length}${betas ? ' --betas' : ''} --seed ${seeds[0]}`
  return { spec, zeroth, command: `zeroth ${search === undefined ? 'minimize' : 'tune'} spec.json ${options}` }
}

function membersOf({ id }: FoundWork, works: LiveWorks): WorkRow[] {
  return [...works.scanner.works.values()]
    .filter(({ parent }) => parent === id)
    .map((each) => works.rowOf(each.id) ?? each.row)
    .sort((a, b) => (a.created ?? '').localeCompare(b.created ?? '', 'en') || a.name.localeCompare(b.name, 'en'))
}

/** The settings of a tuning, by the names of its trials: `rate-0p003-betas-0p1-0p9-seed-0`. */
function triedOf(members: readonly WorkRow[], best: string | undefined): TriedSetting[] {
  const settings = new Map<string, WorkRow[]>()
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
function trialValue({ state, value, best }: WorkRow): number {
  return state === 'failed' ? Number.NaN : (value ?? best ?? Number.NaN)
}

async function readAttack(work: FoundWork, works: LiveWorks): Promise<Parts> {
  const { record, report } = readEvaluation(work.folder)
  const { spec, zeroth, machine, images } = record
  const { summary, warnings, universal } = report
  const attacked = report.images.filter(({ status }) => status === 'fooled' || status === 'robust')
  const savedL2 = attacked.flatMap(({ status, saved }) => (status === 'fooled' && saved !== null ? [saved.l2] : []))
  const items = [...works.itemsOf(work).values()]
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
  return { spec, zeroth, machine, evaluation, warnings: work.row.state === 'running' ? [] : warnings }
}

/** The files of a work, those of its members and images left out. */
function filesIn(folder: string): { name: string; bytes: number }[] {
  const hidden = /^(lock|stop)(\.|$)|\.tmp$/
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && !hidden.test(entry.name))
    .map(({ name }) => ({ name, bytes: lstatSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0 }))
    .sort((a, b) => order(a.name) - order(b.name) || a.name.localeCompare(b.name, 'en'))
}

/** What says what the work is comes first. */
function order(name: string): number {
  const first: readonly string[] = ['meta.json', 'series.json', 'attack.json', 'result.json', layout.summary]
  return first.includes(name) ? first.indexOf(name) : first.length
}
