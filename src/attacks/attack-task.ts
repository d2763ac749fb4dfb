import { messageOf } from '../core/errors.ts'
import type { Vector } from '../core/types.ts'
import type { Dataset } from '../datasets/dataset.ts'
import type { Model } from '../models/model.ts'
import type { AttackAccount } from './account.ts'
import type { RunAttack } from './drive-attack.ts'
import type { ImageRecord } from './records.ts'
import type { ReadyOptions } from './robustness-options.ts'

/** What every attack of an evaluation is given. */
export interface AttackTask {
  readonly model: Model
  readonly dataset: Dataset
  readonly options: ReadyOptions
  readonly control: AttackWatch
  readonly run: RunAttack
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

/** Why an attack says nothing about its image, where it does not. */
export function failureOf(
  { unanswered, queries }: AttackAccount,
  end: { status: string; error?: unknown },
): string | null {
  if (end.status === 'failed') return messageOf(end.error)
  if (queries === 0) return 'nothing was asked of the model'
  return unanswered.count >= patience ? `the model does not answer any more: ${textOf(unanswered.reason)}` : null
}

/** A reason as a journal keeps it: the same whether an attack was interrupted or not. */
function textOf(reason: unknown): string {
  return reason instanceof Error ? `${reason.name}: ${reason.message}` : String(reason)
}
