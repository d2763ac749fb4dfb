import { type CarriedError, packError } from '../../../optimizer/core/errors.ts'
import type { QueueCounts } from '../../../optimizer/core/types.ts'
import type { Dataset } from '../../../robustness/images/index.ts'
import {
  type Attacked,
  type AttackProgress,
  type Briefing,
  type Executor,
  inProcessExecutor,
  type RobustnessControl,
  type ScreenedImage,
} from '../../../robustness/index.ts'
import type { Model } from '../../../robustness/models/index.ts'
import { robustnessOf } from '../../spec/attack/index.ts'
import type { AttackRecord } from './attack-record.ts'
import { imageRuns, type RunsRecord } from './image-runs.ts'

/** What an executor is given of the evaluation whose images it attacks, and whom it tells what happens. */
export interface ExecutorContext {
  readonly folder: string
  readonly record: AttackRecord
  readonly model: Model
  readonly dataset: Dataset
  readonly signal: AbortSignal
  /** The model has answered this many queries. */
  readonly asked: (queries: number) => void
  /** Images were retried elsewhere. */
  readonly askedAgain: (images: number) => void
  readonly onIteration: (at: AttackProgress) => void
  /** Adds unanswered queries to an image's total, and returns the total. */
  readonly addUnanswered: (index: number, queries: number) => number
  /** Something that had to be done to the files of a run. */
  readonly note: (text: string) => void
  /** Tells of servers and workers that go and come back. */
  readonly notice: (message: string) => void
  /** Told now and then who is there and what is left to do. */
  readonly counted: (counts: QueueCounts) => void
  /** Attacks images in this process. */
  readonly here: (briefing: Briefing) => Executor
}

/** What images are attacked with, away from the process that keeps the evaluation. */
interface RemoteAttackOptions {
  /** Where their runs are kept. */
  readonly folder: string
  readonly record: RunsRecord
  readonly model: Model
  readonly dataset: Dataset
  readonly briefing: Briefing
  readonly signal: AbortSignal
}

/** Who is told what happens. */
interface RemoteAttackEvents {
  asked(queries: number): void
  note(text: string): void
  iteration(at: AttackProgress): void
}

/** How the attack on an image ended, and the queries that were asked in vain for it. */
export interface RemoteAttackEnd {
  readonly unanswered: number
  readonly attacked?: Attacked | undefined
  readonly error?: CarriedError | undefined
}

/** Attacks an image for which so many queries were asked in vain before. It never rejects. */
type RemoteAttack = (image: ScreenedImage, unanswered: number) => Promise<RemoteAttackEnd>

/** Attacks images as the process that keeps the evaluation would: in another thread, or on another machine. */
export async function remoteAttack(
  { folder, record, model, dataset, briefing, signal }: RemoteAttackOptions,
  tell: RemoteAttackEvents,
): Promise<RemoteAttack> {
  const images = new Map<number, ScreenedImage>()
  const unanswered = new Map<number, { readonly before: number; added: number }>()
  const run = imageRuns(folder, record, { asked: tell.asked, note: tell.note, about: (index) => images.get(index) })
  const addUnanswered = (index: number, queries: number): number => {
    const own = unanswered.get(index) ?? { before: 0, added: 0 }
    own.added += queries
    return own.before + own.added
  }
  const control: RobustnessControl = { signal, onIteration: tell.iteration, store: { run, addUnanswered } }
  const { attack } = inProcessExecutor(model, dataset, await robustnessOf(record.spec), control, briefing)
  const attackAway: RemoteAttack = async (image, before) => {
    const { index } = image
    const own = { before, added: 0 }
    images.set(index, image)
    unanswered.set(index, own)
    const end = await attack(image).then(
      (attacked) => ({ attacked }),
      (error: unknown) => ({ error: packError(error) }),
    )
    images.delete(index)
    unanswered.delete(index)
    return { unanswered: own.added, ...end }
  }
  return attackAway
}
