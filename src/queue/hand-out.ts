import { recordFailures } from '../core/answers.ts'
import { ZerothError } from '../core/errors.ts'
import { askInPieces, type Piece } from '../core/in-parallel.ts'
import { untilAborted } from '../core/on-abort.ts'
import type { Answers, Queries } from '../core/types.ts'
import type { JobEnd } from './job-states.ts'
import type { JobsUnderWay } from './jobs-under-way.ts'
import { jobId } from './queue-place.ts'
import { answerIn, takeAnswer } from './row-answer.ts'
import { jobBytes, numberBytes, rowJob, sentJob } from './row-job.ts'

/** How the rows of a run become jobs. */
export interface HandingOut {
  readonly jobs: JobsUnderWay
  /** The run, as it stands in the addresses of its jobs. */
  readonly run: string
  readonly rowsPerJob: number
  /** Rows on the server at most. */
  readonly parallel: number
  /** How often a job of this iteration was asked for before. */
  readonly attempt: (job: string) => number
  /** Whether an earlier process of the run may have asked for these rows already. */
  readonly mayBeThere: boolean
}

/** Bytes of points on the server at once. */
const maxBytes = 268_435_456

/** Has the rows of an iteration evaluated elsewhere. What ends the run is thrown; jobs that nobody has begun are taken back. */
export async function handOut(how: HandingOut, queries: Queries, into: Answers, stop: AbortController): Promise<void> {
  const open = new Set<string>()
  let broken: unknown
  const ask = async (piece: Piece): Promise<void> => {
    try {
      const end = await askFor(how, queries, piece, open, stop.signal)
      record(end, piece, into)
    } catch (error) {
      if (!stop.signal.aborted) broken ??= error
      stop.abort(error)
      recordFailures(into, piece.first, piece.count, error)
    }
  }
  await askInPieces({ rows: queries.rows, size: how.rowsPerJob, width: widthOf(how, queries), stop }, into, ask)
  if (open.size > 0) await how.jobs.withdraw([...open])
  if (broken !== undefined) throw broken
}

/** The end of the job of some rows; its address is in `open` until then. */
async function askFor(
  { jobs, run, attempt, mayBeThere }: HandingOut,
  queries: Queries,
  { first, count }: Piece,
  open: Set<string>,
  signal: AbortSignal,
): Promise<JobEnd> {
  const job = rowJob(queries, first, count)
  const id = jobId(run, [queries.key.iteration, job.first], job.hash, attempt(`${job.first}-${job.hash}`))
  const { data, beside } = sentJob(job)
  open.add(id)
  // Not kept: the points of all jobs under way may be more than this process should hold.
  const payload = beside && ((): Buffer => rowJob(queries, first, count).payload)
  const end = await untilAborted(jobs.ask({ id, data, payload, mayBeThere }), signal)
  open.delete(id)
  return end
}

function record(end: JobEnd, { first, count }: Piece, into: Answers): void {
  const answer = 'value' in end ? end.value : answerIn(end.failed)
  if ('failed' in end && answer === undefined) recordFailures(into, first, count, lost(end.failed))
  else takeAnswer(answer, first, count, 'of an unknown name', into)
}

/** Jobs under way at most: by rows, and by what the server has to hold. */
function widthOf({ parallel, rowsPerJob }: HandingOut, queries: Queries): number {
  const bytes = jobBytes(rowsPerJob, queries.dim, numberBytes(queries))
  return Math.max(1, Math.min(Math.floor(parallel / rowsPerJob), Math.floor(maxBytes / bytes)))
}

/** A job that ended without an answer: the library gave it up. */
function lost(reason: string): ZerothError {
  const [line = ''] = reason.split('\n')
  const isStalled = line.includes('stalled')
  const what = isStalled ? 'every worker that had the job was lost: the query may be what kills them' : line
  return new ZerothError('query-failed', `queue: ${what}`)
}
