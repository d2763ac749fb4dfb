import { createHash } from 'node:crypto'
import { originalRow, recordFailure } from '../../../optimizer/core/answers.ts'
import { isFatal, messageOf, show, ZerothError } from '../../../optimizer/core/errors.ts'
import type { Answers, Queries } from '../../../optimizer/core/types.ts'

/** What a job says of its rows; the points themselves are under a key of their own. */
interface RowJobData {
  readonly seed: number
  readonly iteration: number
  readonly rows: number
  readonly centers: number
  readonly dim: number
  /** Bytes per number: float32 rows lose nothing in 4. */
  readonly bytes: 4 | 8
}

/** A job as it stands in the queue: small points are in it, in base64; others are under a key of their own. */
export interface SentRowJob extends RowJobData {
  readonly points?: string | undefined
}

/** Points of so many bytes travel inside their job: to fetch them would take longer than to send them. */
const inside = 2048

/** What goes into the queue, and what goes beside it. */
export function sentJob({ data, payload }: RowJob): { readonly data: SentRowJob; readonly beside: Buffer | undefined } {
  if (payload.byteLength > inside) return { data, beside: payload }
  return { data: { ...data, points: payload.toString('base64') }, beside: undefined }
}

/** The points that came inside a job. */
export function pointsInside({ points }: SentRowJob): Buffer | undefined {
  return points === undefined ? undefined : Buffer.from(points, 'base64')
}

/** Some rows of an iteration, ready to be sent. */
interface RowJob {
  readonly data: RowJobData
  /** The first row, as numbered in its iteration. */
  readonly first: number
  readonly payload: Buffer
  /** Of all that the answer depends on. */
  readonly hash: string
}

/** Bytes of a job at most: a server that is kept busy by one value answers nobody else. */
const maxJobBytes = 33_554_432

/** Bytes that the points of some rows need. */
export function jobBytes(rows: number, dim: number, bytes: number): number {
  return rows * (16 + dim * bytes)
}

/** Bytes per number of these queries. */
export function numberBytes({ precision }: Queries): 4 | 8 {
  return precision === 'float32' ? 4 : 8
}

/**
 * The points of some rows in binary: the numbers of the rows, their samples, then the points. A worker could make them from
 * (seed, iteration, row) only if it ran the solver as well: `Queries.write` needs the solver's state. So points travel.
 */
export function rowJob(queries: Queries, from: number, rows: number): RowJob {
  const { dim, key } = queries
  const bytes = numberBytes(queries)
  const size = jobBytes(rows, dim, bytes)
  if (size > maxJobBytes) throw tooLarge(rows, dim, size)
  const buffer = new ArrayBuffer(size)
  const addresses = new Float64Array(buffer, 0, 2 * rows)
  const points = bytes === 4 ? new Float32Array(buffer, 16 * rows) : new Float64Array(buffer, 16 * rows)
  for (let i = 0; i < rows; i++) {
    addresses[i] = originalRow(queries, from + i)
    addresses[rows + i] = queries.sample(from + i)
    queries.write(from + i, points, i * dim)
  }
  const centers = Math.max(0, Math.min(rows, queries.centers - from))
  const data: RowJobData = { seed: key.seed, iteration: key.iteration, rows, centers, dim, bytes }
  const payload = Buffer.from(buffer)
  return { data, first: addresses[0] as number, payload, hash: payloadHash(data, payload) }
}

/** The queries of a job, at a worker. Refuses a payload that is not the one the job was made with. */
export function rowQueries(data: RowJobData, payload: Buffer): Queries {
  const { rows, dim, bytes, seed, iteration, centers } = data
  if (payload.byteLength !== jobBytes(rows, dim, bytes)) {
    throw new ZerothError(
      'invalid-answers',
      `the points of the job have ${payload.byteLength} bytes, not the right number`,
    )
  }
  // A copy: numbers must begin at a multiple of their size.
  const { buffer } = Uint8Array.from(payload)
  const addresses = new Float64Array(buffer, 0, 2 * rows)
  const points = bytes === 4 ? new Float32Array(buffer, 16 * rows) : new Float64Array(buffer, 16 * rows)
  return {
    key: { seed, iteration },
    rows,
    dim,
    centers,
    precision: bytes === 4 ? 'float32' : 'float64',
    sample: (row) => addresses[rows + row] as number,
    original: (row) => addresses[row] as number,
    write: (row, into, offset = 0) => into.set(points.subarray(row * dim, (row + 1) * dim), offset),
  }
}

/** What the address of a job ends with. */
export function payloadHash(data: RowJobData, payload: Buffer): string {
  return createHash('sha256').update(JSON.stringify(data)).update(payload).digest('hex').slice(0, 16)
}

function tooLarge(rows: number, dim: number, size: number): ZerothError {
  const what = `queue: a job of ${rows} ${rows === 1 ? 'row' : 'rows'} with ${dim} variables has ${size} bytes`
  const advice = rows === 1 ? 'use precision float32, or fewer variables' : 'lower rowsPerJob'
  return new ZerothError('invalid-option', `${what}, at most ${maxJobBytes} can be sent: ${advice}`)
}

/** Why a row has no value, as it travels. */
interface RowFailure {
  readonly row: number
  readonly message: string
  readonly retryable?: boolean | undefined
  readonly timedOut?: boolean | undefined
  readonly unreached?: boolean | undefined
}

/** What a worker says of the rows of a job. Plain data, small. */
interface RowAnswer {
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
export function misconfiguration(rows: number, { reasons }: Answers): ZerothError | undefined {
  for (let row = 0; row < rows; row++) if (isFatal(reasons[row])) return reasons[row] as ZerothError
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
    const what = `worker ${name} sent an invalid answer: ${show(given)}; ${rows} values in base64 are needed`
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
