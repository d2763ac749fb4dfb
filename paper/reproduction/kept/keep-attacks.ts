import { existsSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { evaluationStatus, readEvaluation } from '../../../src/app/jobs/index.ts'
import { isMeasured, isUnmeasured } from '../../../src/robustness/index.ts'
import { chosenExperiments } from '../draw-reproduction.ts'
import { cellFolder } from '../perform-cell.ts'
import type { ReproduceRecord } from '../reproduce-record.ts'
import { cellsOf } from '../run-reproduction.ts'
import { recordedResults } from '../stored-results.ts'
import { type Cell, planOf } from '../tables/index.ts'
import { workSessionsOf } from '../work-session.ts'
import { mergedSessions } from './kept.ts'
import { decidingOf, type KeptAttack, keptFile, readKept, writeKept } from './kept-attack.ts'

/** Keeps the attacks of a reproduction in a folder, those that are there already extended; returns the files. */
export async function keepAttacks(
  out: string,
  record: ReproduceRecord,
  into: string,
  computed?: string,
): Promise<string[]> {
  const plan = planOf(record.settings)
  const files: string[] = []
  for (const cell of cellsOf(chosenExperiments(record), plan, recordedResults(out, record))) {
    const attack = foundAttack(out, record, plan.profile, cell)
    if (attack === undefined) continue
    const file = keptFile(into, plan.profile, cell)
    const { model } = attack
    const told = computed === undefined ? attack : { ...attack, model: { ...model, computed } }
    await writeKept(file, merged(told, readKept(file)))
    files.push(file)
  }
  return files
}

/** The attack of a cell as far as it has come; undefined where nothing of it is worth keeping. */
function foundAttack(out: string, record: ReproduceRecord, profile: string, cell: Cell): KeptAttack | undefined {
  const folder = cellFolder(out, cell)
  const { state } = existsSync(folder) ? evaluationStatus(folder) : { state: 'none' }
  const isWhole = state === 'finished'
  if (!isWhole && (state !== 'interrupted' || cell.spec.universal === true)) return undefined
  const { report, record: made } = readEvaluation(folder)
  const { images: all, ...rest } = report
  const images = isWhole ? all : all.filter((image) => !isUnmeasured(image))
  if (!images.some(isMeasured)) return undefined
  return {
    profile,
    name: cell.name,
    spec: decidingOf(cell.spec),
    count: Number(cell.spec.count),
    sessions: workSessionsOf(record),
    model: { ...made.model } as KeptAttack['model'],
    report: isWhole ? rest : undefined,
    images,
  }
}

/** What is kept of an attack that was kept before: the larger, and the sessions of both. */
function merged(attack: KeptAttack, before: KeptAttack | undefined): KeptAttack {
  if (before === undefined || !isDeepStrictEqual(before.spec, attack.spec)) return attack
  const isMore = attack.images.filter(isMeasured).length >= before.images.filter(isMeasured).length
  return { ...(isMore ? attack : before), sessions: mergedSessions([...before.sessions, ...attack.sessions]) }
}
