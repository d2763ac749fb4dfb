import { clearAnswers, makeAnswers, recordFailures } from '../core/answers.ts'
import type { ZerothError } from '../core/errors.ts'
import type { Output } from '../core/option-type.ts'
import { parseOptions } from '../core/parse-options.ts'
import type { Answers } from '../core/types.ts'
import type { Connection } from './connection.ts'
import type { ServeRowsOptions } from './queue-options.ts'
import { pointsKey } from './queue-place.ts'
import { redisAddress } from './redis-address.ts'
import { failureText, missingPoints, rowAnswer, unfitness } from './row-answer.ts'
import { payloadHash, pointsInside, rowQueries, type SentRowJob } from './row-job.ts'
import { type JobDoer, type JobWorker, serveJobs } from './serve-jobs.ts'
import { servedAs } from './served.ts'
import { serveRowsOptions } from './serving.ts'
import { HandBack, type HandedJob, JobFailed } from './worker-loop.ts'

/** A worker that evaluates rows of runs on any machine. */
export interface RowWorker extends JobWorker {
  /** How many jobs and rows it has answered. */
  readonly counts: { readonly jobs: number; readonly rows: number; readonly failed: number }
}

/** Evaluates the rows of runs on any machine until it is stopped. */
export async function serveRows(given: ServeRowsOptions): Promise<RowWorker> {
  const options = parseOptions('serveRows', serveRowsOptions, given)
  const serves = typeof options.serves === 'string' ? servedAs(options.serves) : options.serves
  const counts = { jobs: 0, rows: 0, failed: 0 }
  const worker = await serveJobs<SentRowJob>({
    ...options,
    kind: 'rows',
    address: redisAddress(options.url, 'serveRows.url'),
    serves,
    begin: (connection, name) => evaluator(options, connection, name, counts),
  })
  return { ...worker, counts }
}

type Options = Output<typeof serveRowsOptions>

/** Evaluates the rows of jobs, as long as the objective can be asked at all. */
function evaluator(
  { objective, prefix }: Options,
  { client }: Connection,
  name: string,
  counts: { jobs: number; rows: number; failed: number },
): JobDoer<SentRowJob> {
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
