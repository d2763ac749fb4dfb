import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { untilAborted } from '../../../../optimizer/core/async.ts'
import { show, unpackError, ZerothError } from '../../../../optimizer/core/errors.ts'
import type { Attacked, Briefing, Executor, ScreenedImage } from '../../../../robustness/index.ts'
import { dropPayload, type Payload, payloadIn, takePayload } from '../../../executors/queue/payload.ts'
import { type JobEnd, openQueueClient, type QueueClient } from '../../../executors/queue/queue-client.ts'
import { jobId, runAddress, specKey } from '../../../executors/queue/queue-place.ts'
import { redisAddress } from '../../../executors/queue/redis-address.ts'
import { hashOf } from '../../../executors/queue/served.ts'
import { sentSpec, servedAttack } from '../../../spec/attack/index.ts'
import type { JsonObject } from '../../../spec/index.ts'
import { replaceSpec, writeWholeFile } from '../../../store/index.ts'
import { isRun } from '../../folders.ts'
import { imageFolder, layout } from '../attack-files.ts'
import type { ExecutorContext } from '../remote-attack.ts'
import { type ImageJob, type ImagePayload, imageJob, type RunFile, unpackImage } from './image-payload.ts'

/** What a spec says about its queue. */
interface QueueSettings {
  readonly url: never
  readonly name: string
  readonly prefix: string
  readonly patience: number
}

/** Times that an image is asked for at most, if answers are invalid or lost. */
const attempts = 5

/** Has images attacked by workers. An attack that has begun in this folder goes on here, where its journal is. */
export function queueExecutor(context: ExecutorContext, briefing: Briefing): Executor {
  const { folder, record, signal, notice, counted } = context
  const here = context.here(briefing)
  const { prefix, ...settings } = record.spec.queue as unknown as QueueSettings
  const run = runAddress(`${record.id} ${record.created}`)
  const sent = sentSpec(record.spec)
  const spec = hashOf(sent)
  let client: Promise<QueueClient> | undefined
  removePartialFiles(folder)

  const open = async (): Promise<QueueClient> => {
    const serves = await servedAttack(record.spec, context.model)
    const address = redisAddress(settings.url)
    return openQueueClient({ ...settings, prefix, kind: 'images', address, serves, run, notice, counted })
  }
  const opened = (): Promise<QueueClient> => {
    client ??= open()
    return client
  }
  const askFor = async ({ jobs }: QueueClient, id: string, job: ImageJob): Promise<JobEnd> => {
    const payload = (): Buffer => Buffer.from(JSON.stringify(sent))
    const onProgress = progressOf(job.image, context)
    const end = jobs.ask({ id, data: job, payload, sharedAt: specKey(prefix, spec), mayBeThere: true, onProgress })
    try {
      return await untilAborted(end, signal)
    } catch (error) {
      if (signal.aborted) await jobs.withdraw([id])
      throw error
    }
  }
  const attackAway = async (image: ScreenedImage): Promise<Attacked> => {
    const job = imageJob(image, briefing, context.addUnanswered(image.index, 0), spec)
    const hash = hashOf(job as unknown as JsonObject)
    const at = await opened()
    await at.untilServed(signal)
    let problem = ''
    for (let attempt = 0; attempt < attempts; attempt++) {
      const id = jobId(run, [image.index], hash, attempt)
      const end = await askFor(at, id, job)
      const taken = await untilAborted(receivePayload(at, prefix, { id, end, index: image.index }), signal)
      if (typeof taken !== 'string') return settle(context, at, prefix, image, { id, ...taken })
      problem = taken
      notice(`image ${image.index}: ${problem}; asked for again`)
    }
    throw new ZerothError('query-failed', `queue: ${problem}, ${attempts} times`)
  }
  return {
    attack: (image) => (isBegun(folder, image.index) ? here.attack(image) : attackAway(image)),
    close: async () => (await client?.catch(() => undefined))?.close(),
  }
}

interface Taken {
  readonly payload: Payload
  readonly content: ImagePayload
}

/** What a worker has sent home; in words where that is nothing of use. Throws where nobody else would fare better. */
async function receivePayload(
  { connection }: QueueClient,
  prefix: string,
  { id, end, index }: { readonly id: string; readonly end: JobEnd; readonly index: number },
): Promise<Taken | string> {
  if ('failed' in end) throw failureOf(end.failed)
  const { worker } = (end.value ?? {}) as { worker?: unknown }
  const name = typeof worker === 'string' ? `worker ${worker.slice(0, 100)}` : 'a worker of an unknown name'
  const payload = payloadIn(end.value)
  if (payload === undefined) return `${name} sent an invalid answer: ${show(end.value)}`
  const packed = await takePayload(connection.client, prefix, id, payload).catch((error: unknown) => {
    throw connection.failure(error)
  })
  if (packed === undefined) return `what ${name} sent home is gone, or is not what was sent`
  const content = await unpackImage(packed)
  const { record, error } = content ?? {}
  const isOther = record !== undefined && record.index !== index
  if (content !== undefined && !isOther && (record ?? error) !== undefined) return { payload, content }
  await dropPayload(connection.client, prefix, payload).catch(() => undefined)
  return isOther ? `${name} sent image ${record.index} instead` : `${name} sent an invalid payload`
}

/** Keeps the files of an image; the server forgets it then. */
async function settle(
  context: ExecutorContext,
  { jobs, connection }: QueueClient,
  prefix: string,
  { index }: ScreenedImage,
  { id, payload, content }: Taken & { readonly id: string },
): Promise<Attacked> {
  const { record, error, adversarial, files, lost, asked, retries } = content
  context.asked(asked)
  context.askedAgain(retries)
  context.addUnanswered(index, lost)
  keepReceivedFiles(context.folder, index, files, context.record.spec as JsonObject)
  await Promise.allSettled([dropPayload(connection.client, prefix, payload), jobs.withdraw([id])])
  if (record === undefined) throw unpackError(error ?? { message: 'nothing was said of how it ended' })
  if (adversarial === undefined) return { record, picture: undefined }
  const { pixels: original } = await context.dataset.read(index)
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
function progressOf({ index, title }: ScreenedImage, { onIteration, asked }: ExecutorContext): (said: unknown) => void {
  return (said) => {
    const at = (typeof said === 'object' && said !== null ? said : {}) as Record<string, unknown>
    const [iteration, queries, fooled, more] = ['iteration', 'queries', 'fooled', 'asked'].map((key) => at[key])
    const numbers = [iteration, queries, fooled, more]
    if (!numbers.every((each) => Number.isSafeInteger(each) && Number(each) >= 0)) return
    asked(Number(more))
    onIteration({ index, title, iteration: Number(iteration), queries: Number(queries), fooled: Number(fooled) })
  }
}

/** Ends the names of folders whose files are still being written. */
const unfinished = '.part'

/** Whether an attack on an image has begun in this folder: it goes on there. */
function isBegun(folder: string, index: number): boolean {
  return isRun(join(folder, imageFolder(index)))
}

/** Puts the files of a run that was made elsewhere where its image has them: all at once, or not at all. */
function keepReceivedFiles(folder: string, index: number, files: readonly RunFile[], spec: JsonObject): void {
  if (files.length === 0) return
  const final = join(folder, imageFolder(index))
  const part = `${final}${unfinished}`
  rmSync(part, { recursive: true, force: true })
  for (const { path, bytes } of files) {
    const file = join(part, path)
    mkdirSync(dirname(file), { recursive: true })
    writeWholeFile(file, bytes)
    // Workers are not told where the model is.
    if (path.endsWith('meta.json')) replaceSpec(dirname(file), (own) => ({ ...own, attack: spec }))
  }
  rmSync(final, { recursive: true, force: true })
  renameSync(part, final)
}

/** Removes what a process that was killed had not written to its end. */
function removePartialFiles(folder: string): void {
  const images = join(folder, layout.images)
  if (!existsSync(images)) return
  for (const name of readdirSync(images)) {
    if (name.endsWith(unfinished)) rmSync(join(images, name), { recursive: true, force: true })
  }
}
