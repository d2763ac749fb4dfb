import { resolve } from 'node:path'
import { jsonSafe } from '../core/json-safe.ts'
import { summarize } from '../index.ts'
import { countText } from '../report/number-text.ts'
import { shortNumber, textTable } from '../report/table.ts'
import type { RunResult } from '../trace/index.ts'
import type { SeriesMember, SeriesResult, TuningResult } from '../work/index.ts'
import { settingTitle } from '../work/tuning-search.ts'
import { output } from './output.ts'
import { millisecondsText, paint, plainReason, plainText } from './terminal-text.ts'

/** A run that has ended as one line of JSON: what was found, the account, where it is, and its hash. */
export function resultJson(result: RunResult, folder: string): string {
  return JSON.stringify(jsonSafe({ ...result, run: resolve(folder) }))
}

/** A run that has ended, for people. */
export function resultText(result: RunResult, folder: string): string {
  const { value, queries, iterations, stopReason, seconds, failures, warnings, retries, cacheHits, hash } = result
  const rows: [title: string, text: string][] = [
    ['value', paint(output).bold(String(value))],
    ...pointRows(result),
    ['queries', `${countText(queries)} in ${countText(iterations)} iterations, ${millisecondsText(seconds * 1000)}`],
    ['stopped by', stopReason],
  ]
  for (const { method, queries: asked, value: reached, why } of result.phases ?? []) {
    if (asked === 0) continue
    // Where answers vary, the result is an answer asked again, and above the luckiest one.
    const down = reached < value ? 'lowest answer' : 'down to'
    rows.push(['phase', `${method}: ${countText(asked)} queries, ${down} ${shortNumber(reached)}; ${why}`])
  }
  if (failures.count > 0)
    rows.push(['failures', `${countText(failures.count)}, the first: ${plainReason(failures.first ?? 'unknown')}`])
  if (retries > 0) rows.push(['retries', countText(retries)])
  if (cacheHits > 0) rows.push(['cache hits', countText(cacheHits)])
  rows.push(...warnings.map((warning): [string, string] => ['warning', plainText(warning)]))
  rows.push(['hash', hash], ['run', folder])
  return rows.map(([title, text]) => `${title.padEnd(12)}${text}`).join('\n')
}

/** Variables with names that are listed, one per line. */
const mostListed = 30

function pointRows({ point, variables }: RunResult): [title: string, text: string][] {
  const named = Object.entries(variables ?? {})
  if (named.length === 0) return [['point', shortPoint(point)]]
  const width = Math.max(...named.slice(0, mostListed).map(([name]) => name.length))
  const rows = named.slice(0, mostListed).map(([name, value], i): [string, string] => {
    return [i === 0 ? 'point' : '', `${plainText(name).padEnd(width)}  ${Number(value.toPrecision(6))}`]
  })
  return named.length > mostListed ? [...rows, ['', `... ${countText(named.length)} in all`]] : rows
}

function shortPoint(point: readonly number[]): string {
  const shown = point.slice(0, 6).map((each) => Number(each.toPrecision(6)))
  return `[${shown.join(', ')}${point.length > 6 ? `, ... ${countText(point.length)} in all` : ''}]`
}

/** Several runs as one line of JSON: their statistics, the best of them, and each of them without its points. */
export function seriesJson({ status, members, planned }: SeriesResult, folder: string): string {
  const best = bestOf(members)
  const runs = members.map(({ result: { point: _, last: __, variables: ___, ...rest }, folder: run }) => ({
    ...rest,
    run: resolve(run),
  }))
  const all = { status, ...statistics(members), best: { ...best.result, run: resolve(best.folder) }, runs, planned }
  return JSON.stringify(jsonSafe({ ...all, run: resolve(folder) }))
}

/** Several runs for people. */
export function seriesText({ members }: SeriesResult, folder: string): string {
  const { value } = statistics(members)
  const table = textTable(members, [
    { title: 'seed', align: 'right', cell: ({ result }) => String(result.seed) },
    { title: 'value', align: 'right', cell: ({ result }) => shortNumber(result.value) },
    { title: 'queries', align: 'right', cell: ({ result }) => String(result.queries) },
    { title: 'stopped by', cell: ({ result }) => result.stopReason },
  ])
  const best = bestOf(members)
  const spread = `median ${shortNumber(value.median)}, mean ${shortNumber(value.mean)} +- ${shortNumber(value.deviation)}`
  const summary = `value: ${spread}; best ${shortNumber(best.result.value)} with seed ${best.result.seed}`
  return [table, '', summary, `runs:  ${folder}`].join('\n')
}

function statistics(members: readonly SeriesMember[]) {
  const of = (field: 'value' | 'queries' | 'iterations') => summarize(members.map(({ result }) => result[field]))
  return { value: of('value'), queries: of('queries'), iterations: of('iterations') }
}

function bestOf(members: readonly SeriesMember[]): SeriesMember {
  return members.reduce((best, each) =>
    each.result.value < best.result.value || Number.isNaN(best.result.value) ? each : best,
  )
}

/** What a search found, for people: all that was tried, by learning rate, and how to use the best of it. */
export function tuningText(found: Extract<TuningResult, { status: 'finished' }>, folder: string): string {
  const { tried, best, solver } = found
  const table = textTable(
    tried.toSorted((a, b) => a.learningRate - b.learningRate),
    [
      { title: 'learning rate', align: 'right', cell: ({ learningRate }) => String(learningRate) },
      { title: 'beta1', align: 'right', cell: ({ beta1 }) => String(beta1 ?? '') },
      { title: 'beta2', align: 'right', cell: ({ beta2 }) => String(beta2 ?? '') },
      { title: 'mean value', align: 'right', cell: ({ value }) => shortNumber(value) },
      { title: '', cell: (each) => (each === best ? 'best' : '') },
    ],
  )
  const { beta1, beta2 } = best
  const betas = beta1 === undefined ? '' : ` -O solver.beta1=${beta1} -O solver.beta2=${beta2}`
  return [
    table,
    '',
    `best:  ${settingTitle(best)}`,
    `use:   --solver ${solver.name} ${rateOptions(solver.learningRate)}${betas}`,
    `runs:  ${folder}`,
  ].join('\n')
}

/** How the command line says a learning rate; one with a decay is two keys of the spec. */
function rateOptions(rate: unknown): string {
  if (typeof rate !== 'object' || rate === null) return `--learning-rate ${rate}`
  return Object.entries(rate)
    .map(([key, value]) => `-O solver.learningRate.${key}=${value}`)
    .join(' ')
}
