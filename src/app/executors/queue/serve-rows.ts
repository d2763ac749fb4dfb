import { clearAnswers, makeAnswers, recordFailures } from '../../../optimizer/core/answers.ts'
import type { ZerothError } from '../../../optimizer/core/errors.ts'
import {
  count,
  custom,
  functionThat,
  type Input,
  integerFrom,
  join,
  type Output,
  parseOptions,
  table,
  withDefault,
} from '../../../optimizer/core/options.ts'
import type { Answers, Objective } from '../../../optimizer/core/types.ts'
import type { Connection, QueuePackages } from './connection.ts'
import { lockOption, placeOptions, pointsKey } from './queue-place.ts'
import { redisAddress, redisUrlOption } from './redis-address.ts'
import {
  failureText,
  misconfiguration,
  missingPoints,
  payloadHash,
  pointsInside,
  rowAnswer,
  rowQueries,
  type SentRowJob,
} from './row-task.ts'
import { type HandedJob, type JobDoer, JobFailed, type JobWorker, RequeueError, serveJobs } from './serve-jobs.ts'
import { servedAs, servesOption } from './served.ts'

/** How rows of other machines' runs are evaluated here. */
const serveRowsOptions = join(
  table({
    /**
     * Address of Redis or Valkey, version 7 or later: redis:// or, with TLS, rediss://; { env: NAME } or { file: PATH } where
     * it holds a password.
     */
    url: redisUrlOption,
  }),
  placeOptions,
  table({
    /** What workers evaluate: a name that they and the run agree on, or what servedBy says of an objective. */
    serves: servesOption,
    /**
     * What is evaluated; a slow function belongs into threads (workersObjective) or a program, so that the worker can go
     * on saying that it is alive.
     */
    objective: custom<Objective>(
      (value) => typeof (value as Objective | null)?.evaluate === 'function',
      'must be an objective',
    ),
    /** Jobs evaluated at once. */
    concurrency: withDefault(count, 1),
    /**
     * Milliseconds after which a job goes to another worker when this one has not been heard of. At least 1; default
     * 6000.
     */
    lock: withDefault(integerFrom(1), lockOption.standard),
    /** Told what happens. Default () => void 0. */
    log: withDefault(functionThat<(line: string) => void>('must be a function of a line'), () => () => undefined),
  }),
)

/** Options of `serveRows`. */
export interface ServeRowsOptions extends Input<typeof serveRowsOptions> {}

/** A worker that evaluates rows of runs on any machine. */
export interface RowWorker extends JobWorker {
  /** How many jobs and rows it has answered. */
  readonly counts: { readonly jobs: number; readonly rows: number; readonly failed: number }
}

/** Evaluates the rows of runs on any machine until it is stopped. */
export async function serveRows(given: ServeRowsOptions, packages?: () => Promise<QueuePackages>): Promise<RowWorker> {
  const options = parseOptions('serveRows', serveRowsOptions, given)
  const serves = typeof options.serves === 'string' ? servedAs(options.serves) : options.serves
  const counts = { jobs: 0, rows: 0, failed: 0 }
  const worker = await serveJobs<SentRowJob>({
    ...options,
    kind: 'rows',
    address: redisAddress(options.url, 'serveRows.url'),
    serves,
    packages,
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
  const misconfigured = new Promise<ZerothError>((resolve) => {
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
    misconfigured,
    async perform(job) {
      const { rows } = job.data
      if (why !== undefined) throw new RequeueError(why.message)
      const answers = await answersTo(job).catch((error: unknown) => failedAnswers(error, rows))
      if (job.signal.aborted) throw new RequeueError('the worker is being stopped')
      why ??= misconfiguration(rows, answers)
      if (why !== undefined) {
        tell(why)
        throw new RequeueError(why.message)
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
