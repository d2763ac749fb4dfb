import { parentPort, workerData } from 'node:worker_threads'
import {
  type Attacked,
  type AttackProgress,
  type Briefing,
  imageAttacker,
  type Screened,
} from '../../../attacks/index.ts'
import { type CarriedError, packError } from '../../../core/carried-error.ts'
import { type Answered, type Asking, lentModel, type ModelFacts } from '../../../models/index.ts'
import { compileAttack, openAttackImages, robustnessOf } from '../../../spec/attack/index.ts'
import type { AttackRecord } from '../attack-record.ts'
import { imageRuns } from '../image-runs.ts'

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

/** How the attack on an image ended, and the queries that were asked in vain for it. */
export interface AttackEnded {
  readonly kind: 'ended'
  readonly index: number
  readonly lost: number
  readonly attacked?: Attacked | undefined
  readonly error?: CarriedError | undefined
}

const tell = (news: ThreadNews): void => parentPort?.postMessage(news)
const { folder, record, model: facts, briefing } = workerData as ThreadData
const stopping = new AbortController()
const images = new Map<number, Screened>()
const lost = new Map<number, { before: number; added: number }>()
const lent = lentModel(facts, tell)

/** Attacks images as the thread that has the model would; opened with the first. */
const opening = (async () => {
  const compiled = compileAttack(record.spec, { locate: () => `${folder}: ` })
  const { dataset, known } = await openAttackImages(compiled, lent.model)
  const run = imageRuns(folder, record, {
    asked: (queries) => tell({ kind: 'asked', queries }),
    note: (text) => tell({ kind: 'note', text }),
    about: (index) => images.get(index),
  })
  const addLost = (index: number, queries: number): number => {
    const own = lost.get(index) ?? { before: 0, added: 0 }
    own.added += queries
    return own.before + own.added
  }
  const control = {
    signal: stopping.signal,
    onIteration: (at: AttackProgress) => tell({ kind: 'iteration', at }),
    store: { run, lost: addLost },
  }
  return imageAttacker(known, dataset, robustnessOf(record.spec), control, briefing)
})()
// Whoever is to attack an image hears of it.
opening.catch(() => undefined)

async function attack(image: Screened, before: number): Promise<void> {
  const { index } = image
  const own = { before, added: 0 }
  images.set(index, image)
  lost.set(index, own)
  const end = await (await opening)(image).then(
    (attacked) => ({ attacked }),
    (error: unknown) => ({ error: packError(error) }),
  )
  images.delete(index)
  lost.delete(index)
  tell({ kind: 'ended', index, lost: own.added, ...end })
}

parentPort?.on('message', (order: ThreadOrder) => {
  if (order.kind === 'answered') lent.answered(order)
  else if (order.kind === 'stop') stopping.abort(new Error('stopped'))
  else {
    const { image, lost: before } = order
    attack(image, before).catch((error: unknown) =>
      tell({ kind: 'ended', index: image.index, lost: 0, error: packError(error) }),
    )
  }
})
