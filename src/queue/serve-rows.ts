import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { clearAnswers, makeAnswers, recordFailures } from '../core/answers.ts'
import { ZerothError } from '../core/errors.ts'
import type { Output } from '../core/option-type.ts'
import { parseOptions } from '../core/parse-options.ts'
import type { Answers } from '../core/types.ts'
import { type Announced, announce, announced, isMatch, servedText } from './announcements.ts'
import { type Connection, connect, soon } from './connection.ts'
import { listQueue } from './queue-list.ts'
import type { ServeRowsOptions } from './queue-options.ts'
import { checkLock, pointsKey, type QueuePlace, queueName } from './queue-place.ts'
import { redisAddress } from './redis-address.ts'
import { failureText, missingPoints, rowAnswer, unfitness } from './row-answer.ts'
import { payloadHash, pointsInside, rowQueries, type SentRowJob } from './row-job.ts'
import { servedAs } from './served.ts'
import { serveRowsOptions } from './serving.ts'
import { HandBack, type HandedJob, JobFailed, workerLoop } from './worker-loop.ts'

/** A worker that evaluates rows of runs on any machine. */
export interface RowWorker {
  /** The name under which it is announced. */
  readonly name: string
  /** Resolves when the worker has stopped by itself, because its objective cannot be evaluated here: with the reason. */
  readonly failed: Promise<ZerothError>
  /** How many jobs and rows it has answered. */
  readonly counts: { readonly jobs: number; readonly rows: number; readonly failed: number }
  /** Hands back what is under way and leaves. It may be called twice. The objective is not closed. */
  stop(): Promise<void>
}

/** Evaluates the rows of runs on any machine until it is stopped. */
export async function serveRows(given: ServeRowsOptions): Promise<RowWorker> {
  const options = parseOptions('serveRows', serveRowsOptions, given)
  checkLock(options.lock)
  const connection = await connect(redisAddress(options.url, 'serveRows.url'))
  try {
    return await begin(options, connection)
  } catch (error) {
    await connection.close()
    throw connection.failure(error)
  }
}

type Options = Output<typeof serveRowsOptions>

async function begin(options: Options, connection: Connection): Promise<RowWorker> {
  const { prefix, name: queue, lanes, lock, log } = options
  const serves = typeof options.serves === 'string' ? servedAs(options.serves) : options.serves
  const place = { prefix, name: queue }
  const name = `${hostname()}-${process.pid}-${randomBytes(2).toString('hex')}`
  const present = await announce(connection.client, { ...place, role: 'workers' }, { id: name, serves, lanes })
  await refuseOtherRuns(connection, place, present)
  const { shown } = connection.address
  connection.onLoss((reason) => log(`${shown} is gone (${reason}): waiting for it`))
  connection.onReturn(() => log(`${shown} is back`))
  const rows = evaluator(options, connection, name)
  const full = queueName('rows', place, serves)
  await listQueue(connection, prefix, full, serves)
  const loop = await workerLoop({ connection, prefix, name, lanes, lock, log, queue: full, perform: rows.perform })
  let stopped: Promise<void> | undefined
  const stop = (reason?: string): Promise<void> => {
    stopped ??= loop
      .stop()
      .then(() => (connection.lostFor() === 0 ? soon(present.leave(reason)) : undefined))
      .then(() => connection.close())
    return stopped
  }
  log(`${name} serves ${servedText(present.announcement)}`)
  log(`queue ${queue} at ${shown}, ${lanes} ${lanes === 1 ? 'job' : 'jobs'} at once`)
  const failed = rows.unfit.then((reason) => stop(reason.message).then(() => reason))
  return { name, counts: rows.counts, failed, stop: () => stop() }
}

/** A worker among runs that all ask for something else would wait in vain. */
async function refuseOtherRuns(connection: Connection, place: QueuePlace, own: Announced): Promise<void> {
  const { prefix, name } = place
  const runs = await announced(connection.client, prefix, name, 'runs')
  const [other] = runs
  if (other === undefined || runs.some((run) => isMatch(run, own.announcement))) return
  const asked = `the run ${other.id} on ${other.host} asks for ${servedText(other)}`
  const what = `${asked}, but this worker serves ${servedText(own.announcement)}`
  await own.leave(what)
  throw new ZerothError('invalid-option', `queue ${name} at ${connection.address.shown}: ${what}`)
}

interface Evaluator {
  readonly counts: RowWorker['counts']
  /** Why nothing can be evaluated here. */
  readonly unfit: Promise<ZerothError>
  perform(job: HandedJob<SentRowJob>): Promise<unknown>
}

/** Evaluates the rows of jobs, as long as the objective can be asked at all. */
function evaluator({ objective, prefix }: Options, { client }: Connection, name: string): Evaluator {
  const counts = { jobs: 0, rows: 0, failed: 0 }
  let why: ZerothError | undefined
  let tell: (reason: ZerothError) => void = () => undefined
  const unfit = new Promise<ZerothError>((resolve) => {
    tell = resolve
  })
  /** Points that were kept elsewhere are those of the job if the hash in its address says so. */
  const fetched = async ({ id, data }: HandedJob<SentRowJob>): Promise<Buffer> => {
    const payload = await client.getBuffer(pointsKey(prefix, id))
    if (payload === null || !id.includes(`-${payloadHash(data, payload)}`)) throw new JobFailed(missingPoints)
    return payload
  }
  const answersTo = async (job: HandedJob<SentRowJob>): Promise<Answers> => {
    const { data, signal } = job
    const payload = pointsInside(data) ?? (await fetched(job))
    if (data.dim !== objective.dim) {
      throw new JobFailed(`the run has ${data.dim} variables, the objective of worker ${name} has ${objective.dim}`)
    }
    const answers = makeAnswers(data.rows)
    clearAnswers(answers)
    await objective.evaluate(rowQueries(data, payload), answers, signal)
    return answers
  }
  return {
    counts,
    unfit,
    async perform(job) {
      const { rows } = job.data
      if (why !== undefined) throw new HandBack(why.message)
      const answers = await answersTo(job).catch((error: unknown) => failedAnswers(error, rows))
      if (job.signal.aborted) throw new HandBack('the worker is being stopped')
      why ??= unfitness(rows, answers)
      if (why !== undefined) {
        tell(why)
        throw new HandBack(why.message)
      }
      const answer = rowAnswer(name, rows, answers)
      counts.jobs++
      counts.rows += rows
      counts.failed += answer.failures?.length ?? 0
      if (answer.failures !== undefined) throw new JobFailed(failureText(answer))
      return answer
    },
  }
}

/** What an objective throws is why all its rows failed. */
function failedAnswers(error: unknown, rows: number): Answers {
  if (error instanceof JobFailed) throw error
  const answers = makeAnswers(rows)
  recordFailures(answers, 0, rows, error)
  return answers
}
