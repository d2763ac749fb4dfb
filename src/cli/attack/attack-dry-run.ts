import { mostChecks } from '../../attacks/index.ts'
import { jsonSafe } from '../../core/json-safe.ts'
import { modelText, rateText } from '../../report/attack/attack-settings.ts'
import type { OpenedAttack } from '../../spec/attack/index.ts'
import type { JsonObject } from '../../spec/index.ts'
import { millisecondsText } from '../duration-text.ts'
import { grouped } from '../live-line.ts'

/** What an attack would do at most, without doing it. */
export function attackDryRun({ model, dataset, resolved, rateSource }: OpenedAttack, json: boolean): string {
  const { count, maxQueries, universal, rate } = resolved as Record<string, number | undefined> & {
    universal?: unknown
  }
  const available = dataset.count
  const attacked = Math.min(count ?? available, available)
  const queries = universal === true ? (maxQueries ?? 0) : attacked * (maxQueries ?? 0)
  const perQuery = universal === true ? attacked : 1
  const modelCalls = available + queries * perQuery + attacked * (universal === true ? 1 : mostChecks)
  const least = rate === undefined ? undefined : (modelCalls / model.batch / rate) * 1000
  const most = { images: { available, attacked }, queries, modelCalls, rate: rate ?? null }
  if (json) return JSON.stringify(jsonSafe({ ...most, settings: { ...resolved, rateSource } }))
  const { name: solver } = resolved.solver as JsonObject
  const rows: [string, string][] = [
    ['model', `${modelText(resolved.model as JsonObject)}, ${model.runtime}`],
    ['images', `${dataset.name}: ${grouped(available)}, of which ${grouped(attacked)} at most are attacked`],
    ['method', `${solver}, ${(resolved.problem as JsonObject).name}${universal === true ? ', universal' : ''}`],
    ['learning rate', rateText(resolved.solver as JsonObject, rateSource)],
    [
      'queries',
      `${grouped(queries)} at most, ${grouped(maxQueries ?? 0)} ${universal === true ? 'in all' : 'per image'}`,
    ],
    ['model calls', `${grouped(modelCalls)} images classified at most, ${grouped(model.batch)} per call`],
  ]
  if (rate !== undefined)
    rows.push(['rate', `${rate} calls per second at most: ${millisecondsText(least ?? 0)} or more for all of it`])
  return [...rows.map(([title, text]) => `${title.padEnd(15)}${text}`), 'nothing was asked'].join('\n')
}
