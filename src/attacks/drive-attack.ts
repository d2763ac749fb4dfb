import { runToEnd } from '../core/engine.ts'
import { createSession } from '../core/session.ts'
import type { SessionOptions } from '../core/session-options.ts'
import type { AttackProblem } from './attack-problem.ts'

/** Which attack of an evaluation is run. */
export interface AttackPlace {
  /** The image's number in the data set; -1 for a universal attack. */
  readonly index: number
  readonly title: string
}

/** How an attack is stopped. */
export interface AttackControl {
  readonly signal?: AbortSignal | undefined
  /** Called after each iteration; 'stop' ends the attack. */
  readonly onIteration: () => 'stop' | undefined
}

/** How the minimisation behind an attack ended. */
export interface AttackEnd {
  readonly status: 'finished' | 'aborted' | 'failed'
  readonly stopReason: string
  readonly error?: unknown
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

/** Minimises in memory. */
export const driveAttack: RunAttack = async ({ objective, start }, options, _, { signal, onIteration }) => {
  const outcome = await runToEnd(createSession(start, options), objective, { signal, onIteration: () => onIteration() })
  const { status, stopReason } = outcome
  return { status, stopReason, error: outcome.status === 'failed' ? outcome.error : undefined }
}
