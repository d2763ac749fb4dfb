import type { AttackImage, Briefing, RobustnessControl } from '../../attacks/index.ts'
import { coalesced } from '../../models/index.ts'
import { attackByQueue, type QueuedAttack, type QueuedImages } from './queue/attack-by-queue.ts'
import { type AttackThreads, startAttackThreads, type ThreadedAttack, threadsFor } from './threads/attack-threads.ts'

/** Images attacked beside this thread, as far as there are any. */
interface Beside {
  readonly control: Pick<RobustnessControl, 'elsewhere'>
  close(): Promise<void>
}

/** What images are attacked for, wherever that is. */
type BesideWork = ThreadedAttack &
  Omit<QueuedAttack, 'here'> & {
    /** Attacks images in this thread. */
    readonly here: (briefing: Briefing) => AttackImage
  }

/** Has images attacked by workers on other machines where there is a queue, or in other threads where that pays. */
export function attackBeside(work: BesideWork): Beside {
  return work.record.spec.queue === undefined ? inThreads(work) : byQueue(work)
}

function byQueue(work: BesideWork): Beside {
  let queued: QueuedImages | undefined
  const elsewhere = (briefing: Briefing): AttackImage => {
    queued = attackByQueue({ ...work, here: work.here(briefing) }, briefing)
    return queued.attack
  }
  return { control: { elsewhere }, close: async () => queued?.close() }
}

function inThreads(work: ThreadedAttack): Beside {
  const { spec } = work.record
  const count = threadsFor(spec, work.model)
  if (count === 0 && Number(spec.threads) > 1) {
    const why = spec.universal === true ? 'one perturbation for all images' : 'a model that is no network'
    work.note(`threads: ${spec.threads} does nothing for ${why}`)
  }
  let threads: AttackThreads | undefined
  const elsewhere = (briefing: Briefing): AttackImage => {
    threads = startAttackThreads(count, { ...work, model: coalesced(work.model) }, briefing)
    return threads.attack
  }
  return { control: count === 0 ? {} : { elsewhere }, close: async () => threads?.close() }
}
