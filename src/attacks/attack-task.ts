import { runToEnd } from '../core/engine.ts'
import { messageOf, ZerothError } from '../core/errors.ts'
import { reasonText } from '../core/reason-text.ts'
import { createSession } from '../core/session.ts'
import type { SessionOptions } from '../core/session-options.ts'
import type { Phase, Vector } from '../core/types.ts'
import type { Dataset } from '../datasets/dataset.ts'
import type { Model } from '../models/model.ts'
import type { AttackAccount } from './account.ts'
import type { AttackProblem } from './attack-problem.ts'
import type { ImageRecord } from './records.ts'
import type { ReadyOptions } from './robustness-options.ts'
import type { Screened } from './screening.ts'

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
  readonly lost?: (index: number, queries: number) => number
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

/** Whether an attack is over before its budget is spent: the model has stopped responding, or all images are fooled. */
export function isOver({ unanswered, tracks }: AttackAccount, earlyStop: boolean): boolean {
  return unanswered.count >= patience || (earlyStop && tracks.every(({ final }) => final?.fooled === true))
}

/** Why an attack ended, in the words of its options. */
export function reasonToStop({ stopReason }: { stopReason: string }, failure: string | null): string {
  if (stopReason !== 'callback') return stopReason
  return failure === null ? 'early-stop' : 'model-silent'
}

/** What an attack that ended in this way says about its image, whatever it had reached by then. */
export function statusOf(
  { unanswered, queries }: AttackAccount,
  end: AttackEnd,
  isFooled: boolean,
): ImageRecord['status'] {
  if (end.status === 'unreached' || unanswered.count >= patience) return 'unfinished'
  if (end.status === 'failed' || queries === 0) return 'failed'
  return isFooled ? 'fooled' : 'robust'
}

/** How an attack ended whose model could not be reached; other errors are thrown on. */
export function unreachedEnd(error: unknown): AttackEnd {
  if (!(error instanceof ZerothError) || error.code !== 'unreachable') throw error
  return { status: 'unreached', stopReason: 'model-unreachable', error }
}

/** Why an attack says nothing final about its image, where it does not. */
export function failureOf(
  { unanswered, queries }: AttackAccount,
  end: { status: string; error?: unknown },
): string | null {
  if (end.status === 'failed' || end.status === 'unreached') return messageOf(end.error)
  if (queries === 0) return 'nothing was asked of the model'
  return unanswered.count >= patience ? `the model does not answer any more: ${reasonText(unanswered.reason)}` : null
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
}: Screened): ImageRecord {
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
