import { lookedRecord, summarizeAttack } from '../../attacks/index.ts'
import type { StoredAttack } from '../../cli/attack/attack-pages.ts'
import { ZerothError } from '../../index.ts'
import { readImages, readReport, readSurvey } from './attack-files.ts'
import { readAttack } from './attack-record.ts'
import { attackStanding } from './listed-attack.ts'

/** Reads an attack without touching it; of one that has not come to its end, what is known of it so far. */
export function readStoredAttack(folder: string): StoredAttack {
  const record = readAttack(folder)
  const report = readReport(folder)
  if (report !== undefined) return { folder, record, report }
  const { status } = attackStanding(folder)
  if (record.spec.universal === true) {
    throw new ZerothError(
      'invalid-option',
      `${folder} has not come to its end (${status}): zeroth resume goes on with it`,
    )
  }
  const known = readImages(folder)
  const images = (readSurvey(folder)?.looked ?? []).flatMap((look) => {
    const image = known.get(look.index)
    if (image !== undefined) return [image]
    return look.standing === 'attacked' ? [] : [lookedRecord(look)]
  })
  const summary = summarizeAttack(images, { lambda: Number(record.spec.lambda), kappa: Number(record.spec.kappa) })
  const warnings = [`the attack has not come to its end: ${status}`]
  return { folder, record, report: { summary, images, universal: null, warnings } }
}
