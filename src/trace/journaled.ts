import { ask } from '../core/ask.ts'
import type { Checkpoint } from '../core/checkpoint.ts'
import { ZerothError } from '../core/errors.ts'
import { saveMemory } from '../core/memory.ts'
import { reasonText } from '../core/reason-text.ts'
import type { Answers, Objective, Queries } from '../core/types.ts'
import type { Journal } from './journal.ts'
import type { JournalRecord } from './journal-record.ts'

const nothing = new Float64Array(0)

/**
 * An objective that answers from the journal as long as that has records, then asks the given one and records what it
 * says before it is passed on. What was aborted is not recorded. `elapsed` gives the seconds the run has worked.
 */
export function journaled(journal: Journal, objective: Objective, elapsed: () => number): Objective {
  const record = (queries: Queries, into: Answers, signal: AbortSignal | undefined): void => {
    if (signal?.aborted !== true) journal.append(batchOf(queries, into, elapsed()))
  }
  return {
    dim: objective.dim,
    close: () => objective.close?.(),
    evaluate(queries, into, signal) {
      if (answerFrom(journal, queries, into)) {
        objective.recall?.(queries, into)
        return undefined
      }
      const work = ask(objective, queries, into, signal)
      return work === undefined ? record(queries, into, signal) : work.then(() => record(queries, into, signal))
    },
  }
}

function answerFrom(journal: Journal, queries: Queries, into: Answers): boolean {
  const { position } = journal.at
  const record = journal.read()
  if (record === undefined) return false
  const [found, asked] = [what(record.iteration, record), what(queries.key.iteration, queries)]
  if (found !== asked) {
    const where = `${journal.path}: record ${record.number} at byte ${position}`
    const why = 'the spec, the objective or zeroth itself is not the one of this run'
    throw new ZerothError('invalid-checkpoint', `${where} answers ${found}, but the run asks ${asked}; ${why}`)
  }
  into.values.set(record.values)
  into.failed.set(record.failed)
  into.cached?.set(record.cached)
  if (record.dropped !== undefined) into.dropped?.set(record.dropped)
  into.retries = record.retries
  into.notes = record.notes.length === 0 ? null : record.notes
  for (const [row, reason] of record.reasons) into.reasons[row] = reason
  return true
}

function what(iteration: number, { rows, centers }: { rows: number; centers: number }): string {
  return `iteration ${iteration} (rows: ${rows}, centers: ${centers})`
}

function batchOf(queries: Queries, answers: Answers, seconds: number): Omit<JournalRecord, 'number'> {
  const { rows, centers } = queries
  const reasons: [number, string][] = []
  for (let row = 0; row < rows; row++) {
    if (answers.reasons[row] !== undefined) reasons.push([row, reasonText(answers.reasons[row])])
  }
  return {
    iteration: queries.key.iteration,
    rows,
    centers,
    retries: answers.retries ?? 0,
    seconds,
    values: answers.values,
    failed: answers.failed,
    cached: answers.cached ?? new Uint8Array(rows),
    dropped: answers.dropped,
    notes: answers.notes ?? nothing,
    reasons,
  }
}

/** A checkpoint with what the objective remembers of its answers, where it does; live: with the vectors at work. */
export function withAccount(checkpoint: Checkpoint, objective: Objective | undefined, isLive = false): Checkpoint {
  const account = objective?.save?.()
  return account === undefined ? checkpoint : { ...checkpoint, account: isLive ? account : saveMemory(account) }
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
