import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { ZerothError } from '../../index.ts'
import { millisecondsAt } from '../../provenance/wall-clock.ts'
import { endpoint } from '../../remote/endpoint.ts'
import { hideSecret, resolveSecret, type SecretSource } from '../../remote/secret.ts'
import { trackWorks } from '../tracking/track-works.ts'
import type { Metric, ThinHistory, Tracked } from '../tracking/tracked.ts'
import type { WorkState } from '../work.ts'
import { type MlflowClient, type MlflowRun, mlflowClient } from './client.ts'
import { type Entry, type MlflowMetric, metricsOf, paramsOf, tagsOf } from './entries.ts'

/** Where works are sent. */
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

/** A work on the server. */
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
 * Sends the work in a folder to an MLflow server: a run for each run and each evaluation, with one around those of a series
 * or a tuning. A work that is there already is updated: it gets what is new and nothing twice. An export that was broken off
 * is completed by the next one.
 */
export async function exportMlflow(given: string, options: MlflowOptions): Promise<MlflowExport[]> {
  const works = await trackWorks(given)
  const service = endpoint(
    { url: options.url, headers: headersOf(options.token), timeout: options.timeout ?? 30_000, maxReplyBytes: 1 << 26 },
    'mlflow',
  )
  try {
    const client = mlflowClient(service)
    const experiment = await client.experiment(experimentName(options.experiment))
    const parents = new Map<string, string>()
    const done: MlflowExport[] = []
    for (const work of works) {
      const parent = work.isMember ? parents.get(work.path.slice(0, -1).join('/')) : undefined
      const sent = await send(client, experiment, work, parent)
      parents.set(work.path.join('/'), sent.run)
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
  work: Tracked,
  parent: string | undefined,
): Promise<MlflowExport> {
  const name = work.path.at(-1) ?? work.kind
  const began = millisecondsAt(work.created)
  const own = { key: 'zeroth.work', value: digest([work.kind, work.facts.id, work.created]) }
  const complete = { key: 'zeroth.exported', value: stateOf(work) }
  const found = await client.findRun(experiment, own)
  if (found?.tags.get(complete.key) === complete.value) {
    return { name, run: found.id, state: 'unchanged', metrics: 0, leftOut: [] }
  }
  const nested: Entry[] = parent === undefined ? [] : [{ key: 'mlflow.parentRunId', value: parent }]
  const run = found ?? (await client.createRun({ experiment, name, began, tags: [own, ...nested] }))
  const params = newParams(paramsOf(work.settings).entries, run)
  const course = await work.thinHistory(mostIterations)
  const results = work.results.map(([key, value]): Metric => {
    return { name: key, value, step: work.end.queries, seconds: work.end.seconds }
  })
  const all = metricsOf([...course.metrics, ...work.images, ...results], began)
  const metrics = found === undefined ? all.entries : await unsent(client, run, all.entries)
  const { kind, state, facts } = work
  await client.log(run.id, { params: params.entries, tags: tagsOf({ kind, state, ...facts }), metrics })
  const files = await sendFiles(client, run, work)
  await client.finish(run.id, statuses[state], endOf(work, began))
  // Last, because it says that all of it is there.
  await client.log(run.id, { tags: [complete] })
  const leftOut = [
    ...paramsOf(work.settings).leftOut,
    ...params.leftOut,
    ...all.leftOut,
    ...thinned(course),
    ...curvesLeftOut(work),
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

const statuses: Readonly<Record<WorkState, string>> = {
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
async function sendFiles(client: MlflowClient, run: MlflowRun, work: Tracked): Promise<string[]> {
  const files = work.files()
  for (const { name, content } of files) {
    if (await client.store(run, name, content)) continue
    const pictures = work.pictures.length === 0 ? '' : ` and ${work.pictures.length} pictures`
    const names = files.map((each) => each.name).join(', ')
    return [`${names}${pictures} left out: the server takes no files itself (mlflow server --serve-artifacts does)`]
  }
  for (const { name, file } of work.pictures) await client.store(run, `${name}.png`, await readFile(file))
  return []
}

function thinned({ rows, iterations }: ThinHistory): string[] {
  return rows === iterations ? [] : [`${rows} of ${iterations} iterations were sent, peaks and dips among them`]
}

function curvesLeftOut({ curves }: Tracked): string[] {
  const [first] = curves()
  return first === undefined ? [] : ['the course of the attack on each image is left out: --tensorboard has it']
}
