import { jsonSafe } from '../../core/json-safe.ts'
import { type RunFacts, readOverview, readRun, resultJson, type TraceRecord, traceRecords } from '../../trace/index.ts'
import { workStatus } from '../status.ts'
import { type Metric, numbersIn, type Place, type Tracked, type TrackedFile } from './tracked.ts'

/** A run for experiment trackers. */
export async function trackRun(folder: string, place: Place): Promise<Tracked> {
  const facts = await readOverview(folder)
  const { meta, result } = facts
  const { queries, seconds, iterations } = result ?? facts
  const { failures, retries, cacheHits } = result ?? {}
  const value = result?.value ?? facts.best
  const numbers = { value, queries, iterations, seconds, failures: failures?.count, retries, cacheHits }
  const { state } = await workStatus(folder)
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
    files: () => filesOf(facts),
  }
}

function factsOf({ meta, result }: RunFacts): Record<string, string> {
  const about = { id: meta.id, version: meta.zeroth }
  if (result === undefined) return about
  const { seed, hash, stopReason, error } = result
  return { ...about, seed: String(seed), hash, stopReason, ...(error === undefined ? {} : { error }) }
}

function filesOf({ meta, result }: RunFacts): TrackedFile[] {
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
