import { resolve } from 'node:path'
import { jsonSafe } from '../core/json-safe.ts'
import { summarize } from '../index.ts'
import { shortNumber, textTable } from '../report/index.ts'
import type { SeriesMember, SeriesResult } from '../work/index.ts'

/** Several runs as one line of JSON: their statistics, the best of them, and each of them without its points. */
export function seriesJson({ status, members, planned }: SeriesResult, folder: string): string {
  const best = bestOf(members)
  const runs = members.map(({ result: { point: _, last: __, ...rest }, folder: run }) => ({
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
