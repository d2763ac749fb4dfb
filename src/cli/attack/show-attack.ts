import { resolve } from 'node:path'
import { jsonSafe } from '../../core/json-safe.ts'
import { settingsOf } from '../../report/attack/attack-settings.ts'
import { type AttackRecord, readAttack } from '../../work/evaluation/attack-record.ts'
import { type AttackState, attackState, readEvaluation } from '../../work/evaluation/status.ts'
import { attackJson, attackText } from './print-attack.ts'

/** What an attack is and how far; of one that has not finished, the results of the images that are done. */
export function shownAttack(folder: string, json: boolean): string {
  const record = readAttack(folder)
  const state = attackState(folder)
  const isKnown = state.done === undefined || (state.done.images > 0 && record.spec.universal !== true)
  if (json) return isKnown ? attackJson(readEvaluation(folder), state) : unknownJson(folder, record, state)
  const rows = [
    ['status', state.status],
    ['began', `${record.created} with zeroth ${record.zeroth}`],
    ...(state.done === undefined ? [] : [['so far', soFar(record, state.done)]]),
  ]
  const about = rows.map(([title = '', text]) => `${title.padEnd(17)}${text}`).join('\n')
  const results = isKnown ? `\n${attackText(readEvaluation(folder))}` : ''
  return `${about}${results}\n\n${JSON.stringify(record.spec, null, 2)}`
}

function soFar({ spec }: AttackRecord, { images, of }: NonNullable<AttackState['done']>): string {
  if (spec.universal === true) return 'one perturbation for all images: its result is known at the end'
  if (images === 0) return 'no image is done: there is nothing to say about the model yet'
  return `${images} of ${of} images ${images === 1 ? 'is' : 'are'} done; what follows is about ${images === 1 ? 'it' : 'those'} alone`
}

function unknownJson(folder: string, record: AttackRecord, { status, done }: AttackState): string {
  const nothing = { summary: null, images: [], universal: null, warnings: [] }
  return JSON.stringify(jsonSafe({ status, done, ...nothing, run: resolve(folder), settings: settingsOf(record) }))
}
