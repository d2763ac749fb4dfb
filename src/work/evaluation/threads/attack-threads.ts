import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Attacked, AttackImage, AttackProgress, Briefing } from '../../../attacks/index.ts'
import { unpackError } from '../../../core/carried-error.ts'
import { messageOf, ZerothError } from '../../../core/errors.ts'
import { onAbort } from '../../../core/on-abort.ts'
import { canBeLent, factsOf, type Model, type ServedModel, servedModel } from '../../../models/index.ts'
import { isOnCard, isService } from '../../../spec/attack/index.ts'
import type { JsonObject } from '../../../spec/index.ts'
import type { AttackRecord } from '../attack-record.ts'
import type { AttackEnded, ThreadData, ThreadNews, ThreadOrder } from './attack-thread.ts'

/** Values of an image from which on making one takes longer than telling another thread of it. */
const large = 20_000

/** Threads at most, unless more are asked for: one that sends has more than enough to do with so many. */
const most = 8

/**
 * Threads that attack images beside this one, which asks the model; 0 where this one does it all. They pay where images
 * are large and the model is not computed by the same cores.
 */
export function threadsFor(spec: JsonObject, model: Model, cores: number = availableParallelism()): number {
  const { threads, parallel = most } = spec as { readonly threads?: number; readonly parallel?: number }
  if (spec.universal === true || !canBeLent(model) || threads === 1) return 0
  if (threads !== undefined) return threads
  const isElsewhere = isService(spec.model as JsonObject) || isOnCard(spec.model as JsonObject)
  const { channels, height, width } = model.shape
  const isWorthIt = isElsewhere && channels * height * width >= large && cores > 2
  return isWorthIt ? Math.min(cores - 1, parallel, most) : 0
}

/** What the threads of an evaluation work for. */
export interface ThreadedAttack {
  readonly folder: string
  readonly record: AttackRecord
  /** The model, which this thread asks for all of them. */
  readonly model: Model
  readonly signal: AbortSignal
  readonly asked: (queries: number) => void
  readonly note: (text: string) => void
  readonly onIteration: (at: AttackProgress) => void
  /** Adds queries that were asked in vain to those of an image; returns all. */
  readonly lost: (index: number, queries: number) => number
}

/** Threads at work. */
export interface AttackThreads {
  readonly attack: AttackImage
  /** Ends the threads; nothing is under way then. */
  close(): Promise<void>
}

/** What a thread runs. */
const threadProgram = new URL('./attack-thread.js', import.meta.url)

/** Starts threads that attack images. Each image is one thread's, and its result the same as in this thread. */
export function startAttackThreads(
  count: number,
  work: ThreadedAttack,
  briefing: Briefing,
  program: URL = threadProgram,
): AttackThreads {
  const threads = Array.from({ length: count }, () => startThread(work, briefing, program))
  return {
    attack(image) {
      const [idlest] = [...threads].sort((one, other) => one.underWay.size - other.underWay.size)
      return (idlest as Thread).attack(image)
    },
    close: async () => void (await Promise.all(threads.map((each) => each.worker.terminate()))),
  }
}

/** A thread and the images it is at work on. */
interface Thread {
  readonly worker: Worker
  readonly underWay: Map<number, { done(attacked: Attacked): void; fail(reason: unknown): void }>
  readonly attack: AttackImage
}

function startThread(work: ThreadedAttack, briefing: Briefing, program: URL): Thread {
  const { folder, record, model, signal } = work
  const workerData: ThreadData = { folder, record, model: factsOf(model), briefing }
  const worker = new Worker(program, { workerData, execArgv: [] })
  const tell = (order: ThreadOrder): void => worker.postMessage(order)
  const served = servedModel(model, tell)
  const underWay: Thread['underWay'] = new Map()
  const unfollow = onAbort(signal, () => tell({ kind: 'stop' }))
  let problem: ZerothError | undefined
  const fail = (why: string): void => {
    unfollow()
    // An error that ends the evaluation: images would otherwise count as failed, which was not their fault.
    problem ??= new ZerothError('storage-failed', `a thread of the evaluation ended: ${why}; what it has saved is safe`)
    for (const { fail } of underWay.values()) fail(problem)
    underWay.clear()
  }
  worker.on('error', (error) => fail(messageOf(error)))
  worker.on('exit', (code) => fail(`exit code ${code}`))
  worker.on('message', (news: ThreadNews) => hear(news, work, served, underWay))

  const attack: AttackImage = (image) =>
    new Promise<Attacked>((done, reject) => {
      if (problem !== undefined) throw problem
      const settled = (): void => {
        if (underWay.size === 0) worker.unref()
      }
      underWay.set(image.index, {
        done(attacked) {
          settled()
          done(attacked)
        },
        fail(reason) {
          settled()
          reject(signal.aborted ? signal.reason : reason)
        },
      })
      worker.ref()
      tell({ kind: 'attack', image, lost: work.lost(image.index, 0) })
    })
  return { worker, underWay, attack }
}

function hear(news: ThreadNews, work: ThreadedAttack, served: ServedModel, underWay: Thread['underWay']): void {
  if (news.kind === 'ask' || news.kind === 'withdraw') served.asked(news)
  else if (news.kind === 'iteration') work.onIteration(news.at)
  else if (news.kind === 'asked') work.asked(news.queries)
  else if (news.kind === 'note') work.note(news.text)
  else conclude(news, work, underWay)
}

function conclude(
  { index, lost, attacked, error }: AttackEnded,
  work: ThreadedAttack,
  underWay: Thread['underWay'],
): void {
  const waiting = underWay.get(index)
  underWay.delete(index)
  work.lost(index, lost)
  if (attacked !== undefined) waiting?.done(attacked)
  else waiting?.fail(unpackError(error ?? { message: 'nothing was said of how it ended' }))
}
