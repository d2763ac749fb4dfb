import { ask } from '../core/ask.ts'
import { show, ZerothError } from '../core/errors.ts'
import { after } from '../core/in-turn.ts'
import { putBack, someAnswers, someRows } from '../core/some-rows.ts'
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
  return after(ask(objective, someRows(queries, rows), some, signal), () => putBack(some, rows, into))
}

/** So many rows, beginning with `first`. */
export function rowsFrom(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => first + i)
}
