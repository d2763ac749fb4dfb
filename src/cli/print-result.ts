import type { RunResult } from '../trace/index.ts'
import { jsonSafe } from './json-safe.ts'
import { duration } from './live-line.ts'

/** A run that has ended as one line of JSON: what was found, the account, where it is, and its hash. */
export function resultJson(result: RunResult, folder: string): string {
  return JSON.stringify(jsonSafe({ ...result, run: folder }))
}

/** A run that has ended, for people. */
export function resultText(result: RunResult, folder: string): string {
  const { value, queries, iterations, stopReason, seconds, failures, warnings, retries, cacheHits, hash, point } =
    result
  const rows = [
    ['value', String(value)],
    ['point', shortPoint(point)],
    ['queries', `${grouped(queries)} in ${grouped(iterations)} iterations, ${duration(seconds * 1000)}`],
    ['stopped by', stopReason],
    ...(failures.count > 0 ? [['failures', `${failures.count}, the first: ${failures.first ?? 'unknown'}`]] : []),
    ...(retries > 0 ? [['retries', grouped(retries)]] : []),
    ...(cacheHits > 0 ? [['cache hits', grouped(cacheHits)]] : []),
    ...warnings.map((warning) => ['warning', warning]),
    ['hash', hash],
    ['run', folder],
  ]
  return rows.map(([title = '', text]) => `${title.padEnd(12)}${text}`).join('\n')
}

function shortPoint(point: readonly number[]): string {
  const shown = point.slice(0, 6).map((each) => Number(each.toPrecision(6)))
  return `[${shown.join(', ')}${point.length > 6 ? `, ... ${grouped(point.length)} in all` : ''}]`
}

function grouped(count: number): string {
  return count.toLocaleString('en')
}
