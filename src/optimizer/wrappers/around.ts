import { ask, putBack, someAnswers, someRows } from '../core/answers.ts'
import { andThen, callAfter, onAbort } from '../core/async.ts'
import { show, ZerothError } from '../core/errors.ts'
import { functionThat, withDefault } from '../core/options.ts'
import type { Answers, Objective, Queries } from '../core/types.ts'

/** An objective around another one: it has its dimension, remembers where that one does, and is closed with it. */
export function around(objective: Objective, evaluate: Objective['evaluate']): Objective {
  return {
    dim: objective.dim,
    evaluate,
    ...(objective.recall === undefined ? {} : { recall: (...told) => objective.recall?.(...told) }),
    ...(objective.save === undefined ? {} : { save: objective.save.bind(objective) }),
    ...(objective.restore === undefined ? {} : { restore: objective.restore.bind(objective) }),
    ...(objective.attach === undefined ? {} : { attach: objective.attach.bind(objective) }),
    close: () => objective.close?.(),
  }
}

/** Refuses what is no objective. */
export function checkObjective(wrapper: string, objective: Objective): void {
  if (typeof (objective as Objective | undefined)?.evaluate !== 'function') {
    const hint = typeof objective === 'function' ? '; functionObjective(f, { dim }) makes one of a function' : ''
    throw new ZerothError('invalid-objective', `${wrapper} wraps an objective, got ${show(objective)}${hint}`)
  }
}

/** Asks some rows only and puts their answers where they belong. */
export function askRows(
  objective: Objective,
  queries: Queries,
  rows: readonly number[],
  into: Answers,
  signal: AbortSignal | undefined,
): void | Promise<void> {
  const some = someAnswers(rows, into)
  return andThen(ask(objective, someRows(queries, rows), some, signal), () => putBack(some, rows, into))
}

/** So many rows, beginning with `first`. */
export function rowsFrom(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => first + i)
}

/** Waits that many milliseconds, or until the signal fires. */
export type Sleep = (milliseconds: number, signal?: AbortSignal | undefined) => PromiseLike<unknown>

/** Waits with a timer of its own; when the signal fires the wait is over at once and the timer is gone. */
function sleep(milliseconds: number, signal?: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = callAfter(milliseconds, () => {
      stopListening()
      resolve()
    })
    const stopListening = onAbort(signal, () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

/** How a wrapper waits: real timers unless told otherwise. */
export const sleepOption = withDefault(
  functionThat<Sleep>('must be a function of milliseconds and a signal'),
  () => sleep,
)

/** Resolves with the work, or as soon as the signal fires, whichever is first. */
export async function untilAborted(work: PromiseLike<unknown>, signal: AbortSignal | undefined): Promise<void> {
  let stopListening: () => void = () => undefined
  const aborted = new Promise<void>((resolve) => {
    stopListening = onAbort(signal, resolve)
  })
  try {
    await Promise.race([work, aborted])
  } finally {
    stopListening()
  }
}
