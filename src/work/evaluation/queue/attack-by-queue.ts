import type { Attacked, AttackImage, AttackProgress, Briefing, Screened } from '../../../attacks/index.ts'
import { unpackError } from '../../../core/carried-error.ts'
import { show, ZerothError } from '../../../core/errors.ts'
import { untilAborted } from '../../../core/on-abort.ts'
import type { QueueCounts } from '../../../core/types.ts'
import type { Dataset } from '../../../datasets/index.ts'
import type { Model } from '../../../models/index.ts'
import { type Desk, openDesk } from '../../../queue/desk.ts'
import type { JobEnd } from '../../../queue/job-states.ts'
import { dropParcel, type Parcel, parcelIn, takeParcel } from '../../../queue/parcel.ts'
import { jobId, runAddress, specKey } from '../../../queue/queue-place.ts'
import { redisAddress } from '../../../queue/redis-address.ts'
import { hashOf } from '../../../queue/served.ts'
import { sentSpec, servedAttack } from '../../../spec/attack/index.ts'
import type { JsonObject } from '../../../spec/index.ts'
import type { AttackRecord } from '../attack-record.ts'
import { isBegun, keepFiles, sweepFiles } from './home-files.ts'
import { type ImageJob, imageJob } from './image-job.ts'
import { type ImageParcel, openParcel } from './image-parcel.ts'

/** What images are handed out for. */
export interface QueuedAttack {
  readonly folder: string
  readonly record: AttackRecord
  readonly model: Model
  readonly dataset: Dataset
  readonly signal: AbortSignal
  readonly asked: (queries: number) => void
  readonly askedAgain: (images: number) => void
  readonly onIteration: (at: AttackProgress) => void
  /** Adds queries that were asked in vain to those of an image; returns all. */
  readonly lost: (index: number, queries: number) => number
  /** Tells of servers and workers that go and come back. */
  readonly notice: (message: string) => void
  /** Told now and then who is there and what is left to do. */
  readonly counted: (counts: QueueCounts) => void
  /** Attacks an image in this process. */
  readonly here: AttackImage
}

/** Images that workers on other machines attack. */
export interface QueuedImages {
  readonly attack: AttackImage
  /** Takes back what no worker has begun; what is under way is kept for whoever resumes. */
  close(): Promise<void>
}

/** What a spec says about its queue. */
interface QueueSettings {
  readonly url: never
  readonly name: string
  readonly prefix: string
  readonly patience: number
}

/** Times that an image is asked for at most, where answers are nonsense or lost. */
const attempts = 5

/** Has images attacked by workers. An attack that has begun in this folder goes on here, where its journal is. */
export function attackByQueue(work: QueuedAttack, briefing: Briefing): QueuedImages {
  const { folder, record, signal, notice, counted, here } = work
  const { prefix, ...settings } = record.spec.queue as unknown as QueueSettings
  const run = runAddress(`${record.id} ${record.created}`)
  const sent = sentSpec(record.spec)
  const spec = hashOf(sent)
  let desk: Promise<Desk> | undefined
  sweepFiles(folder)

  const open = async (): Promise<Desk> => {
    const serves = await servedAttack(record.spec, work.model)
    const address = redisAddress(settings.url)
    return openDesk({ ...settings, prefix, kind: 'images', address, serves, run, notice, counted })
  }
  const opened = (): Promise<Desk> => {
    desk ??= open()
    return desk
  }
  const askFor = async ({ jobs }: Desk, id: string, job: ImageJob): Promise<JobEnd> => {
    const payload = (): Buffer => Buffer.from(JSON.stringify(sent))
    const onProgress = progressOf(job.image, work)
    const end = jobs.ask({ id, data: job, payload, sharedAt: specKey(prefix, spec), mayBeThere: true, onProgress })
    try {
      return await untilAborted(end, signal)
    } catch (error) {
      if (signal.aborted) await jobs.withdraw([id])
      throw error
    }
  }
  const attackAway = async (image: Screened): Promise<Attacked> => {
    const job = imageJob(image, briefing, work.lost(image.index, 0), spec)
    const hash = hashOf(job as unknown as JsonObject)
    const at = await opened()
    await at.untilServed(signal)
    let problem = ''
    for (let attempt = 0; attempt < attempts; attempt++) {
      const id = jobId(run, [image.index], hash, attempt)
      const end = await askFor(at, id, job)
      const taken = await untilAborted(takeHome(at, prefix, { id, end, index: image.index }), signal)
      if (typeof taken !== 'string') return settle(work, at, prefix, image, { id, ...taken })
      problem = taken
      notice(`image ${image.index}: ${problem}; asked for again`)
    }
    throw new ZerothError('query-failed', `queue: ${problem}, ${attempts} times`)
  }
  return {
    attack: (image) => (isBegun(folder, image.index) ? here(image) : attackAway(image)),
    close: async () => (await desk?.catch(() => undefined))?.close(),
  }
}

interface Taken {
  readonly parcel: Parcel
  readonly content: ImageParcel
}

/** What a worker has sent home; in words where that is nothing of use. Throws where nobody else would fare better. */
async function takeHome(
  { connection }: Desk,
  prefix: string,
  { id, end, index }: { readonly id: string; readonly end: JobEnd; readonly index: number },
): Promise<Taken | string> {
  if ('failed' in end) throw failureOf(end.failed)
  const { worker } = (end.value ?? {}) as { worker?: unknown }
  const name = typeof worker === 'string' ? `worker ${worker.slice(0, 100)}` : 'a worker of an unknown name'
  const parcel = parcelIn(end.value)
  if (parcel === undefined) return `${name} answered nonsense: ${show(end.value)}`
  const packed = await takeParcel(connection.client, prefix, id, parcel).catch((error: unknown) => {
    throw connection.failure(error)
  })
  if (packed === undefined) return `what ${name} sent home is gone, or is not what was sent`
  const content = await openParcel(packed)
  const { record, error } = content ?? {}
  const isOther = record !== undefined && record.index !== index
  if (content !== undefined && !isOther && (record ?? error) !== undefined) return { parcel, content }
  await dropParcel(connection.client, prefix, parcel).catch(() => undefined)
  return isOther ? `${name} sent home image ${record.index}` : `${name} sent home nonsense`
}

/** Keeps the files of an image; the server forgets it then. */
async function settle(
  work: QueuedAttack,
  { jobs, connection }: Desk,
  prefix: string,
  { index }: Screened,
  { id, parcel, content }: Taken & { readonly id: string },
): Promise<Attacked> {
  const { record, error, adversarial, files, lost, asked, retries } = content
  work.asked(asked)
  work.askedAgain(retries)
  work.lost(index, lost)
  keepFiles(work.folder, index, files, work.record.spec as JsonObject)
  await Promise.allSettled([dropParcel(connection.client, prefix, parcel), jobs.withdraw([id])])
  if (record === undefined) throw unpackError(error ?? { message: 'nothing was said of how it ended' })
  if (adversarial === undefined) return { record, picture: undefined }
  const { pixels: original } = await work.dataset.read(index)
  return { record, picture: { original, adversarial } }
}

/** A job that ended without an answer. */
function failureOf(reason: string): ZerothError {
  const [line = ''] = reason.split('\n')
  if (!line.includes('stalled')) return new ZerothError('unreachable', `queue: ${line}`)
  const what = 'every worker that had the image was lost: it may be what kills them'
  return new ZerothError('query-failed', `queue: ${what}`)
}

/** Tells how far a worker is, where that is what it says. */
function progressOf({ index, title }: Screened, { onIteration, asked }: QueuedAttack): (said: unknown) => void {
  return (said) => {
    const at = (typeof said === 'object' && said !== null ? said : {}) as Record<string, unknown>
    const [iteration, queries, fooled, more] = ['iteration', 'queries', 'fooled', 'asked'].map((key) => at[key])
    const numbers = [iteration, queries, fooled, more]
    if (!numbers.every((each) => Number.isSafeInteger(each) && Number(each) >= 0)) return
    asked(Number(more))
    onIteration({ index, title, iteration: Number(iteration), queries: Number(queries), fooled: Number(fooled) })
  }
}
