import { basename, join, resolve } from 'node:path'
import { summarize, ZerothError } from '../../index.ts'
import { jsonSafe } from '../../optimizer/core/exact-json.ts'
import { className } from '../../robustness/images/index.ts'
import type { AttackCurve, AttackSummary, ImageRecord } from '../../robustness/index.ts'
import { listJobs, viewJob } from '../jobs/any-job.ts'
import { imagesCsv } from '../jobs/evaluation/attack-files.ts'
import { evaluationStatus, readEvaluation, type StoredAttack } from '../jobs/evaluation/status.ts'
import { type JobKind, kindOf, runsPlace } from '../jobs/folders.ts'
import type { JobState } from '../jobs/job.ts'
import { requirePlan } from '../jobs/plan.ts'
import type { JsonObject } from '../spec/index.ts'
import { type RunFacts, readOverview, readRun, resultJson, type TraceRecord, traceRecords } from '../store/index.ts'

/** The job in a folder for experiment trackers; of a series or a tuning also its members, of another folder the jobs in it. */
export async function trackJobs(given: string): Promise<Tracked[]> {
  const folder = runsPlace(given)
  const kind = kindOf(folder)
  if (kind !== undefined) return trackJob(folder, kind, { path: [basename(resolve(folder))], isMember: false })
  const jobs = await trackMembers(folder, { path: [], isMember: false })
  if (jobs.length > 0) return jobs
  throw new ZerothError('invalid-option', `${folder} is not a run and contains none`)
}

async function trackJob(folder: string, kind: JobKind, place: Place): Promise<Tracked[]> {
  if (kind === 'run') return [await trackRun(folder, place)]
  if (kind === 'evaluation') return [trackEvaluation(folder, place)]
  return [await trackPlanned(folder, kind, place), ...(await trackMembers(folder, { ...place, isMember: true }))]
}

async function trackMembers(folder: string, { path, isMember }: Place): Promise<Tracked[]> {
  const jobs: Tracked[] = []
  for (const member of await listJobs(folder)) {
    const name = basename(member.folder)
    jobs.push(...(await trackJob(join(folder, name), member.kind, { path: [...path, name], isMember })))
  }
  return jobs
}

/** A series or a tuning itself: its plan, and statistics over its members. */
async function trackPlanned(folder: string, kind: 'series' | 'tuning', place: Place): Promise<Tracked> {
  const { created, zeroth, spec, seeds, search } = await requirePlan(folder)
  const { state, queries = 0, seconds = 0, best, members = [] } = await viewJob(folder)
  const values = members.flatMap((each) => (each.state === 'finished' && each.best !== undefined ? [each.best] : []))
  const value = values.length === 0 ? undefined : summarize(values)
  return {
    ...place,
    kind,
    created,
    state,
    settings: { ...spec, ...(search === undefined ? {} : { search: { ...search } }), seeds: [...seeds] },
    facts: { id: basename(resolve(folder)), version: zeroth, seeds: seeds.join(', ') },
    end: { queries, seconds },
    results: numbersIn({ queries, seconds, best, value }, 'result'),
    warnings: [],
    history: () => [],
    thinHistory: async () => ({ metrics: [], rows: 0, iterations: 0 }),
    images: [],
    curves: () => [],
    pictures: [],
    files: () => [],
  }
}

/** A number of a job, as experiment trackers keep it. */
export interface Metric {
  readonly name: string
  /** Queries asked by then; of a number about one image, the number of that image. */
  readonly step: number
  readonly value: number
  /** Seconds of work by then. */
  readonly seconds: number
}

/** A saved picture. */
interface TrackedPicture {
  readonly name: string
  readonly file: string
  /** What it is, in words. */
  readonly about: string
}

/** Where a job is among those exported with it. */
interface Place {
  /** Its name and those of the jobs or folders it is in, the outermost first. */
  readonly path: readonly string[]
  /** Whether it belongs to the job that is named before it: a series, or a tuning. */
  readonly isMember: boolean
}

/** A job as experiment trackers know one: settings, facts, numbers over queries, results, pictures. */
export interface Tracked extends Place {
  readonly kind: JobKind
  readonly created: string
  readonly state: JobState
  readonly settings: JsonObject
  /** Seed, hash, version and the like. */
  readonly facts: Readonly<Record<string, string>>
  /** Queries and seconds at its end, or so far. */
  readonly end: { readonly queries: number; readonly seconds: number }
  /** Results by name, those that are not known left out. */
  readonly results: NamedNumbers
  readonly warnings: readonly string[]
  /** Its course, an iteration after the other. */
  history(): Iterable<Metric>
  /** The same with at most so many iterations. */
  thinHistory(points: number): Promise<ThinHistory>
  /** Of an evaluation: numbers of each image, one step per image. */
  readonly images: readonly Metric[]
  /** Of an evaluation: the course of the attack on each image. */
  curves(): Iterable<Metric>
  readonly pictures: readonly TrackedPicture[]
  /** Files that say all of it, with every digit. */
  files(): readonly TrackedFile[]
}

/** A course of which some iterations may be left out: how many there are of how many. */
export interface ThinHistory {
  readonly metrics: readonly Metric[]
  readonly rows: number
  readonly iterations: number
}

/** A file that goes with a job. */
interface TrackedFile {
  readonly name: string
  readonly content: string
}

/** Numbers with their names. */
type NamedNumbers = readonly (readonly [name: string, value: number])[]

/** All numbers inside a value, by the way to each of them: `bestL2/mean`, `limits/0/queries`. */
function numbersIn(value: unknown, name: string): NamedNumbers {
  if (typeof value === 'number') return [[name, value]]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, each]) => numbersIn(each, `${name}/${key}`))
}

/** A run for experiment trackers. */
async function trackRun(folder: string, place: Place): Promise<Tracked> {
  const facts = await readOverview(folder)
  const { meta, result } = facts
  const { queries, seconds, iterations } = result ?? facts
  const { failures, retries, cacheHits } = result ?? {}
  const value = result?.value ?? facts.best
  const numbers = { value, queries, iterations, seconds, failures: failures?.count, retries, cacheHits }
  const { state } = await viewJob(folder)
  return {
    ...place,
    kind: 'run',
    created: meta.created,
    state,
    settings: meta.spec,
    facts: factsOf(facts),
    end: { queries, seconds },
    results: numbersIn(numbers, 'result'),
    warnings: [...facts.problems, ...(result?.warnings ?? [])],
    history: () => metricsOf(traceRecords(folder)),
    async thinHistory(points) {
      const { trace, traceLength } = await readRun(folder, { points })
      const rows = Array.from(trace.queries, (_, i) => rowOf(trace, i))
      return { metrics: [...metricsOf(rows)], rows: rows.length, iterations: traceLength }
    },
    images: [],
    curves: () => [],
    pictures: [],
    files: () => runFiles(facts),
  }
}

function factsOf({ meta, result }: RunFacts): Record<string, string> {
  const about = { id: meta.id, version: meta.zeroth }
  if (result === undefined) return about
  const { seed, hash, stopReason, error } = result
  return { ...about, seed: String(seed), hash, stopReason, ...(error === undefined ? {} : { error }) }
}

function runFiles({ meta, result }: RunFacts): TrackedFile[] {
  const json = (content: unknown): string => `${JSON.stringify(jsonSafe(content), null, 2)}\n`
  const spec = { name: 'spec.json', content: json(meta.spec) }
  return result === undefined ? [spec] : [spec, { name: 'result.json', content: json(resultJson(result)) }]
}

/** Without `seconds`, which every number has beside it. */
const fields = ['value', 'best', 'iteration'] as const

function* metricsOf(records: Iterable<TraceRecord>): Generator<Metric, void, void> {
  for (const record of records) {
    const { queries: step, seconds } = record
    for (const name of fields) yield { name, step, value: record[name], seconds }
  }
}

function rowOf(columns: Readonly<Record<keyof TraceRecord, Float64Array>>, i: number): TraceRecord {
  const [iteration = 0, queries = 0, value = 0, best = 0, seconds = 0] = [
    columns.iteration[i],
    columns.queries[i],
    columns.value[i],
    columns.best[i],
    columns.seconds[i],
  ]
  return { iteration, queries, value, best, seconds }
}

/** An evaluation for experiment trackers; of one that has not finished, what is known so far. */
function trackEvaluation(folder: string, place: Place): Tracked {
  const attack = readEvaluation(folder)
  const { record, report, seconds } = attack
  const { summary, images, universal, canaries, noise } = report
  const course = universal === null ? [] : [...curveMetrics(universal.curve, 'universal')]
  const rows = universal?.curve.queries.length ?? 0
  const numbered = numberOf(images)
  return {
    ...place,
    kind: 'evaluation',
    created: record.created,
    state: evaluationStatus(folder).state,
    settings: record.spec,
    facts: { id: record.id, version: record.zeroth, seed: String(record.spec.seed), network: record.model.runtime },
    end: { queries: summary.queries, seconds: seconds ?? 0 },
    results: [...numbersIn(numbersOf(summary, seconds), 'summary'), ...numbersIn({ canaries, noise }, 'checks')],
    warnings: report.warnings,
    history: () => course,
    thinHistory: async () => ({ metrics: course, rows, iterations: rows }),
    images: images.flatMap((image) => imageMetrics(image, numbered(image))),
    *curves() {
      for (const image of images) if (image.curve !== null) yield* curveMetrics(image.curve, imageName(numbered(image)))
    },
    pictures: images.flatMap((image) => picturesOf(attack, image, imageName(numbered(image)))),
    files: () => evaluationFiles(attack),
  }
}

/** What was confirmed stands there if anything was asked again. */
function numbersOf({ unconfirmed, confirmations, ...summary }: AttackSummary, seconds: number | undefined) {
  const isAsked = confirmations.successes + confirmations.clean > 0
  return { ...summary, ...(isAsked ? { unconfirmed, confirmations } : {}), seconds }
}

/** The number that reports call an image by, its place in the data set; where titles are names, its place in the attack. */
function numberOf(images: readonly ImageRecord[]): (image: ImageRecord) => number {
  const titles = new Set(images.map(({ title }) => title))
  const isNumbered = titles.size === images.length && [...titles].every((title) => /^(0|[1-9]\d{0,8})$/.test(title))
  return ({ index, title }) => (isNumbered ? Number(title) : index)
}

function imageName(number: number): string {
  return `image-${String(number).padStart(4, '0')}`
}

function* curveMetrics(curve: AttackCurve, group: string): Generator<Metric, void, void> {
  const { queries, iteration: _, ...columns } = curve
  for (const [i, step] of queries.entries()) {
    for (const [name, values] of Object.entries(columns)) {
      yield { name: `${group}/${name}`, step, value: values[i] as number, seconds: 0 }
    }
  }
}

/** What is known of an image at the end of its attack; the step is its number. */
function imageMetrics({ status, queries, best, saved, success8bit }: ImageRecord, step: number): Metric[] {
  const numbers = {
    queries,
    fooled: status === 'fooled' ? 1 : status === 'robust' ? 0 : undefined,
    success8bit: success8bit === null ? undefined : Number(success8bit),
    bestL2: best?.l2,
    bestLinf: best?.linf,
    savedL2: saved?.l2,
    savedLinf: saved?.linf,
  }
  // Tables of trackers show the last number of each name: the name must not sound like one of the whole attack.
  return numbersIn(numbers, 'per-image').map(([name, value]) => ({ name, step, value, seconds: 0 }))
}

function picturesOf({ folder, record }: StoredAttack, image: ImageRecord, name: string): TrackedPicture[] {
  const { classNames } = record.images
  const named = (number: number | null | undefined): string => String(className(number, classNames) ?? number)
  const seen = image.saved === null ? '' : `, ${named(image.saved.predicted)} in the saved picture`
  const about = `${image.title}: ${image.status}; class ${named(image.label)}, the model sees ${named(image.predicted)}${seen}`
  return Object.entries(image.files ?? {}).flatMap(([kind, file]) =>
    file === undefined ? [] : [{ name: `${name}/${kind}`, file: join(folder, file), about }],
  )
}

function evaluationFiles({ folder, record, report }: StoredAttack): TrackedFile[] {
  const { images, ...rest } = report
  const all = { run: basename(folder), settings: record, ...rest }
  return [
    { name: 'summary.json', content: `${JSON.stringify(jsonSafe(all), null, 2)}\n` },
    { name: 'images.csv', content: imagesCsv(images, record.images.classNames) },
  ]
}
