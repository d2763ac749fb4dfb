import { ZerothError } from '../../index.ts'
import type { Endpoint, EndpointReply, EndpointRequest } from '../../remote/endpoint.ts'
import { exactJson, numberOf, parseJson } from '../../remote/exact-json.ts'
import { replyValue } from '../../remote/json-service.ts'
import { batches, type Entry, limits, type MlflowMetric } from './entries.ts'

/** A run on the server. */
export interface MlflowRun {
  readonly id: string
  /** Where its files go. */
  readonly artifacts: string
  readonly params: ReadonlyMap<string, string>
  readonly tags: ReadonlyMap<string, string>
  /** The names of its metrics. */
  readonly metrics: readonly string[]
}

/** What is said of a run when it is made. */
export interface NewMlflowRun {
  readonly experiment: string
  readonly name: string
  readonly began: number
  readonly tags: readonly Entry[]
}

/** What is sent to a run. */
export interface MlflowBatch {
  readonly metrics?: readonly MlflowMetric[]
  readonly params?: readonly Entry[]
  readonly tags?: readonly Entry[]
}

/** The parts of MLflow's REST API (version 2.0) that exports need. */
export interface MlflowClient {
  /** The id of an experiment, which is made where there is none. */
  experiment(name: string): Promise<string>
  /** The run with a tag of this value; undefined where there is none. */
  findRun(experiment: string, tag: Entry): Promise<MlflowRun | undefined>
  createRun(run: NewMlflowRun): Promise<MlflowRun>
  /** Sends entries in as few requests as MLflow's limits allow. */
  log(run: string, batch: MlflowBatch): Promise<void>
  /** All values of a metric. */
  history(run: string, metric: string): Promise<MlflowMetric[]>
  finish(run: string, status: string, ended: number | undefined): Promise<void>
  /** Stores a file beside a run; false where the server has nowhere for files that are sent to it. */
  store(run: MlflowRun, name: string, content: string | Uint8Array): Promise<boolean>
}

/** Values of a metric in a reply. */
const pageLength = 10_000

/** Speaks to the server behind an endpoint. */
export function mlflowClient(service: Endpoint): MlflowClient {
  const request = (method: 'GET' | 'POST', name: string, content: object): EndpointRequest => {
    const path = `api/2.0/mlflow/${name}`
    if (method === 'GET') return { method, path, query: content as Record<string, string> }
    return { method, path, body: exactJson(content), contentType: 'application/json' }
  }
  const read = (about: EndpointRequest, { bytes }: EndpointReply, path: string): unknown =>
    replyValue(service, about, bytes, path)
  const ask = async (about: EndpointRequest, path: string): Promise<unknown> =>
    read(about, await service.call(about), path)

  const findExperiment = async (name: string): Promise<string | undefined> => {
    const about = request('GET', 'experiments/get-by-name', { experiment_name: name })
    const reply = await service.call({ ...about, anyStatus: true })
    if (reply.status === 404 && codeOf(reply) === 'RESOURCE_DOES_NOT_EXIST') return undefined
    if (reply.status !== 200) throw service.refusal(about, reply)
    if (read(about, reply, 'experiment.lifecycle_stage') === 'deleted') {
      throw new ZerothError('invalid-option', `the experiment ${name} was deleted: restore it there, or name another`)
    }
    return String(read(about, reply, 'experiment.experiment_id'))
  }
  return {
    async experiment(name) {
      const found = await findExperiment(name)
      if (found !== undefined) return found
      const about = request('POST', 'experiments/create', { name })
      const reply = await service.call({ ...about, anyStatus: true })
      if (reply.status === 200) return String(read(about, reply, 'experiment_id'))
      // Another export may have been quicker.
      const made = codeOf(reply) === 'RESOURCE_ALREADY_EXISTS' ? await findExperiment(name) : undefined
      if (made === undefined) throw service.refusal(about, reply)
      return made
    },
    async findRun(experiment, { key, value }) {
      const filter = `tags.\`${key}\` = '${value}'`
      const about = request('POST', 'runs/search', { experiment_ids: [experiment], filter, max_results: 1 })
      const { runs = [] } = (await ask(about, '')) as { runs?: unknown[] }
      return runs.length === 0 ? undefined : runOf(runs[0])
    },
    async createRun({ experiment, name, began, tags }) {
      const run = { experiment_id: experiment, run_name: name, start_time: began, tags }
      return runOf(await ask(request('POST', 'runs/create', run), 'run'))
    },
    async log(run, batch) {
      for (const [kind, entries] of Object.entries(batch)) {
        for (const some of batches<unknown>(entries, limits[kind as keyof MlflowBatch])) {
          await service.call(request('POST', 'runs/log-batch', { run_id: run, [kind]: some }))
        }
      }
    },
    async history(run, metric) {
      const found: MlflowMetric[] = []
      let page = ''
      do {
        const about = { run_id: run, metric_key: metric, max_results: String(pageLength), page_token: page }
        const reply = (await ask(request('GET', 'metrics/get-history', about), '')) as HistoryReply
        found.push(...(reply.metrics ?? []).map(metricFrom))
        page = reply.next_page_token ?? ''
      } while (page !== '')
      return found
    },
    async finish(run, status, ended) {
      await service.call(request('POST', 'runs/update', { run_id: run, status, end_time: ended }))
    },
    async store({ artifacts }, name, content) {
      // With another address the server hands out the key to a store of its own, which only its own client can use.
      const [, place] = /^mlflow-artifacts:(\/[^/].*)$/.exec(artifacts) ?? []
      if (place === undefined) return false
      const path = `api/2.0/mlflow-artifacts/artifacts${place}/${name}`
      await service.call({ method: 'PUT', path, body: content, contentType: 'application/octet-stream' })
      return true
    },
  }
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
