import { availableParallelism } from 'node:os'
import { recordFailure, recordFailures } from '../core/answers.ts'
import { ZerothError } from '../core/errors.ts'
import { askInPieces } from '../core/in-parallel.ts'
import { count, optional, positive, table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import { poolOf } from '../core/pool.ts'
import { wholeFrom } from '../core/schema.ts'
import type { Answers, ClosableObjective, Queries } from '../core/types.ts'
import { closable } from './closable.ts'
import { checkNames } from './named-points.ts'
import type { Reason, Task, TaskReply } from './workers/entry.ts'
import { moduleOptions, moduleUrl, shownModule } from './workers/load-function.ts'
import { makeSharedRows, type SharedRows, writeRows } from './workers/shared-rows.ts'
import { startThreads, type ThreadPool } from './workers/thread-pool.ts'

/** A function of a JavaScript module, called in threads of its own: it may be slow, hang or end its thread. */
export const workersObjective = definePart({
  kind: 'objective',
  name: 'workers',
  summary: 'A function exported by a JavaScript module, called in worker threads.',
  options: table({
    ...moduleOptions,
    workers: optional(wholeFrom(1, 1024), 'threads; one less than the machine has cores if left out'),
    batchSize: optional(count('points per call of a batched function at most; 16 if left out')),
    timeout: positive('milliseconds per point after which a call is ended', 60_000),
    setupTimeout: positive('milliseconds for a thread to load and set up the module', 60_000),
  }),
  examples: (dim) => [
    { dim, module: 'data:text/javascript,export default (x) => x.reduce((sum, v) => sum + v * v, 0)', workers: 2 },
  ],
  make: ({
    dim,
    names,
    module,
    export: name,
    data,
    batched,
    batchSize,
    workers,
    timeout,
    setupTimeout,
  }): ClosableObjective => {
    if (!batched && batchSize !== undefined) {
      throw new ZerothError('invalid-option', 'workers.batchSize does nothing without batched: true')
    }
    checkNames('workers', names, dim)
    const source = { url: moduleUrl(module), export: name, data, dim, names, batched }
    const threads = workers ?? Math.max(1, availableParallelism() - 1)
    const size = batched ? (batchSize ?? 16) : 1
    const { lend } = poolOf(Array.from({ length: threads }, (_, i) => i))
    let pool: ThreadPool | undefined
    let spare: SharedRows | undefined

    /** Answers a task; false where its thread did not get to its end and may still be writing. */
    const answer = async (task: Task, into: Answers, signal: AbortSignal): Promise<boolean> => {
      try {
        signal.throwIfAborted()
        pool ??= startThreads(threads, source, { timeout, setupTimeout })
        record(await pool.run(task, signal), task, into, source.url)
        return true
      } catch (error) {
        recordFailures(into, task.first, task.count, error)
        return false
      }
    }

    const evaluate = async (queries: Queries, into: Answers, stop: AbortController): Promise<void> => {
      const rows = spare !== undefined && spare.capacity >= queries.rows ? spare : makeSharedRows(queries.rows, dim)
      const { iteration } = queries.key
      spare = undefined
      writeRows(queries, rows)
      let allWell = true
      await askInPieces({ rows: queries.rows, size, width: threads, stop }, into, async (piece) => {
        const well = await lend(() => answer({ rows, ...piece, iteration }, into, stop.signal))
        allWell &&= well
      })
      if (allWell) spare = rows
    }

    const release = async (): Promise<void> => {
      const closing = pool
      pool = undefined
      await closing?.close()
    }

    return { dim, ...closable(evaluate, release) }
  },
})

function record({ reasons, unusable }: TaskReply, { rows, first, count }: Task, into: Answers, url: string): void {
  if (unusable !== undefined) {
    throw new ZerothError('invalid-objective', unusable.message, { cause: thrown(unusable), retryable: false })
  }
  for (let row = first; row < first + count; row++) {
    if (rows.failed[row] === 1) recordFailure(into, row, failureOf(reasons[row - first], url))
    else into.values[row] = rows.values[row] as number
  }
}

function failureOf(reason: Reason = { message: 'failed' }, url: string): ZerothError {
  return new ZerothError('query-failed', `workers: ${shownModule(url)}: ${reason.message}`, { cause: thrown(reason) })
}

/** What was thrown in another thread, with the stack it had there. */
function thrown({ message, stack }: Reason): Error | undefined {
  return stack === undefined ? undefined : Object.assign(new Error(message), { stack })
}
