import { recordFailure } from '../core/answers.ts'
import { endsRun, messageOf, show, ZerothError } from '../core/errors.ts'
import type { Answers } from '../core/types.ts'

/** Why a row has no value, as it travels. */
interface RowFailure {
  readonly row: number
  readonly message: string
  readonly retryable?: boolean | undefined
  readonly timedOut?: boolean | undefined
  readonly unreached?: boolean | undefined
}

/** What a worker says of the rows of a job. Plain data, small. */
export interface RowAnswer {
  readonly worker: string
  /** The values, as float64 in base64: JSON has neither NaN nor the sign of zero. */
  readonly values: string
  readonly failures?: readonly RowFailure[] | undefined
}

/** Says that the points of a job are gone: the run sends them again. */
export const missingPoints = 'zeroth: the points of this job are not there any more'

/** Longest reason that travels. */
const longest = 1000

/** The answer of a worker as it travels. */
export function rowAnswer(worker: string, rows: number, { values, failed, reasons }: Answers): RowAnswer {
  const bytes = Buffer.from(values.buffer, values.byteOffset, 8 * rows)
  const answer = { worker, values: bytes.toString('base64') }
  if (!failed.includes(1)) return answer
  const all = Array.from({ length: rows }, (_, row) => row).filter((row) => failed[row] === 1)
  return { ...answer, failures: all.map((row) => ({ row, ...detailsOf(reasons[row]) })) }
}

/** The reason that no worker's other attempt could change: it is set up wrongly, and must not answer at all. */
export function unfitness(rows: number, { reasons }: Answers): ZerothError | undefined {
  for (let row = 0; row < rows; row++) if (endsRun(reasons[row])) return reasons[row] as ZerothError
  return undefined
}

/** A job with failed rows ends as a failed job, whose reason people read up to the end of the line; the answer is behind it. */
export function failureText(answer: RowAnswer): string {
  const [first] = answer.failures ?? []
  return `${(first?.message ?? 'failed').replace(/\s+/g, ' ')} [${answer.worker}]\n${JSON.stringify(answer)}`
}

/** The answer inside the reason of a failed job; the reason itself where there is none. */
export function answerIn(failedReason: string): unknown {
  const text = failedReason.slice(failedReason.indexOf('\n') + 1)
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Puts the answer of a worker where it belongs; `by` names the worker as the queue knows it. What is no answer fails its
 * rows, and says who gave it.
 */
export function takeAnswer(given: unknown, first: number, rows: number, by: string, into: Answers): void {
  const values = valuesIn(given, rows)
  if (values === undefined) {
    const name = nameOf(given) ?? by
    const what = `worker ${name} answered nonsense: ${show(given)}; ${rows} values in base64 are needed`
    for (let row = first; row < first + rows; row++) recordFailure(into, row, new ZerothError('query-failed', what))
    return
  }
  const { worker, failures = [] } = given as RowAnswer
  values.forEach((value, i) => {
    into.values[first + i] = value
  })
  for (const { row, message, ...details } of failures) {
    if (!Number.isInteger(row) || row < 0 || row >= rows) continue
    recordFailure(into, first + row, new ZerothError('query-failed', `worker ${worker}: ${message}`, details))
  }
}

function detailsOf(reason: unknown): Omit<RowFailure, 'row'> {
  const message = (reason === undefined ? 'the query failed' : messageOf(reason)).slice(0, longest)
  if (!(reason instanceof ZerothError)) return { message }
  const { retryable, timedOut, unreached } = reason
  return { message, retryable, timedOut, unreached }
}

function valuesIn(given: unknown, rows: number): Float64Array | undefined {
  if (typeof given !== 'object' || given === null) return undefined
  const { values, worker, failures = [] } = given as Partial<RowAnswer>
  if (typeof values !== 'string' || typeof worker !== 'string' || !Array.isArray(failures)) return undefined
  const bytes = Uint8Array.from(Buffer.from(values, 'base64'))
  return bytes.byteLength === 8 * rows ? new Float64Array(bytes.buffer) : undefined
}

function nameOf(given: unknown): string | undefined {
  const { worker } = (typeof given === 'object' && given !== null ? given : {}) as Partial<RowAnswer>
  return typeof worker === 'string' ? worker.slice(0, 100) : undefined
}
