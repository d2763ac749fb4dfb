import { availableParallelism } from 'node:os'
import { hrtime } from 'node:process'
import { Tinypool } from 'tinypool'
import { askInPieces, recordFailure, recordFailures } from '../core/answers.ts'
import { callAfter, onAbort, poolOf } from '../core/async.ts'
import { messageOf, ZerothError } from '../core/errors.ts'
import { count, integerFrom, join, optional, positive, table, withDefault } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { Answers, ClosableObjective, Queries } from '../core/types.ts'
import { closable } from './closable.ts'
import { checkVariables } from './function.ts'
import type { Reason, Task, TaskReply, ThreadData } from './workers/entry.ts'
import { moduleOptions, moduleUrl, shownModule } from './workers/load-function.ts'
import { makeSharedRows, type SharedRows, writeRows } from './workers/shared-rows.ts'

/** A function of a JavaScript module, called in threads of its own: it may be slow, hang or end its thread. */
export const workersObjective = definePart({
  kind: 'objective',
  name: 'workers',
  summary: 'A function exported by a JavaScript module, called in worker threads.',
  options: join(
    moduleOptions,
    table({
      /** Threads; one less than the machine has cores if left out. At least 1 and at most 1024. */
      workers: optional(integerFrom(1, 1024)),
      /** Points per call of a batched function at most; 16 if left out. At least 1. */
      batchSize: optional(count),
      /** Milliseconds per point after which a call is ended. Above 0; default 60000. */
      timeout: withDefault(positive, 60_000),
      /** Milliseconds for a thread to load and set up the module. Above 0; default 60000. */
      setupTimeout: withDefault(positive, 60_000),
    }),
  ),
  examples: (dim) => [
    { dim, module: 'data:text/javascript,export default (x) => x.reduce((sum, v) => sum + v * v, 0)', workers: 2 },
  ],
  make: ({
    dim,
    variables,
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
    checkVariables('workers', variables, dim)
    const source = { url: moduleUrl(module), export: name, data, dim, variables: variables?.declared, batched }
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

/** How long threads may take, in milliseconds. */
export interface Limits {
  readonly timeout: number
  readonly setupTimeout: number
}

/** Threads that answer tasks, each on one at a time. */
export interface ThreadPool {
  /** Rejects where the thread died, took too long or was stopped; it is then replaced. */
  run(task: Task, signal: AbortSignal): Promise<TaskReply>
  close(): Promise<void>
}

interface Job {
  readonly task: Task
  fail(what: string, details?: { readonly retryable?: boolean; readonly timedOut?: boolean }): void
}

/** Milliseconds that threads are given to end: one inside a native call cannot be ended at all. */
const patience = 2000

/** Longer than any run: idle threads stay. */
const never = 2_147_483_647

/** Starts as many threads as are needed, up to `count`. Idle ones do not keep the program alive. */
export function startThreads(count: number, data: ThreadData, limits: Limits): ThreadPool {
  const jobs = new Set<Job>()
  const pool = newPool(count, data)
  const failAllOf = (thread: number, what: string): void => {
    const own = [...jobs].filter(({ task }) => Atomics.load(task.rows.threads, task.first) === thread)
    for (const job of own) job.fail(what)
  }
  // A thread that dies before it takes a task leaves the tasks waiting that it was started for.
  pool.on('error', (error: unknown) => failAllOf(0, `has no thread: ${messageOf(error)}`))
  const watchExits = exitWatcher(pool, failAllOf)

  const run = async (task: Task, signal: AbortSignal): Promise<TaskReply> => {
    const { job, failure, ended } = newJob(task, shownModule(data.url))
    const unfollow = onAbort(signal, () => job.fail(`was stopped: ${messageOf(signal.reason)}`, { retryable: false }))
    const stopClock = watchClock(job, limits)
    jobs.add(job)
    try {
      const answered = pool.run(task, { name: 'answerRows', signal: ended })
      watchExits()
      return (await Promise.race([answered, failure])) as TaskReply
    } finally {
      jobs.delete(job)
      stopClock()
      unfollow()
    }
  }

  return { run, close: () => Promise.race([pool.destroy(), wait(patience)]) }
}

function newPool(count: number, workerData: ThreadData): Tinypool {
  return new Tinypool({
    filename: new URL('./workers/entry.js', import.meta.url).href,
    workerData,
    minThreads: 0,
    maxThreads: count,
    idleTimeout: never,
    // Threads inherit the flags of the program; a text from the command line says how to read it, which a file refuses.
    ...(process.execArgv.some((flag) => flag.startsWith('--input-type')) ? { execArgv: [] } : {}),
  })
}

/** Watches threads that have started since the last call: the pool does not notice one that left by process.exit. */
function exitWatcher(pool: Tinypool, fail: (thread: number, what: string) => void): () => void {
  const seen = new WeakSet<object>()
  return () => {
    for (const thread of pool.threads.filter((each) => !seen.has(each))) {
      seen.add(thread)
      thread.once('exit', (code: number) => fail(thread.threadId, `ended its thread with exit code ${code}`))
    }
  }
}

/** A task as a job, the promise that rejects where it fails, and the signal that tells the pool to end its thread. */
function newJob(task: Task, module: string): { job: Job; failure: Promise<never>; ended: AbortSignal } {
  const end = new AbortController()
  let fail: (error: ZerothError) => void = () => undefined
  const failure = new Promise<never>((_, reject) => {
    fail = reject
  })
  const job: Job = {
    task,
    fail(what, details) {
      fail(new ZerothError('query-failed', `workers: ${module} ${what}`, details))
      end.abort()
    },
  }
  return { job, failure, ended: end.signal }
}

/** Fails a job whose function takes too long, or whose thread is not ready to call it in time. Returns how to stop. */
function watchClock(job: Job, { timeout, setupTimeout }: Limits): () => void {
  const { rows, first, count } = job.task
  const allowed = timeout * count
  const asked = now()
  let timer: ReturnType<typeof setTimeout> | undefined
  let isDone = false
  const look = (): void => {
    const began = rows.began[first] as number
    const left = began > 0 ? allowed - (now() - began) : setupTimeout - (now() - asked)
    if (isDone) return
    if (left > 0) lookAfter(began > 0 ? left : Math.min(left, allowed))
    else if (began > 0) job.fail(`did not answer within ${allowed} ms`, { timedOut: true })
    else job.fail(`was not loaded and set up within ${setupTimeout} ms`)
  }
  // An answer that is there already counts, even if this thread was too busy to read it.
  const lookAfter = (milliseconds: number): void => {
    timer = callAfter(milliseconds, () => setImmediate(look))
  }
  lookAfter(Math.min(allowed, setupTimeout))
  return () => {
    isDone = true
    clearTimeout(timer)
  }
}

/** The clock that all threads share. */
function now(): number {
  return Number(hrtime.bigint()) / 1e6
}

function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref())
}
