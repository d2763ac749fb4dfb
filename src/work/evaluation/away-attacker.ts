import { type Attacked, type AttackProgress, type Briefing, imageAttacker, type Screened } from '../../attacks/index.ts'
import { type CarriedError, packError } from '../../core/carried-error.ts'
import type { Dataset } from '../../datasets/index.ts'
import type { Model } from '../../models/index.ts'
import { robustnessOf } from '../../spec/attack/index.ts'
import { imageRuns, type RunsRecord } from './image-runs.ts'

/** What images are attacked with, away from the process that keeps the evaluation. */
export interface AwayWork {
  /** Where their runs are kept. */
  readonly folder: string
  readonly record: RunsRecord
  readonly model: Model
  readonly dataset: Dataset
  readonly briefing: Briefing
  readonly signal: AbortSignal
}

/** Who is told what happens. */
export interface AwayListener {
  asked(queries: number): void
  note(text: string): void
  iteration(at: AttackProgress): void
}

/** How the attack on an image ended, and the queries that were asked in vain for it. */
export interface AwayEnd {
  readonly lost: number
  readonly attacked?: Attacked | undefined
  readonly error?: CarriedError | undefined
}

/** Attacks an image for which so many queries were asked in vain before. It never rejects. */
export type AwayAttack = (image: Screened, lost: number) => Promise<AwayEnd>

/** Attacks images as the process that keeps the evaluation would: in another thread, or on another machine. */
export function awayAttacker({ folder, record, model, dataset, briefing, signal }: AwayWork, tell: AwayListener) {
  const images = new Map<number, Screened>()
  const lost = new Map<number, { readonly before: number; added: number }>()
  const run = imageRuns(folder, record, { asked: tell.asked, note: tell.note, about: (index) => images.get(index) })
  const addLost = (index: number, queries: number): number => {
    const own = lost.get(index) ?? { before: 0, added: 0 }
    own.added += queries
    return own.before + own.added
  }
  const control = { signal, onIteration: tell.iteration, store: { run, lost: addLost } }
  const attack = imageAttacker(model, dataset, robustnessOf(record.spec), control, briefing)
  const attackAway: AwayAttack = async (image, before) => {
    const { index } = image
    const own = { before, added: 0 }
    images.set(index, image)
    lost.set(index, own)
    const end = await attack(image).then(
      (attacked) => ({ attacked }),
      (error: unknown) => ({ error: packError(error) }),
    )
    images.delete(index)
    lost.delete(index)
    return { lost: own.added, ...end }
  }
  return attackAway
}
