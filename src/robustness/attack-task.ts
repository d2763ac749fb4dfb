import { runToEnd } from '../optimizer/core/engine.ts'
import { messageOf, reasonText, ZerothError } from '../optimizer/core/errors.ts'
import { createSession } from '../optimizer/core/session.ts'
import type { SessionOptions } from '../optimizer/core/session-options.ts'
import type { Phase, Vector } from '../optimizer/core/types.ts'
import type { AttackAccount } from './account.ts'
import type { AttackProblem } from './attack-problem.ts'
import { mostContradictions } from './confirmation.ts'
import type { Dataset } from './images/dataset.ts'
import type { Model } from './models/model.ts'
import type { ImageRecord } from './records.ts'
import type { ReadyOptions } from './robustness-options.ts'
import type { ScreenedImage } from './screening.ts'

/** What every attack of an evaluation is given. */
export interface AttackTask {
  readonly model: Model
  readonly dataset: Dataset
  readonly options: ReadyOptions
  readonly control: AttackWatch
  readonly run: RunAttack
  /** The length that probes must have to tell more than noise, where that was found to be much. */
  readonly probe?: number | undefined
  /** Adds queries that were asked in vain to those of an image (-1: a universal attack); returns all, of earlier tries, too. */
  readonly addUnanswered?: (index: number, queries: number) => number
}

/** How an attack is watched and stopped. */
export interface AttackWatch {
  readonly signal?: AbortSignal | undefined
  /** Called after each iteration of an attack. */
  readonly onIteration?: ((at: AttackProgress) => void) | undefined
}

/** How far an attack is. */
export interface AttackProgress {
  /** The image's number in the data set; -1 for a universal attack. */
  readonly index: number
  readonly title: string
  readonly iteration: number
  readonly queries: number
  readonly fooled: number
  /** The variables there, of a perturbation that all images share. They change afterwards: keep a copy. */
  readonly variables?: Vector | undefined
}

/** The result of an attack on one image. */
export interface Attacked {
  readonly record: ImageRecord
  readonly picture: AttackedPicture | undefined
}

/** A picture of an evaluation, before and after. */
export interface AttackedPicture {
  readonly original: Float32Array
  /** As it is kept, in 8 bits. */
  readonly adversarial: Float32Array
}

/** Which attack of an evaluation is run. */
export interface AttackPlace {
  /** The image's number in the data set; -1 for a universal attack. */
  readonly index: number
  readonly title: string
  /** True for the second method on an image that withstood the first. */
  readonly isSecond?: boolean | undefined
  /** Which of the attacks on this image, where there are several: that within a smaller limit. */
  readonly part?: string | undefined
}

/** How an attack is stopped. */
export interface AttackControl {
  readonly signal?: AbortSignal | undefined
  /** Called after each iteration; 'stop' ends the attack. */
  readonly onIteration: () => 'stop' | undefined
}

/** How the minimisation behind an attack ended. */
export interface AttackEnd {
  /** Unreached: the model could not be asked any more. */
  readonly status: 'finished' | 'aborted' | 'failed' | 'unreached'
  readonly stopReason: string
  readonly error?: unknown
  /** What a method that puts several in a row did. */
  readonly phases?: readonly Phase[] | undefined
}

/**
 * Minimises the problem of an attack: in memory, or in a stored run that can be resumed. The account lives on what passes
 * the problem's objective: it is restored from a checkpoint, and answers of an earlier process behind that are given to
 * its `recall`, all of them and in order.
 */
export type RunAttack = (
  problem: AttackProblem,
  session: SessionOptions,
  place: AttackPlace,
  control: AttackControl,
) => Promise<AttackEnd>

/** Times in a row without an answer after which a model is given up on. */
const patience = 5

/** Whether an attack is over before its budget is spent: the model does not answer, contradicts itself, or all are fooled. */
export function isOver(
  { outage, tracks, confirmations }: Pick<AttackAccount, 'outage' | 'tracks' | 'confirmations'>,
  earlyStop: boolean,
): boolean {
  return (
    outage.count >= patience ||
    isContradicted({ confirmations }) ||
    (earlyStop && tracks.every(({ final }) => final?.fooled === true))
  )
}

/** Whether a model has contradicted itself so often that asking it further makes no sense. */
export function isContradicted({ confirmations }: Pick<AttackAccount, 'confirmations'>): boolean {
  return confirmations.contradicted >= mostContradictions
}

/** Why an attack ended, in the words of its options. */
export function reasonToStop(
  { stopReason }: { stopReason: string },
  failure: string | null,
  account: Pick<AttackAccount, 'confirmations'>,
): string {
  if (stopReason !== 'callback') return stopReason
  if (failure !== null) return 'model-silent'
  return isContradicted(account) ? 'model-contradicts-itself' : 'early-stop'
}

/** What is known of the success of an attack. */
export interface Success {
  /** Whether there is one that was confirmed. */
  readonly isFooled?: boolean
  /** Whether the model contradicted itself when it was asked again. */
  readonly isDoubtful?: boolean
}

/** What an attack that ended in this way says about its image, whatever it had reached by then. */
export function statusOf(
  { outage, queries }: Pick<AttackAccount, 'outage' | 'queries'>,
  end: AttackEnd,
  { isFooled = false, isDoubtful = false }: Success,
): ImageRecord['status'] {
  if (end.status === 'unreached' || outage.count >= patience) return 'unfinished'
  if (end.status === 'failed' || queries === 0) return 'failed'
  if (isFooled) return 'fooled'
  return isDoubtful ? 'unconfirmed' : 'robust'
}

/** How an attack ended whose model could not be reached; other errors are thrown on. */
export function unreachedEnd(error: unknown): AttackEnd {
  if (!(error instanceof ZerothError) || error.code !== 'unreachable') throw error
  return { status: 'unreached', stopReason: 'model-unreachable', error }
}

/** Why an attack says nothing final about its image, where it does not. */
export function failureOf(
  { outage, queries }: Pick<AttackAccount, 'outage' | 'queries'>,
  end: { status: string; error?: unknown },
): string | null {
  if (end.status === 'failed' || end.status === 'unreached') return messageOf(end.error)
  if (queries === 0) return 'nothing was asked of the model'
  return outage.count >= patience ? `the model does not answer any more: ${reasonText(outage.reason)}` : null
}

/** Minimises in memory. */
export const driveAttack: RunAttack = async ({ objective, start }, options, _, { signal, onIteration }) => {
  const outcome = await runToEnd(createSession(start, options), objective, { signal, onIteration: () => onIteration() })
  const { status, stopReason } = outcome
  const { phases } = outcome
  return { status, stopReason, error: outcome.status === 'failed' ? outcome.error : undefined, phases }
}

/** The record of an image that was screened, and nothing else. */
export function screenedRecord({
  index,
  title,
  label,
  predicted,
  target,
  status,
  reason,
  modelCalls,
  failedQueries = 0,
  retries = 0,
}: ScreenedImage): ImageRecord {
  return {
    index,
    title,
    label,
    predicted,
    target,
    status: status === 'skipped' ? 'skipped' : 'failed',
    reason,
    queries: 0,
    modelCalls,
    failedQueries,
    retries,
    first: null,
    best: null,
    final: null,
    success8bit: null,
    saved: null,
    files: null,
    stopReason: null,
    curve: null,
  }
}
