import { parentPort, workerData } from 'node:worker_threads'
import type { AttackProgress, Briefing, Screened } from '../../../attacks/index.ts'
import { packError } from '../../../core/carried-error.ts'
import { type Answered, type Asking, lentModel, type ModelFacts } from '../../../models/index.ts'
import { compileAttack, openAttackImages } from '../../../spec/attack/index.ts'
import type { AttackRecord } from '../attack-record.ts'
import { type AwayEnd, awayAttacker } from '../away-attacker.ts'

/** What a thread is told when it starts. */
export interface ThreadData {
  readonly folder: string
  readonly record: AttackRecord
  readonly model: ModelFacts
  readonly briefing: Briefing
}

/** What a thread is told later: to attack an image, what the model answered, or to save and stop. */
export type ThreadOrder =
  | { readonly kind: 'attack'; readonly image: Screened; readonly lost: number }
  | { readonly kind: 'stop' }
  | Answered

/** What a thread tells. */
export type ThreadNews =
  | Asking
  | { readonly kind: 'iteration'; readonly at: AttackProgress }
  | { readonly kind: 'asked'; readonly queries: number }
  | { readonly kind: 'note'; readonly text: string }
  | AttackEnded

/** How the attack on an image ended. */
export interface AttackEnded extends AwayEnd {
  readonly kind: 'ended'
  readonly index: number
}

const tell = (news: ThreadNews): void => parentPort?.postMessage(news)
const { folder, record, model: facts, briefing } = workerData as ThreadData
const stopping = new AbortController()
const lent = lentModel(facts, tell)

/** Attacks images as the thread that has the model would; opened with the first. */
const opening = (async () => {
  const compiled = compileAttack(record.spec, { locate: () => `${folder}: ` })
  const { dataset, known: model } = await openAttackImages(compiled, lent.model)
  return awayAttacker(
    { folder, record, model, dataset, briefing, signal: stopping.signal },
    {
      asked: (queries) => tell({ kind: 'asked', queries }),
      note: (text) => tell({ kind: 'note', text }),
      iteration: (at) => tell({ kind: 'iteration', at }),
    },
  )
})()
// Whoever is to attack an image hears of it.
opening.catch(() => undefined)

parentPort?.on('message', (order: ThreadOrder) => {
  if (order.kind === 'answered') return lent.answered(order)
  if (order.kind === 'stop') return stopping.abort(new Error('stopped'))
  const { image, lost } = order
  opening
    .then((attack) => attack(image, lost))
    .catch((error: unknown) => ({ lost: 0, error: packError(error) }))
    .then((end) => tell({ kind: 'ended', index: image.index, ...end }))
})
