import { join } from 'node:path'
import { jsonSafe } from '../../src/optimizer/core/exact-json.ts'
import { chosenExperiments, provenanceOf } from './draw-reproduction.ts'
import { provenanceRows } from './page/provenance.ts'
import { existingReproduction } from './reproduce-record.ts'
import { cellsOf } from './run-reproduction.ts'
import { recordedResults } from './stored-results.ts'
import { planOf } from './tables/index.ts'

/** What a reproduction is and how far it is; only reads. */
export function shownReproduction(folder: string, json: boolean): string {
  const record = existingReproduction(folder)
  const plan = planOf(record.settings)
  const results = recordedResults(folder, record)
  const cells = cellsOf(chosenExperiments(record), plan, results)
  const reports = cells.flatMap((cell) => results.report(cell) ?? [])
  const modelCalls = reports.reduce((sum, { summary }) => sum + summary.modelCalls, 0)
  const progress = { done: reports.length, cells: cells.length, modelCalls }
  const status = progress.done === progress.cells ? 'finished' : 'partial'
  const provenance = provenanceOf(folder, plan, record, cells)
  const page = join(folder, 'index.html')
  if (json) {
    const { settings, what, created } = record
    return JSON.stringify(jsonSafe({ status, run: folder, page, created, settings, what, ...progress, ...provenance }))
  }
  const rows = [
    ['status', status === 'finished' ? status : `${progress.done} of ${progress.cells} attacks known so far`],
    ['reproduces', `${record.what.join(' ')}, ${plan.scale} scale, ${plan.profile} settings`],
    ...provenanceRows(provenance, progress),
    ['page', page],
  ]
  return rows.map(([title = '', text]) => `${title.padEnd(19)}${text}`).join('\n')
}
