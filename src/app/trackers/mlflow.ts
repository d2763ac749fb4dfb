import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import { ZerothError } from '../../index.ts'
import { exactJson, numberOf, parseJson } from '../../optimizer/core/exact-json.ts'
import { type Endpoint, type EndpointReply, type EndpointRequest, endpoint } from '../../optimizer/remote/endpoint.ts'
import { replyValue } from '../../optimizer/remote/json-service.ts'
import { hideSecret, resolveSecret, type SecretSource } from '../../optimizer/remote/secret.ts'
import type { JobState } from '../jobs/job.ts'
import { millisecondsAt } from '../provenance/wall-clock.ts'
import type { JsonObject } from '../spec/index.ts'
import { readOrdinary } from '../store/index.ts'
import { type Metric, type ThinHistory, type Tracked, trackJobs } from './tracked.ts'

/** Where jobs are sent. */
export interface MlflowOptions {
  /** The address of the server: http or https. A user and a password in it are never shown. */
  readonly url: SecretSource
  /** The experiment, which is made where there is none; `zeroth` if left out. */
  readonly experiment?: string | undefined
  /** The access token; if left out, that in the environment variable MLFLOW_TRACKING_TOKEN, or none. */
  readonly token?: SecretSource | undefined
  /** Milliseconds after which a request counts as failed; 30,000 if left out. */
  readonly timeout?: number | undefined
}

/** A job on the server. */
export interface MlflowExport {
  readonly name: string
  /** The id of its run there. */
  readonly run: string
  /** Whether the run is new there, was there and has been updated, or was there as it is. */
  readonly state: 'created' | 'updated' | 'unchanged'
  /** Values of metrics that were sent. */
  readonly metrics: number
  /** What MLflow cannot hold or is not sent, in words. */
  readonly leftOut: readonly string[]
}

/** Iterations of a course that are sent: servers take about a thousand values a second. */
const mostIterations = 4096

/**
 * Sends the job in a folder to an MLflow server: a run for each run and each evaluation, with one around those of a series
 * or a tuning. A job that is there already is updated: it gets what is new and nothing twice. An export that was broken off
 * is completed by the next one.
 */
export async function exportMlflow(given: string, options: MlflowOptions): Promise<MlflowExport[]> {
  const jobs = await trackJobs(given)
  const service = endpoint(
    { url: options.url, headers: headersOf(options.token), timeout: options.timeout ?? 30_000, maxReplyBytes: 1 << 26 },
    'mlflow',
  )
  try {
    const client = new MlflowClient(service)
    const experiment = await client.experiment(experimentName(options.experiment))
    const parents = new Map<string, string>()
    const done: MlflowExport[] = []
    for (const job of jobs) {
      const parent = job.isMember ? parents.get(job.path.slice(0, -1).join('/')) : undefined
      const sent = await send(client, experiment, job, parent)
      parents.set(job.path.join('/'), sent.run)
      done.push(sent)
    }
    return done
  } finally {
    service.close()
  }
}

function experimentName(name = 'zeroth'): string {
  if (name.trim() !== '' && name.length <= 500) return name
  const got = name.length > 500 ? `${name.length} characters` : JSON.stringify(name)
  throw new ZerothError('invalid-option', `mlflow.experiment must be a text of 1 to 500 characters, got ${got}`)
}

/** The token as MLflow's own clients send it. */
function headersOf(token: SecretSource | undefined): Record<string, SecretSource> {
  const source = token ?? ((process.env.MLFLOW_TRACKING_TOKEN ?? '') === '' ? undefined : standardToken)
  if (source === undefined) return {}
  return { Authorization: hideSecret(`Bearer ${resolveSecret(source, 'mlflow.token')}`) }
}

const standardToken = { env: 'MLFLOW_TRACKING_TOKEN' }

async function send(
  client: MlflowClient,
  experiment: string,
  job: Tracked,
  parent: string | undefined,
): Promise<MlflowExport> {
  const name = job.path.at(-1) ?? job.kind
  const began = millisecondsAt(job.created)
  const own = { key: 'zeroth.work', value: digest([job.kind, job.facts.id, job.created]) }
  const complete = { key: 'zeroth.exported', value: stateOf(job) }
  const found = await client.findRun(experiment, own)
  if (found?.tags.get(complete.key) === complete.value) {
    return { name, run: found.id, state: 'unchanged', metrics: 0, leftOut: [] }
  }
  const nested: Entry[] = parent === undefined ? [] : [{ key: 'mlflow.parentRunId', value: parent }]
  const run = found ?? (await client.createRun(experiment, name, began, [own, ...nested]))
  const params = newParams(paramsOf(job.settings).entries, run)
  const course = await job.thinHistory(mostIterations)
  const results = job.results.map(([key, value]): Metric => {
    return { name: key, value, step: job.end.queries, seconds: job.end.seconds }
  })
  const all = metricsOf([...course.metrics, ...job.images, ...results], began)
  const metrics = found === undefined ? all.entries : await unsent(client, run, all.entries)
  const { kind, state, facts } = job
  await client.log(run.id, { params: params.entries, tags: tagsOf({ kind, state, ...facts }), metrics })
  const files = await sendFiles(client, run, job)
  await client.finish(run.id, statuses[state], endOf(job, began))
  // Last, because it says that all of it is there.
  await client.log(run.id, { tags: [complete] })
  const leftOut = [
    ...paramsOf(job.settings).leftOut,
    ...params.leftOut,
    ...all.leftOut,
    ...thinned(course),
    ...curvesLeftOut(job),
    ...files,
  ]
  return { name, run: run.id, state: found === undefined ? 'created' : 'updated', metrics: metrics.length, leftOut }
}

/** Which result this is: it changes with whatever is sent. */
function stateOf({ state, end, results, facts, settings, warnings }: Tracked): string {
  return digest([state, end, results.map(([name, value]) => [name, String(value)]), facts, settings, warnings])
}

function digest(content: unknown): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 32)
}

/** Whole milliseconds: MLflow drops others without a word. Attacks do not know their time: none is better than 0. */
function endOf({ state, end }: Tracked, began: number): number | undefined {
  return state === 'running' || end.seconds === 0 ? undefined : Math.round(began + end.seconds * 1000)
}

const statuses: Readonly<Record<JobState, string>> = {
  finished: 'FINISHED',
  running: 'RUNNING',
  failed: 'FAILED',
  damaged: 'FAILED',
  interrupted: 'KILLED',
}

/** Parameters cannot be changed once they are there. */
function newParams(params: readonly Entry[], run: MlflowRun) {
  const entries = params.filter(({ key }) => !run.params.has(key))
  const changed = params.filter(({ key, value }) => run.params.has(key) && run.params.get(key) !== value)
  const named = changed.map(({ key }) => key).join(', ')
  const leftOut = changed.length === 0 ? [] : [`MLflow keeps the first values of changed parameters: ${named}`]
  return { entries, leftOut }
}

/** Those that a run does not have yet: some servers would keep them twice. */
async function unsent(client: MlflowClient, run: MlflowRun, metrics: readonly MlflowMetric[]): Promise<MlflowMetric[]> {
  const identity = ({ key, step, value }: MlflowMetric): string => `${key} ${step} ${value}`
  const there = new Set<string>()
  const wanted = new Set(metrics.map(({ key }) => key))
  for (const key of run.metrics.filter((each) => wanted.has(each))) {
    for (const metric of await client.history(run.id, key)) there.add(identity(metric))
  }
  return metrics.filter((metric) => !there.has(identity(metric)))
}

/** Sends what holds every digit, and the pictures; returns what was left out. */
async function sendFiles(client: MlflowClient, run: MlflowRun, job: Tracked): Promise<string[]> {
  const files = job.files()
  for (const { name, content } of files) {
    if (await client.store(run, name, content)) continue
    const pictures = job.pictures.length === 0 ? '' : ` and ${job.pictures.length} pictures`
    const names = files.map((each) => each.name).join(', ')
    return [`${names}${pictures} left out: the server takes no files itself (mlflow server --serve-artifacts does)`]
  }
  for (const { name, file } of job.pictures) await client.store(run, `${name}.png`, readOrdinary(file))
  return []
}

function thinned({ rows, iterations }: ThinHistory): string[] {
  return rows === iterations ? [] : [`${rows} of ${iterations} iterations were sent, peaks and dips among them`]
}

function curvesLeftOut({ curves }: Tracked): string[] {
  const [first] = curves()
  return first === undefined ? [] : ['the course of the attack on each image is left out: --tensorboard has it']
}

/** A run on the server. */
interface MlflowRun {
  readonly id: string
  /** Where its files go. */
  readonly artifacts: string
  readonly params: ReadonlyMap<string, string>
  readonly tags: ReadonlyMap<string, string>
  /** The names of its metrics. */
  readonly metrics: readonly string[]
}

/** What is sent to a run. */
interface MlflowBatch {
  readonly metrics?: readonly MlflowMetric[]
  readonly params?: readonly Entry[]
  readonly tags?: readonly Entry[]
}

/** Values of a metric in a reply. */
const pageLength = 10_000

/** The parts of MLflow's REST API (version 2.0) that exports need. */
class MlflowClient {
  readonly #service: Endpoint

  constructor(service: Endpoint) {
    this.#service = service
  }

  /** The id of an experiment, which is made where there is none. */
  async experiment(name: string): Promise<string> {
    const found = await this.#findExperiment(name)
    if (found !== undefined) return found
    const about = request('POST', 'experiments/create', { name })
    const reply = await this.#service.call({ ...about, anyStatus: true })
    if (reply.status === 200) return String(this.#read(about, reply, 'experiment_id'))
    // Another export may have been quicker.
    const made = codeOf(reply) === 'RESOURCE_ALREADY_EXISTS' ? await this.#findExperiment(name) : undefined
    if (made === undefined) throw this.#service.refusal(about, reply)
    return made
  }

  /** The run with a tag of this value; undefined where there is none. */
  async findRun(experiment: string, { key, value }: Entry): Promise<MlflowRun | undefined> {
    const filter = `tags.\`${key}\` = '${value}'`
    const about = request('POST', 'runs/search', { experiment_ids: [experiment], filter, max_results: 1 })
    const { runs = [] } = (await this.#ask(about, '')) as { runs?: unknown[] }
    return runs.length === 0 ? undefined : runOf(runs[0])
  }

  async createRun(experiment: string, name: string, began: number, tags: readonly Entry[]): Promise<MlflowRun> {
    const run = { experiment_id: experiment, run_name: name, start_time: began, tags }
    return runOf(await this.#ask(request('POST', 'runs/create', run), 'run'))
  }

  /** Sends entries in as few requests as MLflow's limits allow. */
  async log(run: string, batch: MlflowBatch): Promise<void> {
    for (const [kind, entries] of Object.entries(batch)) {
      for (const some of batches<unknown>(entries, limits[kind as keyof MlflowBatch])) {
        await this.#service.call(request('POST', 'runs/log-batch', { run_id: run, [kind]: some }))
      }
    }
  }

  /** All values of a metric. */
  async history(run: string, metric: string): Promise<MlflowMetric[]> {
    const found: MlflowMetric[] = []
    let page = ''
    do {
      const about = { run_id: run, metric_key: metric, max_results: String(pageLength), page_token: page }
      const reply = (await this.#ask(request('GET', 'metrics/get-history', about), '')) as HistoryReply
      found.push(...(reply.metrics ?? []).map(metricFrom))
      page = reply.next_page_token ?? ''
    } while (page !== '')
    return found
  }

  async finish(run: string, status: string, ended: number | undefined): Promise<void> {
    await this.#service.call(request('POST', 'runs/update', { run_id: run, status, end_time: ended }))
  }

  /** Stores a file beside a run; false where the server has nowhere for files that are sent to it. */
  async store({ artifacts }: MlflowRun, name: string, content: string | Uint8Array): Promise<boolean> {
    // With another address the server hands out the key to a store of its own, which only its own client can use.
    const [, place] = /^mlflow-artifacts:(\/[^/].*)$/.exec(artifacts) ?? []
    if (place === undefined) return false
    const path = `api/2.0/mlflow-artifacts/artifacts${place}/${name}`
    await this.#service.call({ method: 'PUT', path, body: content, contentType: 'application/octet-stream' })
    return true
  }

  async #findExperiment(name: string): Promise<string | undefined> {
    const about = request('GET', 'experiments/get-by-name', { experiment_name: name })
    const reply = await this.#service.call({ ...about, anyStatus: true })
    if (reply.status === 404 && codeOf(reply) === 'RESOURCE_DOES_NOT_EXIST') return undefined
    if (reply.status !== 200) throw this.#service.refusal(about, reply)
    if (this.#read(about, reply, 'experiment.lifecycle_stage') === 'deleted') {
      throw new ZerothError('invalid-option', `the experiment ${name} was deleted: restore it there, or name another`)
    }
    return String(this.#read(about, reply, 'experiment.experiment_id'))
  }

  #read(about: EndpointRequest, { bytes }: EndpointReply, path: string): unknown {
    return replyValue(this.#service, about, bytes, path)
  }

  async #ask(about: EndpointRequest, path: string): Promise<unknown> {
    return this.#read(about, await this.#service.call(about), path)
  }
}

function request(method: 'GET' | 'POST', name: string, content: object): EndpointRequest {
  const path = `api/2.0/mlflow/${name}`
  if (method === 'GET') return { method, path, query: content as Record<string, string> }
  return { method, path, body: exactJson(content), contentType: 'application/json' }
}

interface HistoryReply {
  readonly metrics?: readonly Record<string, unknown>[]
  readonly next_page_token?: string
}

function metricFrom({ key, value, timestamp, step }: Record<string, unknown>): MlflowMetric {
  return {
    key: String(key),
    value: numberOf(value) ?? Number.NaN,
    timestamp: Number(timestamp),
    step: Number(step ?? 0),
  }
}

function runOf(found: unknown): MlflowRun {
  const { info, data } = found as {
    info: { run_id: string; artifact_uri?: string }
    data?: { params?: Entry[]; tags?: Entry[]; metrics?: { key: string }[] }
  }
  const entries = (list: readonly Entry[] = []) => new Map(list.map(({ key, value }) => [key, value]))
  return {
    id: info.run_id,
    artifacts: info.artifact_uri ?? '',
    params: entries(data?.params),
    tags: entries(data?.tags),
    metrics: (data?.metrics ?? []).map(({ key }) => key),
  }
}

function codeOf({ bytes }: EndpointReply): unknown {
  try {
    return (parseJson(new TextDecoder().decode(bytes)) as { error_code?: unknown } | null)?.error_code
  } catch {
    return undefined
  }
}

/** What MLflow's REST API promises to take, in entries and bytes. */
const limits = { metrics: 1000, params: 100, tags: 100, key: 250, param: 6000, tag: 5000, request: 1_000_000 }

/** A parameter or a tag. */
interface Entry {
  readonly key: string
  readonly value: string
}

/** A metric as MLflow keeps it: the time in milliseconds since 1970. */
interface MlflowMetric {
  readonly key: string
  readonly value: number
  readonly timestamp: number
  readonly step: number
}

/** What can be sent, and what MLflow has no place for, in words. */
interface Fitting<T> {
  readonly entries: readonly T[]
  readonly leftOut: readonly string[]
}

/** Settings as parameters, those inside others by the way to them: `solver.learningRate`. Lists are JSON. */
function paramsOf(settings: JsonObject): Fitting<Entry> {
  const all = leaves(settings, '')
  const isLong = ({ value }: Entry): boolean => Buffer.byteLength(value) > limits.param
  const [odd, named] = split(all, ({ key }) => !isKey(key))
  const [long, entries] = split(named, isLong)
  return {
    entries,
    leftOut: [
      ...said(odd, 'parameter', 'MLflow takes no such names'),
      ...said(long, 'parameter', `longer than the ${limits.param} bytes of MLflow`),
    ],
  }
}

function leaves(value: unknown, key: string): Entry[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return [{ key, value: typeof value === 'string' ? value : exactJson(value) }]
  }
  return Object.entries(value).flatMap(([name, each]) => leaves(each, key === '' ? name : `${key}.${name}`))
}

/** Facts as tags of our own; a text that is too long is cut. */
function tagsOf(facts: Readonly<Record<string, string>>): Entry[] {
  return Object.entries(facts).map(([name, value]) => ({ key: `zeroth.${name}`, value: shortened(value) }))
}

/** At most so many bytes, none of them a part of a character. */
function shortened(text: string): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= limits.tag) return text
  return `${new TextDecoder().decode(bytes.subarray(0, limits.tag - 8)).replace(/\ufffd+$/, '')}...`
}

/** Metrics with their times. MLflow would turn infinities into the largest number: they are left out. */
function metricsOf(metrics: readonly Metric[], began: number): Fitting<MlflowMetric> {
  const all = metrics.map(({ name, value, step, seconds }): MlflowMetric => {
    return { key: name, value, timestamp: Math.round(began + seconds * 1000), step }
  })
  const [odd, named] = split(all, ({ key }) => !isKey(key))
  const [infinite, entries] = split(named, ({ value }) => Math.abs(value) === Infinity)
  return {
    entries,
    leftOut: [
      ...said(odd, 'metric', 'MLflow takes no such names'),
      ...said(infinite, 'value', 'infinite, which MLflow cannot hold'),
    ],
  }
}

/** Those for which something holds, and the others. */
function split<T>(all: readonly T[], holds: (each: T) => boolean): [T[], T[]] {
  return [all.filter(holds), all.filter((each) => !holds(each))]
}

/** Letters, digits and a few marks; a name must not mean another one where it is the name of a file. */
function isKey(key: string): boolean {
  const isPlain = /^[\w./: -]+$/.test(key) && Buffer.byteLength(key) <= limits.key
  return isPlain && posix.normalize(key) === key && !/^(\.|\/)|\/$/.test(key)
}

/** Names that are told. */
const mostNamed = 5

function said(entries: readonly { readonly key: string }[], what: string, why: string): string[] {
  if (entries.length === 0) return []
  const keys = [...new Set(entries.map(({ key }) => JSON.stringify(key.slice(0, 80))))]
  const named = `${keys.slice(0, mostNamed).join(', ')}${keys.length > mostNamed ? ', ...' : ''}`
  return [`${entries.length} ${what}${entries.length === 1 ? '' : 's'} left out (${named}): ${why}`]
}

/** Entries in batches that fit into a request each. */
function* batches<T>(entries: readonly T[], most: number): Generator<T[], void, void> {
  let batch: T[] = []
  let bytes = 0
  for (const entry of entries) {
    // Some room is left for what is around the entries.
    const size = Buffer.byteLength(exactJson(entry)) + 1
    if (batch.length === most || (batch.length > 0 && bytes + size > limits.request - 1000)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(entry)
    bytes += size
  }
  if (batch.length > 0) yield batch
}
