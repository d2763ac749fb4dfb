import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isFatal, messageOf, unpackError, ZerothError } from '../../../../optimizer/core/errors.ts'
import type { Dataset } from '../../../../robustness/images/index.ts'
import type { AttackProgress } from '../../../../robustness/index.ts'
import { batchedModel, type Model } from '../../../../robustness/models/index.ts'
import type { Connection } from '../../../executors/queue/connection.ts'
import { dropPayload, sendPayload } from '../../../executors/queue/payload.ts'
import { lockOption, specKey } from '../../../executors/queue/queue-place.ts'
import { redisAddress } from '../../../executors/queue/redis-address.ts'
import { missingPoints } from '../../../executors/queue/row-task.ts'
import {
  type HandedJob,
  type JobDoer,
  JobFailed,
  type JobWorker,
  RequeueError,
  serveJobs,
} from '../../../executors/queue/serve-jobs.ts'
import { hashOf } from '../../../executors/queue/served.ts'
import { machine, zerothVersion } from '../../../provenance/machine.ts'
import {
  compileAttack,
  type OpenedAttack,
  openAttackImages,
  receivedSpec,
  servedAttack,
} from '../../../spec/attack/index.ts'
import type { JsonObject } from '../../../spec/index.ts'
import { imageFolder } from '../attack-files.ts'
import { dropCheckpoints } from '../image-runs.ts'
import { remoteAttack } from '../remote-attack.ts'
import { isWorthAnother } from '../screening.ts'
import { type ImageJob, packImage } from './image-payload.ts'

/** What a worker attacks images of other machines with. */
export interface ServeImagesOptions {
  /** Its own copy of the model and the images. */
  readonly opened: Pick<OpenedAttack, 'model' | 'resolved' | 'retries'>
  readonly url: Parameters<typeof redisAddress>[0]
  readonly name?: string | undefined
  readonly prefix?: string | undefined
  /** A name for model and images that runs ask for, instead of their content. */
  readonly serves?: string | undefined
  readonly concurrency?: number | undefined
  readonly lock?: number | undefined
  readonly log?: ((line: string) => void) | undefined
}

/** A worker that attacks images of evaluations on any machine. */
export interface ImageWorker extends JobWorker {
  /** How many images it has attacked, and for how many of them that failed. */
  readonly counts: { readonly jobs: number; readonly failed: number }
}

/** Attacks the images of evaluations on any machine until it is stopped. The model is not closed. */
export async function serveImages(options: ServeImagesOptions): Promise<ImageWorker> {
  const { opened, url, name = 'default', prefix = 'zeroth', concurrency = 1, log = () => undefined } = options
  const { lock = lockOption.standard } = options
  const own = options.serves === undefined ? {} : { queue: { serves: options.serves } }
  const address = redisAddress(url, 'address')
  const serves = await servedAttack({ ...opened.resolved, ...own }, opened.model)
  const counts = { jobs: 0, failed: 0 }
  const worker = await serveJobs<ImageJob>({
    ...{ kind: 'images', address, name, prefix, serves, concurrency, lock, log },
    begin: (connection, self) => imageDoer({ opened, prefix, log, counts, connection, self }),
  })
  return { ...worker, counts }
}

interface Doing {
  readonly opened: ServeImagesOptions['opened']
  readonly prefix: string
  readonly log: (line: string) => void
  readonly counts: { jobs: number; failed: number }
  readonly connection: Connection
  readonly self: string
}

function imageDoer(doing: Doing): JobDoer<ImageJob> {
  const { opened, prefix, counts, connection, self } = doing
  const { client } = connection
  const specs = knownSpecs(doing)
  const model = batchedModel(opened.model)
  let toldRetries = opened.retries()
  let tell: (reason: ZerothError) => void = () => undefined
  const misconfigured = new Promise<ZerothError>((resolve) => {
    tell = resolve
  })
  const newRetries = (): number => {
    const retries = opened.retries() - toldRetries
    toldRetries += retries
    return retries
  }
  const attacked = async (job: HandedJob<ImageJob>, folder: string): Promise<Buffer> => {
    const { image, briefing, unanswered } = job.data
    const { record, dataset, known } = await specs(job.data.spec, model)
    const news = reporter(job, doing.log)
    const { signal } = job
    const attack = remoteAttack({ folder, record, model: known, dataset, briefing, signal }, news)
    const end = await attack(image, unanswered)
    if (signal.aborted) throw new RequeueError('the worker is being stopped')
    const error = end.error && unpackError(end.error)
    // Whoever cannot keep a run or ask its model is no help for any image.
    if (isFatal(error)) throw error
    const own = join(folder, imageFolder(image.index))
    if (end.attacked !== undefined && !isWorthAnother(end.attacked.record)) dropCheckpoints(own)
    if (end.attacked === undefined) counts.failed++
    return packImage(end, { asked: news.untold(), retries: newRetries() }, own)
  }
  const perform = async (job: HandedJob<ImageJob>): Promise<unknown> => {
    const folder = mkdtempSync(join(tmpdir(), 'zeroth-image-'))
    try {
      const packed = await attacked(job, folder)
      if (!(await job.isMine())) throw new RequeueError(lostToAnother)
      const payload = await sendPayload(client, prefix, job.id, packed).catch((error: unknown) => {
        throw new JobFailed(connection.failure(error).message)
      })
      const isLost = !(await job.isMine())
      if (isLost || job.signal.aborted) await dropPayload(client, prefix, payload)
      // Sending may take longer than a lock lasts.
      if (isLost) throw new RequeueError(lostToAnother)
      counts.jobs++
      return { worker: self, ...payload }
    } catch (error) {
      if (error instanceof RequeueError || error instanceof JobFailed || job.signal.aborted) throw error
      const why = error instanceof ZerothError ? error : new ZerothError('objective-failed', messageOf(error))
      tell(why)
      throw new RequeueError(why.message)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  return { misconfigured, perform }
}

/** Why an image is handed back that was lost. */
const lostToAnother = 'another worker has the image by now'

/** A spec that came with a job, and the images it means. */
interface KnownSpec {
  readonly record: { readonly spec: JsonObject; readonly machine: Record<string, string>; readonly zeroth: string }
  readonly dataset: Dataset
  /** The model with as many classes as the images have. */
  readonly known: Model
}

/** Specs that are kept ready at most. */
const most = 16

/** The specs of the attacks that jobs belong to, fetched once each. */
function knownSpecs({ opened, prefix, connection }: Doing): (hash: string, model: Model) => Promise<KnownSpec> {
  const found = new Map<string, Promise<KnownSpec>>()
  const fetched = async (hash: string, model: Model): Promise<KnownSpec> => {
    const text = await connection.client.get(specKey(prefix, hash))
    const sent = text === null ? undefined : (JSON.parse(text) as JsonObject)
    if (sent === undefined || hashOf(sent) !== hash) throw new JobFailed(missingPoints)
    const { dataset, known } = await openAttackImages(compileAttack(receivedSpec(sent, opened.resolved)), model)
    const made = { machine: { ...machine(), network: model.runtime }, zeroth: zerothVersion() }
    // What is sent home must not say where this worker has its model.
    return { record: { spec: sent, ...made }, dataset, known }
  }
  return (hash, model) => {
    const known = found.get(hash) ?? fetched(hash, model)
    known.catch(() => found.delete(hash))
    found.set(hash, known)
    const [oldest] = found.keys()
    if (found.size > most && oldest !== undefined) found.delete(oldest)
    return known
  }
}

/** Milliseconds between two reports of how far an image is. */
const interval = 500

/** Tells the run how far an image is, now and then. */
function reporter(job: HandedJob<ImageJob>, log: (line: string) => void) {
  let untold = 0
  let last = performance.now()
  return {
    asked(queries: number): void {
      untold += queries
    },
    note: (text: string): void => log(`job ${job.id}: ${text}`),
    iteration({ iteration, queries, fooled }: AttackProgress): void {
      if (performance.now() - last < interval) return
      last = performance.now()
      job.progress({ iteration, queries, fooled, asked: untold })
      untold = 0
    },
    untold: () => untold,
  }
}
