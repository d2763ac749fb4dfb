import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { onAbort } from '../../../optimizer/core/async.ts'
import { type CrewMember, crewMember } from '../../../optimizer/core/crew.ts'
import { messageOf, unpackError, ZerothError } from '../../../optimizer/core/errors.ts'
import type { Attacked, Briefing, Executor, RobustnessControl, ScreenedImage } from '../../../robustness/index.ts'
import { batchedModel, canBeProxied, type Model, modelFacts, modelServer } from '../../../robustness/models/index.ts'
import { isOnCard, isService } from '../../spec/attack/index.ts'
import type { JsonObject } from '../../spec/index.ts'
import type { AttackRequest, ThreadData, ThreadEvent, ThreadOrder } from './attack-thread.ts'
import type { ExecutorContext, RemoteAttackEnd } from './remote-attack.ts'

/**
 * Who attacks the images of an evaluation: workers on other machines if it has a queue, threads if they pay, otherwise
 * undefined, which is this thread.
 */
export async function executorFor(context: ExecutorContext): Promise<RobustnessControl['executor']> {
  const { spec } = context.record
  if (spec.queue !== undefined) {
    const { queueExecutor } = await import('./queue/queue-executor.ts')
    return (briefing) => queueExecutor(context, briefing)
  }
  const count = threadsFor(spec, context.model)
  if (count > 0) {
    return (briefing) => threadExecutor(count, { ...context, model: batchedModel(context.model) }, briefing)
  }
  if (Number(spec.threads) > 1) {
    const why = spec.universal === true ? 'one perturbation for all images' : 'a model that is no network'
    context.note(`threads: ${spec.threads} does nothing for ${why}`)
  }
  return undefined
}

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
  if (spec.universal === true || !canBeProxied(model) || threads === 1) return 0
  if (threads !== undefined) return threads
  const isElsewhere = isService(spec.model as JsonObject) || isOnCard(spec.model as JsonObject)
  const { channels, height, width } = model.shape
  const isWorthIt = isElsewhere && channels * height * width >= large && cores > 2
  return isWorthIt ? Math.min(cores - 1, parallel, most) : 0
}

/** What a thread runs. */
const threadProgram = new URL('./attack-thread.js', import.meta.url)

/** Starts threads that attack images. Each image is one thread's, and its result the same as in this thread. */
export function threadExecutor(
  count: number,
  context: ThreadContext,
  briefing: Briefing,
  program: URL = threadProgram,
): Executor {
  const threads = Array.from({ length: count }, () => startThread(context, briefing, program))
  return {
    attack(image) {
      const [idlest] = [...threads].sort((one, other) => one.member.pending - other.member.pending)
      return attackIn(idlest as AttackThread, context, image)
    },
    close: async () => void (await Promise.all(threads.map((each) => each.worker.terminate()))),
  }
}

/** What threads need to know of the evaluation. */
export type ThreadContext = Omit<ExecutorContext, 'here' | 'dataset' | 'askedAgain' | 'notice' | 'counted'>

/** A thread that attacks images. */
interface AttackThread {
  readonly worker: Worker
  readonly member: CrewMember<AttackRequest, RemoteAttackEnd>
}

function startThread(context: ThreadContext, briefing: Briefing, program: URL): AttackThread {
  const { folder, record, model, signal } = context
  const workerData: ThreadData = { folder, record, model: modelFacts(model), briefing }
  const worker = new Worker(program, { workerData, execArgv: [] })
  const tell = (order: ThreadOrder): void => worker.postMessage(order)
  const served = modelServer(model, tell)
  const unfollow = onAbort(signal, () => tell({ kind: 'stop' }))
  const member = crewMember<AttackRequest, RemoteAttackEnd>(worker, {
    onEvent: (event: ThreadEvent) => {
      if (event.kind === 'ask' || event.kind === 'withdraw') served.asked(event)
      else if (event.kind === 'iteration') context.onIteration(event.at)
      else if (event.kind === 'asked') context.asked(event.queries)
      else context.note(event.text)
    },
    died(reason) {
      unfollow()
      const why = 'error' in reason ? messageOf(reason.error) : `exit code ${reason.exitCode}`
      // An error that ends the evaluation: images would otherwise count as failed, which was not their fault.
      return new ZerothError('storage-failed', `a thread of the evaluation ended: ${why}; what it has saved is safe`)
    },
  })
  return { worker, member }
}

async function attackIn({ member }: AttackThread, context: ThreadContext, image: ScreenedImage): Promise<Attacked> {
  const { signal, addUnanswered } = context
  try {
    const end = await member.ask({ image, unanswered: addUnanswered(image.index, 0) })
    addUnanswered(image.index, end.unanswered)
    if (end.attacked !== undefined) return end.attacked
    throw unpackError(end.error ?? { message: 'nothing was said of how it ended' })
  } catch (error) {
    signal.throwIfAborted()
    throw error
  }
}
