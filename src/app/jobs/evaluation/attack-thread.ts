import { parentPort, workerData } from 'node:worker_threads'
import type { CrewAnswer, CrewRequest } from '../../../optimizer/core/crew.ts'
import { packError } from '../../../optimizer/core/errors.ts'
import type { AttackProgress, Briefing, ScreenedImage } from '../../../robustness/index.ts'
import { type Answered, type Asking, type ModelFacts, modelProxy } from '../../../robustness/models/index.ts'
import { compileAttack, openAttackImages } from '../../spec/attack/index.ts'
import type { AttackRecord } from './attack-record.ts'
import { type RemoteAttackEnd, remoteAttack } from './remote-attack.ts'

/** What a thread is told when it starts. */
export interface ThreadData {
  readonly folder: string
  readonly record: AttackRecord
  readonly model: ModelFacts
  readonly briefing: Briefing
}

/** An image to attack, and its unanswered queries so far. */
export interface AttackRequest {
  readonly image: ScreenedImage
  readonly unanswered: number
}

/** What a thread is told beside requests: what the model answered, or to save and stop. */
export type ThreadOrder = { readonly kind: 'stop' } | Answered

/** What a thread tells beside its answers. */
export type ThreadEvent =
  | Asking
  | { readonly kind: 'iteration'; readonly at: AttackProgress }
  | { readonly kind: 'asked'; readonly queries: number }
  | { readonly kind: 'note'; readonly text: string }

const tell = (message: ThreadEvent | CrewAnswer<RemoteAttackEnd>): void => parentPort?.postMessage(message)
const { folder, record, model: facts, briefing } = workerData as ThreadData
const stopping = new AbortController()
const proxy = modelProxy(facts, tell)

/** Attacks images as the thread that has the model would; opened with the first. */
const opening = (async () => {
  const compiled = await compileAttack(record.spec, { locate: () => `${folder}: ` })
  const { dataset, known: model } = await openAttackImages(compiled, proxy.model)
  return remoteAttack(
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

parentPort?.on('message', (message: ThreadOrder | CrewRequest<AttackRequest>) => {
  if ('kind' in message) return message.kind === 'stop' ? stopping.abort(new Error('stopped')) : proxy.answered(message)
  const { call, request } = message
  opening
    .then((attack) => attack(request.image, request.unanswered))
    .then(
      (answer) => tell({ call, answer }),
      (error: unknown) => tell({ call, error: packError(error) }),
    )
})
