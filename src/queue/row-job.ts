import { createHash } from 'node:crypto'
import { ZerothError } from '../core/errors.ts'
import { originalRow } from '../core/some-rows.ts'
import type { Queries } from '../core/types.ts'

/** What a job says of its rows; the points themselves are under a key of their own. */
export interface RowJobData {
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
export interface RowJob {
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
