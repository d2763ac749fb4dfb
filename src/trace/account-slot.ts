import type { Checkpoint } from '../core/checkpoint.ts'
import { ZerothError } from '../core/errors.ts'
import type { Objective } from '../core/types.ts'

/** A checkpoint with what the objective remembers of its answers, where it does. */
export function withAccount(checkpoint: Checkpoint, objective: Objective | undefined): Checkpoint {
  const account = objective?.save?.()
  return account === undefined ? checkpoint : { ...checkpoint, account }
}

/** Lets an objective that remembers its answers continue from what it remembered at the checkpoint. */
export function restoreAccount(folder: string, checkpoint: Checkpoint | undefined, objective: Objective): void {
  if (checkpoint === undefined || objective.restore === undefined) return
  if (checkpoint.account === undefined) {
    const what = 'its checkpoint does not hold what the objective remembers of its answers'
    throw new ZerothError('invalid-run', `${folder}: ${what}; open the run with fromStart`)
  }
  objective.restore(checkpoint.account)
}
