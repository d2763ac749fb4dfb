import { show, ZerothError } from './errors.ts'
import type { Answers } from './types.ts'

/** Room for the answers to `rows` queries. */
export function makeAnswers(rows: number): Answers {
  return {
    values: new Float64Array(rows),
    failed: new Uint8Array(rows),
    reasons: new Array<unknown>(rows).fill(undefined),
    kept: null,
    cached: new Uint8Array(rows),
    retries: 0,
    notes: null,
    reached: undefined,
  }
}

/** A row that was not asked because another one was not answered in time: it costs no query. */
export const notAsked = 1

/** A row that was asked and not waited for because another one was not answered in time. */
export const abandoned = 2

/**
 * Whether one of these rows was not answered in time and the asker ends at the first failure: the others would be waited for
 * in vain. Rows that fail otherwise do not end it, so that counts do not depend on how many are asked at once.
 */
export function endsAt({ dropped, reasons }: Answers, first: number, count = 1): boolean {
  if (dropped === undefined) return false
  for (let row = first; row < first + count; row++) {
    const reason = reasons[row]
    if (reason instanceof ZerothError && reason.timedOut === true) return true
  }
  return false
}

/** Marks the rows from `first` to the last as not asked. */
export function dropFrom(answers: Answers, first: number, rows: number): void {
  answers.dropped?.fill(notAsked, first, rows)
}

/** Forgets earlier answers: a row that is not filled counts as failed, never as the value of an earlier iteration. */
export function clearAnswers(answers: Answers): void {
  answers.values.fill(Number.NaN)
  answers.failed.fill(0)
  answers.reasons.fill(undefined)
  answers.kept = null
  answers.cached?.fill(0)
  answers.dropped?.fill(0)
  answers.retries = 0
  answers.notes = null
  answers.reached = undefined
}

/** Records one value, or why it is none. */
export function recordValue(answers: Answers, row: number, value: unknown): void {
  if (typeof value === 'number') {
    answers.values[row] = value
    return
  }
  recordFailure(answers, row, `the objective returned ${show(value)} instead of a number`)
}

/** Records that none of these queries brought a value. */
export function recordFailures(answers: Answers, first: number, count: number, reason: unknown): void {
  for (let row = first; row < first + count; row++) recordFailure(answers, row, reason)
}

/** Records that a query brought no value. */
export function recordFailure(answers: Answers, row: number, reason: unknown): void {
  answers.values[row] = Number.NaN
  answers.failed[row] = 1
  answers.reasons[row] = reason
}

/** Copies what the user told, a plain list of numbers or full answers, into the session's own. */
export function copyAnswers(told: Answers | ArrayLike<unknown>, rows: number, into: Answers): void {
  const full = isAnswers(told)
  const values: ArrayLike<unknown> = full ? told.values : told
  const isList = typeof told === 'object' && told !== null
  if (!isList || (full ? values.length < rows : values.length !== rows)) {
    throw new ZerothError('invalid-answers', `tell expects ${rows} values, one per row asked, got ${show(values)}`)
  }
  clearAnswers(into)
  if (full) {
    into.kept = told.kept ?? null
    into.retries = told.retries ?? 0
    into.notes = told.notes ?? null
    into.reached = told.reached
    if (told.cached !== undefined) into.cached?.set(told.cached.subarray(0, rows))
    if (told.dropped !== undefined) into.dropped?.set(told.dropped.subarray(0, rows))
  }
  for (let row = 0; row < rows; row++) {
    if (full && told.failed[row] === 1) recordFailure(into, row, told.reasons[row])
    else recordValue(into, row, values[row])
  }
}

function isAnswers(told: Answers | ArrayLike<unknown>): told is Answers {
  return ArrayBuffer.isView((told as Partial<Answers> | null | undefined)?.values)
}

/** Values that are not finite are failures unless their rows were dropped. Returns how many failed. */
export function markFailures(answers: Answers, rows: number): number {
  let count = 0
  for (let row = 0; row < rows; row++) {
    if (answers.dropped !== undefined && answers.dropped[row] !== 0) continue
    if (!Number.isFinite(answers.values[row]) && answers.failed[row] === 0) {
      answers.failed[row] = 1
      answers.reasons[row] ??= `the objective returned ${answers.values[row]}`
    }
    count += answers.failed[row] as number
  }
  return count
}

/** The mean of the answered centers, or NaN where none was. */
export function centerValue(answers: Answers, centers: number): number {
  let sum = 0
  let count = 0
  for (let row = 0; row < centers; row++) {
    if (answers.failed[row] === 1) continue
    sum += answers.values[row] as number
    count++
  }
  return count === 0 ? Number.NaN : sum / count
}
