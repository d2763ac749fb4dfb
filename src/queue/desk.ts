import { ZerothError } from '../core/errors.ts'
import { onAbort } from '../core/on-abort.ts'
import type { QueueCounts } from '../core/types.ts'
import { type Announced, type Announcement, announce, announced, isMatch, servedText } from './announcements.ts'
import { type Connection, connect, soon } from './connection.ts'
import { type JobsUnderWay, jobsUnderWay } from './jobs-under-way.ts'
import { type JobKind, queueName } from './queue-place.ts'
import type { RedisAddress } from './redis-address.ts'
import type { Served } from './served.ts'

/** Where a run hands out its jobs. */
export interface Desk {
  readonly connection: Connection
  readonly jobs: JobsUnderWay
  /** Waits until there is a worker that serves what is asked for; refuses where there are only others. */
  untilServed(signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

/** What a desk is opened with. */
export interface DeskOptions {
  readonly kind: JobKind
  readonly address: RedisAddress
  readonly name: string
  readonly prefix: string
  readonly serves: Served
  readonly run: string
  readonly patience: number
  /** Says something to the user of the run. */
  readonly notice: (message: string) => void
  /** Told now and then who is there and what is left to do, while jobs are under way. */
  readonly counted: (counts: QueueCounts) => void
}

/** Milliseconds between two counts. */
const countAgain = 2000

/** Milliseconds between two looks for workers while there are none. */
const lookAgain = 250

/** Connects, says what is asked for, and opens the queue. */
export async function openDesk(options: DeskOptions): Promise<Desk> {
  const connection = await connect(options.address)
  try {
    return await setUp(connection, options)
  } catch (error) {
    await connection.close()
    throw connection.failure(error)
  }
}

async function setUp(connection: Connection, options: DeskOptions): Promise<Desk> {
  const { kind, prefix, name, serves, run, notice, address } = options
  const { client } = connection
  const own = await announce(client, { prefix, name, role: 'runs' }, { id: run, serves })
  let wasServed = false
  const workers = (): Promise<Announcement[]> => announced(client, prefix, name, 'workers')
  const isServing = (each: Announcement): boolean => each.left === undefined && isMatch(each, own.announcement)
  const look = async (): Promise<boolean> => {
    const present = await workers()
    if (present.some(isServing)) return true
    if (!wasServed) refuseOthers(present, own, options)
    return false
  }
  const tell = noticesOf(connection, notice, address)
  const jobs = await jobsUnderWay({
    ...{ kind, connection, prefix, serves, patience: options.patience },
    queue: queueName(kind, options, serves),
    onSilence: () =>
      void workers().then(
        (present) => tell.silence(present, own),
        () => undefined,
      ),
  })
  const count = async (): Promise<void> => {
    const counts = await jobs.counts()
    if (counts !== undefined) options.counted({ workers: (await workers()).filter(isServing).length, ...counts })
  }
  const counting = setInterval(() => void count().catch(() => undefined), countAgain)
  counting.unref()
  return {
    connection,
    jobs,
    async untilServed(signal) {
      while (!wasServed) {
        wasServed = await look()
        if (wasServed) return tell.served()
        tell.silence(await workers(), own)
        await pause(lookAgain, signal)
        signal.throwIfAborted()
      }
    },
    async close() {
      clearInterval(counting)
      await jobs.close()
      if (connection.lostFor() === 0) await soon(own.leave())
      await connection.close()
    },
  }
}

/** Workers that serve something else only: nobody will ever answer. */
function refuseOthers(present: readonly Announcement[], own: Announced, { name, address }: DeskOptions): void {
  const others = present.filter(({ left }) => left === undefined)
  const [other] = others
  if (other === undefined) return
  const more = others.length === 1 ? '' : ` and ${others.length - 1} more`
  const there = `${other.id}${more} serves ${servedText(other)}`
  const what = `the run asks for ${servedText(own.announcement)}, but ${there}`
  throw new ZerothError('invalid-objective', `queue ${name} at ${address.shown}: ${what}`)
}

/** Says each thing once until it has changed. */
function noticesOf(connection: Connection, notice: (message: string) => void, { shown }: RedisAddress) {
  let isWaiting = false
  connection.onLoss((reason) => notice(`${shown} is gone (${reason}): waiting for it`))
  connection.onReturn(() => notice(`${shown} is back`))
  return {
    silence(present: readonly Announcement[], own: Announced): void {
      const isServed = present.some((each) => each.left === undefined && isMatch(each, own.announcement))
      if (isServed) isWaiting = false
      if (isServed || isWaiting) return
      isWaiting = true
      const last = present.find((each) => each.left !== undefined && isMatch(each, own.announcement))
      const why = last === undefined ? '' : `; the last one, ${last.id}, left: ${last.left}`
      notice(`no worker at ${shown} serves ${servedText(own.announcement)}: waiting for one${why}`)
    },
    served(): void {
      isWaiting = false
    },
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds)
    const forget = onAbort(signal, done)
    function done(): void {
      clearTimeout(timer)
      forget()
      resolve()
    }
  })
}
