import { summarize } from '../index.ts'
import { shortNumber, textTable } from '../report/index.ts'
import type { RunResult } from '../trace/index.ts'
import { jsonSafe } from './json-safe.ts'

/** A run of a series and where it is. */
export interface Member {
  readonly result: RunResult
  readonly folder: string
}

/** Several runs as one line of JSON: their statistics, the best of them, and each of them without its points. */
export function seriesJson(members: readonly Member[], folder: string): string {
  const best = bestOf(members)
  const runs = members.map(({ result: { point: _, last: __, ...rest }, folder: run }) => ({ ...rest, run }))
  return JSON.stringify(
    jsonSafe({ ...statistics(members), best: { ...best.result, run: best.folder }, runs, run: folder }),
  )
}

/** Several runs for people. */
export function seriesText(members: readonly Member[], folder: string): string {
  const { value } = statistics(members)
  const table = textTable(members, [
    { title: 'seed', align: 'right', cell: ({ result }) => String(result.seed) },
    { title: 'value', align: 'right', cell: ({ result }) => shortNumber(result.value) },
    { title: 'queries', align: 'right', cell: ({ result }) => String(result.queries) },
    { title: 'stopped by', cell: ({ result }) => result.stopReason },
  ])
  const spread = `median ${shortNumber(value.median)}, mean ${shortNumber(value.mean)} +- ${shortNumber(value.deviation)}`
  const best = bestOf(members)
  return [
    table,
    '',
    `value: ${spread}; best ${best.result.value} with seed ${best.result.seed}`,
    `runs: ${folder}`,
  ].join('\n')
}

function statistics(members: readonly Member[]) {
  const of = (field: 'value' | 'queries' | 'iterations') => summarize(members.map(({ result }) => result[field]))
  return { value: of('value'), queries: of('queries'), iterations: of('iterations') }
}

function bestOf(members: readonly Member[]): Member {
  return members.reduce((best, each) =>
    each.result.value < best.result.value || Number.isNaN(best.result.value) ? each : best,
  )
}
