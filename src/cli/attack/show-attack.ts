import { resolve } from 'node:path'
import { jsonSafe } from '../../core/json-safe.ts'
import { type AttackRecord, readAttack } from '../../work/evaluation/attack-record.ts'
import { type AttackStanding, attackStanding } from '../../work/evaluation/listed-attack.ts'
import { readStoredAttack } from '../../work/evaluation/read-attack.ts'
import { settingsOf } from './attack-settings.ts'
import { attackJson, attackText } from './print-attack.ts'

/** What an attack is and how it stands; of one that has not come to its end, what the images that are done came to. */
export function shownAttack(folder: string, json: boolean): string {
  const record = readAttack(folder)
  const standing = attackStanding(folder)
  const isKnown = standing.done === undefined || (standing.done.images > 0 && record.spec.universal !== true)
  if (json) return isKnown ? attackJson(readStoredAttack(folder), standing) : unknownJson(folder, record, standing)
  const rows = [
    ['status', standing.status],
    ['began', `${record.created} with zeroth ${record.zeroth}`],
    ...(standing.done === undefined ? [] : [['so far', soFar(record, standing.done)]]),
  ]
  const about = rows.map(([title = '', text]) => `${title.padEnd(17)}${text}`).join('\n')
  const came = isKnown ? `\n${attackText(readStoredAttack(folder))}` : ''
  return `${about}${came}\n\n${JSON.stringify(record.spec, null, 2)}`
}

function soFar({ spec }: AttackRecord, { images, of }: NonNullable<AttackStanding['done']>): string {
  if (spec.universal === true) return 'one perturbation for all images: what it comes to is known at the end'
  if (images === 0) return 'no image is done: there is nothing to say about the model yet'
  return `${images} of ${of} images ${images === 1 ? 'is' : 'are'} done; what follows is about ${images === 1 ? 'it' : 'those'} alone`
}

function unknownJson(folder: string, record: AttackRecord, { status, done }: AttackStanding): string {
  const nothing = { summary: null, images: [], universal: null, warnings: [] }
  return JSON.stringify(jsonSafe({ status, done, ...nothing, run: resolve(folder), settings: settingsOf(record) }))
}
