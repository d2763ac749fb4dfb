import { resolve } from 'node:path'
import { jsonSafe } from '../core/json-safe.ts'
import type { RunResult } from '../trace/index.ts'
import { millisecondsText } from './duration-text.ts'
import { grouped } from './live-line.ts'
import { output } from './output.ts'
import { paint } from './paint.ts'
import { plainReason, plainText } from './plain-text.ts'

/** A run that has ended as one line of JSON: what was found, the account, where it is, and its hash. */
export function resultJson(result: RunResult, folder: string): string {
  return JSON.stringify(jsonSafe({ ...result, run: resolve(folder) }))
}

/** A run that has ended, for people. */
export function resultText(result: RunResult, folder: string): string {
  const { value, queries, iterations, stopReason, seconds, failures, warnings, retries, cacheHits, hash, point } =
    result
  const rows: [title: string, text: string][] = [
    ['value', paint(output).bold(String(value))],
    ['point', shortPoint(point)],
    ['queries', `${grouped(queries)} in ${grouped(iterations)} iterations, ${millisecondsText(seconds * 1000)}`],
    ['stopped by', stopReason],
  ]
  if (failures.count > 0)
    rows.push(['failures', `${grouped(failures.count)}, the first: ${plainReason(failures.first ?? 'unknown')}`])
  if (retries > 0) rows.push(['retries', grouped(retries)])
  if (cacheHits > 0) rows.push(['cache hits', grouped(cacheHits)])
  rows.push(...warnings.map((warning): [string, string] => ['warning', plainText(warning)]))
  rows.push(['hash', hash], ['run', folder])
  return rows.map(([title, text]) => `${title.padEnd(12)}${text}`).join('\n')
}

function shortPoint(point: readonly number[]): string {
  const shown = point.slice(0, 6).map((each) => Number(each.toPrecision(6)))
  return `[${shown.join(', ')}${point.length > 6 ? `, ... ${grouped(point.length)} in all` : ''}]`
}
