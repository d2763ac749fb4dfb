import type { ServerResponse } from 'node:http'
import { type Received, send, startServer, type TestServer } from './server.ts'

interface Entry {
  readonly key: string
  readonly value: string
}

interface Metric {
  readonly key: string
  readonly value: number | string
  readonly timestamp: number
  readonly step: number
}

/** A run as the server keeps it. */
export interface KeptRun {
  readonly id: string
  readonly experiment: string
  readonly name: string
  readonly began: number
  status: string
  ended: number | undefined
  readonly params: Map<string, string>
  readonly tags: Map<string, string>
  readonly metrics: Metric[]
  readonly files: Map<string, Buffer>
}

/** A server with the part of MLflow's REST API that exports use. It refuses what goes beyond MLflow's documented limits. */
export interface MlflowServer extends TestServer {
  readonly experiments: Map<string, string>
  readonly runs: Map<string, KeptRun>
}

export interface MlflowTraits {
  /** The token that every request must carry. */
  readonly token?: string
  /** Where files of runs are; others than mlflow-artifacts: are none of the server's business. */
  readonly artifacts?: string
  /** Requests that are answered before the server fails. */
  readonly answers?: number
}

class Refusal extends Error {
  readonly status: number
  readonly code: string
  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

const invalid = (message: string): Refusal => new Refusal(400, 'INVALID_PARAMETER_VALUE', message)
const missing = (message: string): Refusal => new Refusal(404, 'RESOURCE_DOES_NOT_EXIST', message)

export async function startMlflow(traits: MlflowTraits = {}): Promise<MlflowServer> {
  const experiments = new Map<string, string>()
  const runs = new Map<string, KeptRun>()
  const { artifacts = 'mlflow-artifacts:', token, answers = Infinity } = traits
  let asked = 0

  const runOf = (id: unknown): KeptRun => {
    const run = runs.get(String(id))
    if (run === undefined) throw missing(`No run ${String(id)}`)
    return run
  }
  const shown = ({ id, experiment, name, began, status, params, tags, metrics }: KeptRun): object => {
    const info = { run_id: id, run_name: name, experiment_id: experiment, status, start_time: began }
    const latest = new Map(metrics.map((each) => [each.key, each]))
    const entries = (map: Map<string, string>) => [...map].map(([key, value]) => ({ key, value }))
    return {
      info: { ...info, artifact_uri: `${artifacts}/${experiment}/${id}/artifacts`, lifecycle_stage: 'active' },
      data: { metrics: [...latest.values()], params: entries(params), tags: entries(tags) },
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: whatever a client sends.
  const calls: Readonly<Record<string, (content: any) => object>> = {
    'GET experiments/get-by-name': ({ experiment_name: name }) => {
      const id = experiments.get(name)
      if (id === undefined) throw missing(`No experiment ${name}`)
      return { experiment: { experiment_id: id, name, lifecycle_stage: 'active' } }
    },
    'POST experiments/create': ({ name }) => {
      if (experiments.has(name)) throw new Refusal(400, 'RESOURCE_ALREADY_EXISTS', name)
      experiments.set(name, String(experiments.size + 1))
      return { experiment_id: experiments.get(name) }
    },
    'POST runs/search': ({ experiment_ids: [experiment], filter }) => {
      const [, key = '', value = ''] = /^tags\.`([\w.]+)` = '([0-9a-f]+)'$/.exec(filter) ?? []
      if (key === '') throw invalid(`Invalid filter ${filter}`)
      const found = [...runs.values()].filter((run) => run.experiment === experiment && run.tags.get(key) === value)
      // Nothing found is an empty object in MLflow.
      return found.length === 0 ? {} : { runs: found.map(shown) }
    },
    'POST runs/create': ({ experiment_id: experiment, run_name: name, start_time: began, tags }) => {
      const id = `run${runs.size + 1}`
      const empty = { params: new Map(), tags: new Map(), metrics: [], files: new Map() }
      const run: KeptRun = { id, experiment, name, began, status: 'RUNNING', ended: undefined, ...empty }
      runs.set(id, run)
      keep({ tags }, run)
      return { run: shown(run) }
    },
    'POST runs/log-batch': ({ run_id: id, ...batch }) => {
      keep(batch, runOf(id))
      return {}
    },
    'POST runs/update': ({ run_id: id, status, end_time: ended }) => {
      if (!['RUNNING', 'FINISHED', 'FAILED', 'KILLED'].includes(status)) throw invalid(`status ${status}`)
      // MLflow answers with success and keeps no time that is not whole.
      Object.assign(runOf(id), { status, ended: Number.isInteger(ended) ? ended : undefined })
      return { run_info: {} }
    },
    'GET metrics/get-history': ({ run_id: id, metric_key: key, page_token: page }) => {
      const all = runOf(id).metrics.filter((each) => each.key === key)
      const from = Number(page === '' ? 0 : page)
      const next = from + 50 < all.length ? { next_page_token: String(from + 50) } : {}
      return { metrics: all.slice(from, from + 50), ...next }
    },
  }

  const handle = ({ method, path, headers, body }: Received, reply: ServerResponse): void => {
    const answer = (status: number, content: object): void =>
      send(reply, status, JSON.stringify(content), { 'content-type': 'application/json' })
    try {
      if (++asked > answers) throw new Refusal(503, 'TEMPORARILY_UNAVAILABLE', 'busy')
      if (token !== undefined && headers.authorization !== `Bearer ${token}`) {
        throw new Refusal(401, 'UNAUTHENTICATED', `not you: ${headers.authorization}`)
      }
      const url = new URL(path, 'http://server')
      const [, file] = /^\/api\/2\.0\/mlflow-artifacts\/artifacts\/(.+)$/.exec(url.pathname) ?? []
      if (method === 'PUT' && file !== undefined) {
        const [, id, , ...name] = file.split('/')
        runOf(id).files.set(name.join('/'), body)
        return answer(200, {})
      }
      const call = calls[`${method} ${url.pathname.replace('/api/2.0/mlflow/', '')}`]
      if (call === undefined) throw new Refusal(404, 'ENDPOINT_NOT_FOUND', path)
      if (body.length > 1_000_000) throw invalid('Batched logging API requests must be at most 1000000 bytes')
      if (method === 'POST' && headers['content-type'] !== 'application/json') throw invalid('Content-Type')
      answer(200, call(method === 'GET' ? Object.fromEntries(url.searchParams) : JSON.parse(body.toString())))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      answer(error.status, { error_code: error.code, message: error.message })
    }
  }
  return { ...(await startServer(handle)), experiments, runs }
}

interface Batch {
  readonly metrics?: readonly Metric[]
  readonly params?: readonly Entry[]
  readonly tags?: readonly Entry[]
}

/** What mlflow.utils.validation checks. */
function keep({ metrics = [], params = [], tags = [] }: Batch, run: KeptRun): void {
  if (metrics.length > 1000) throw invalid('at most 1000 metrics')
  if (params.length > 100) throw invalid('at most 100 params')
  if (tags.length > 100) throw invalid('at most 100 tags')
  for (const { key } of [...metrics, ...params, ...tags]) checkKey(key)
  for (const metric of metrics) {
    const isNumber = typeof metric.value === 'number' || metric.value === 'NaN'
    const whole = [metric.timestamp, metric.step].every(Number.isSafeInteger)
    if (!isNumber || !whole) throw invalid(`metric ${JSON.stringify(metric)}`)
    run.metrics.push(metric)
  }
  for (const { key, value } of params) {
    if (typeof value !== 'string' || value.length > 6000) throw invalid(`value of the parameter ${key}`)
    if ((run.params.get(key) ?? value) !== value) throw invalid(`Changing param values is not allowed: ${key}`)
    run.params.set(key, value)
  }
  for (const { key, value } of tags) {
    if (typeof value !== 'string' || value.length > 5000) throw invalid(`value of the tag ${key}`)
    run.tags.set(key, value)
  }
}

function checkKey(key: string): void {
  const isPath = !key.startsWith('/') && !key.endsWith('/') && key.split('/').every((part) => !/^(\.*|)$/.test(part))
  if (!/^[/\w.\- :]{1,250}$/.test(key) || !isPath) throw invalid(`Invalid name ${key}`)
}
