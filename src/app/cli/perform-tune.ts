import { resolve } from 'node:path'
import { ZerothError } from '../../index.ts'
import { jsonSafe } from '../../optimizer/core/exact-json.ts'
import type { Gain } from '../jobs/compare-start.ts'
import { readTuned, type Tuned, type TunedSetting } from '../jobs/tuned.ts'
import { counted, countText, queriesText, readableNumber } from '../report/number-text.ts'
import type { RunResult } from '../store/index.ts'
import { output, print } from './program.ts'
import {
  exitCodes,
  millisecondsText,
  paint,
  plainReason,
  plainText,
  sayInterrupted,
  type Watcher,
  type WatchFlags,
} from './terminal.ts'

/** Prints what the tuning of a program has found and says what exit code it means. */
export async function concludeTuning(
  result: RunResult,
  folder: string,
  flags: WatchFlags,
  watching: Watcher,
): Promise<number> {
  const tuned = await readTuned(folder)
  if (tuned === undefined) throw new ZerothError('invalid-run', `${folder} tunes no program`)
  print(flags.json === true ? tunedJson(tuned, folder) : tunedText(tuned, folder))
  if (result.status === 'aborted') return sayInterrupted(folder, watching)
  if (result.status === 'failed') {
    watching.warn(`zeroth: ${plainReason(result.error ?? 'the run failed')}; zeroth resume ${folder} asks again`)
    return exitCodes.failed
  }
  if (tuned.best === undefined) {
    watching.warn(`zeroth: no setting has a value: ${firstReason(tuned)}`)
    return exitCodes.failed
  }
  if (flags.json !== true) watching.say(`\nnext: zeroth report ${folder} writes an HTML report`)
  return exitCodes.ok
}

function firstReason({ tried }: Tuned): string {
  const failed = tried.points.filter(({ status }) => status === 'failed' || status === 'infeasible')
  const [first] = failed
  const all = `all ${queriesText(failed.length)} failed`
  return first === undefined ? 'nothing was measured' : `${all}, the first: ${plainReason(first.reason ?? 'unknown')}`
}

/** What a tuning has found as one line of JSON. */
export function tunedJson(tuned: Tuned, folder: string): string {
  const { run, measure, maximize, best, start, gain, comparison, tried } = tuned
  const { status, stopReason, queries, seconds, seed, hash, warnings } = run ?? {}
  const counts = countsOf(tuned)
  const points = tried.points.map((point) => ({
    query: point.query,
    status: point.status,
    value: point.value,
    variables: Object.fromEntries(
      tried.names.flatMap((name, i) => (point.values[i] === undefined ? [] : [[name, point.values[i]]])),
    ),
    reason: point.reason,
  }))
  const ended = { status, stopReason, queries, seconds, seed, hash, warnings }
  return JSON.stringify(
    jsonSafe({ ...ended, measure, maximize, best, start, gain, comparison, counts, points, run: resolve(folder) }),
  )
}

function countsOf({ tried: { points } }: Tuned): { ok: number; infeasible: number; failed: number } {
  const of = (status: string): number => points.filter((each) => each.status === status).length
  return { ok: of('ok') + of('cached'), infeasible: of('infeasible'), failed: of('failed') }
}

/** What a tuning has found, for people. */
export function tunedText(tuned: Tuned, folder: string): string {
  const { run, best, start, gain, measure } = tuned
  const { ok, infeasible, failed } = countsOf(tuned)
  const rows: [title: string, text: string][] = []
  if (best !== undefined) {
    rows.push(['best', paint(output).bold(plainText(best.command))])
    rows.push([measure === 'time' ? 'time' : 'value', `${valueText(best.value, measure)}${startText(tuned, best)}`])
    if (gain !== undefined) rows.push(['gain', gainText(gain, measure)])
    rows.push(...settingRows(best, start))
  }
  const troubles = [
    infeasible > 0 ? `${countText(infeasible)} beyond a limit` : '',
    failed > 0 ? `${countText(failed)} failed` : '',
  ].filter((each) => each !== '')
  const tries = `${counted(ok + infeasible + failed, 'setting')}${troubles.length > 0 ? `, of which ${troubles.join(' and ')}` : ''}`
  rows.push(['tried', `${tries}, ${millisecondsText((run?.seconds ?? 0) * 1000)}`])
  const reason = tuned.tried.points.find((point) => point.status === 'failed')?.reason
  if (reason !== undefined && best !== undefined) rows.push(['failures', `the first: ${plainReason(reason)}`])
  if (run !== undefined) rows.push(['stopped by', run.stopReason])
  rows.push(...(run?.warnings ?? []).map((warning): [string, string] => ['warning', plainText(warning)]))
  rows.push(['run', folder])
  return rows.map(([title, text]) => `${title.padEnd(12)}${text}`).join('\n')
}

/** A measured value with its unit. */
export function valueText(value: number, measure: string): string {
  if (Number.isNaN(value)) return 'no value'
  return measure === 'time' ? `${readableNumber(Number(value.toPrecision(4)))} s` : readableNumber(value)
}

function startText({ start, measure }: Tuned, best: TunedSetting): string {
  if (start.command === best.command) return ', where it began: nothing was better'
  return `, from ${valueText(start.value, measure)} with ${plainText(start.command)}`
}

/** How much better the best setting is, and how sure that is. */
export function gainText({ kind, value, low, high, pairs, failed }: Gain, measure: string): string {
  const [is, from, to] = [value, low, high].map((each) => readableNumber(Number(each.toPrecision(3))))
  const lost = failed > 0 ? `; ${counted(failed, 'measurement')} failed` : ''
  const sure = `95 % interval ${from} to ${to}, ${pairs} further measurements of each${lost}`
  const none = kind === 'factor' ? 1 : 0
  if (low <= none && high >= none) return `not certain: ${kind === 'factor' ? `a factor of ${is}` : is} (${sure})`
  if (kind === 'difference') return `better by ${is} (${sure})`
  return measure === 'time' ? `${is} times as fast (${sure})` : `better by a factor of ${is} (${sure})`
}

function settingRows(best: TunedSetting, start: TunedSetting): [string, string][] {
  const names = Object.keys(best.variables)
  const width = Math.max(...names.map((name) => name.length))
  return names.map((name, i) => {
    const [value, before] = [best.variables[name], start.variables[name]]
    const was = value === before ? '' : `  (from ${before === undefined ? 'none' : JSON.stringify(before)})`
    const shown = value === '' ? "''" : String(value)
    return [i === 0 ? 'variables' : '', plainText(`${name.padEnd(width)}  ${shown}${was}`)]
  })
}
