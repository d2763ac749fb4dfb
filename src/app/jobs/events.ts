import { closeSync, existsSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { follow } from '../../optimizer/core/async.ts'
import type { Budget, HistoryRecord, QueueCounts } from '../../optimizer/core/types.ts'
import type { Value } from '../../optimizer/core/variable-types.ts'
import { milliseconds } from '../provenance/wall-clock.ts'
import { folderHolder, openOrdinary } from '../store/index.ts'
import { type JobKind, kindOf } from './folders.ts'

/** How a job ended this time. One that was interrupted is saved and can be resumed. */
export type JobEnd = 'finished' | 'interrupted' | 'failed'

/** A job has begun or has been resumed. The members of a series or a tuning name it as their parent. */
export interface Started {
  readonly type: 'started'
  readonly kind: JobKind
  readonly parent?: string | undefined
  /** Of a member: what people call it among the others, as in `seed 3 (4 of 5)`. */
  readonly title?: string | undefined
  readonly resumed: boolean
  readonly budget: Budget
}

/** How far a job is, in numbers: its events and its files tell the same. */
export interface JobCounts {
  readonly iterations?: number | undefined
  readonly queries?: number | undefined
  /** The lowest value; of a series or a tuning, that of any of its runs. */
  readonly best?: number | undefined
  /** Queries per second since the job was begun or resumed; 0 while that is unknown. */
  readonly rate?: number | undefined
  /** Milliseconds left at most, at this rate; undefined if nothing says when it ends. */
  readonly left?: number | undefined
  /** Of a job with several items: how many are done, of how many as far as that is known. */
  readonly items?: ItemCounts | undefined
}

/** How far a job is: at most ten times a second, and only the latest one waits to be read. */
export interface Progress extends JobCounts {
  readonly type: 'progress'
  readonly iterations: number
  readonly queries: number
  readonly value?: number | undefined
  /** The best point so far by name, where variables have names: the first 12 of them. */
  readonly variables?: Readonly<Record<string, Value>> | undefined
  /** The first 12 coordinates of the best point so far, where variables have no names. */
  readonly point?: readonly number[] | undefined
  /** What the job is doing, where it does several things in turn: of an evaluation `screening`, then `attacking` or `universal`. */
  readonly phase?: string | undefined
  readonly rate: number
  /** How much of the job is done, from 0 to 1, where that can be told. */
  readonly share?: number | undefined
  /** Milliseconds for which the model of an evaluation has not answered; undefined where it does. */
  readonly waiting?: number | undefined
  /** Of a job whose queries or images are handed out by way of a queue: who is there, and what is left to do. */
  readonly queue?: QueueCounts | undefined
  /** The iterations since the last progress, thinned to 64 at most. */
  readonly tail: readonly TimedRecord[]
}

/** An iteration, and how long the run had been at work by then. */
export interface TimedRecord extends HistoryRecord {
  readonly seconds: number
}

/** The items of an evaluation, a series or a tuning. */
export interface ItemCounts {
  readonly done: number
  readonly total: number
  /** Of an evaluation: images on which the model was fooled. */
  readonly fooled?: number | undefined
  readonly failed?: number | undefined
}

/** An image of an evaluation is done. */
export interface ItemDone {
  readonly type: 'item'
  /** The image's number in the data set. */
  readonly index: number
  readonly title: string
  readonly status: 'fooled' | 'robust' | 'skipped' | 'failed' | 'unfinished' | 'unconfirmed'
  readonly reason?: string | undefined
  readonly label?: number | undefined
  /** What its class is called, where classes have names. */
  readonly labelName?: string | undefined
  readonly predicted?: number | undefined
  readonly predictedName?: string | undefined
  readonly queries: number
  readonly l2?: number | undefined
  readonly linf?: number | undefined
  /** Whether the saved 8-bit picture still fools the model. */
  readonly holdsInBytes?: boolean | undefined
  /** Files below the folder of the job. */
  readonly pictures: readonly string[]
}

/** Something the user should know; the job continues. */
export interface Warning {
  readonly type: 'warning'
  /** `note`: worth a line in a log, no reason to worry. `queue`: who evaluates queries elsewhere has gone or is back. */
  readonly code: 'note' | 'queue' | 'model' | 'images' | 'settings' | 'result'
  readonly message: string
}

/** A job has ended for now. Its result is on disk, and in `Job.result`. */
export interface Finished {
  readonly type: 'finished'
  readonly status: JobEnd
  /** Why it stopped: a stop reason, or the message of a failure. */
  readonly reason: string
}

/** What happens, before it is stamped. */
export type EventBody = Started | Progress | ItemDone | Warning | Finished

/** Where and when it happened. */
interface Stamp {
  readonly v: 1
  /** The name of the job: that of its folder, behind the name of its parent where it has one. */
  readonly work: string
  /** Counts the events of a job from 0, without gaps. */
  readonly seq: number
  /** Milliseconds since 1970. */
  readonly at: number
}

/** Everything a terminal, a page, a queue or a program wants to know about a job in progress. Plain data, 16 kB at most. */
export type JobEvent = Stamp & EventBody

/** How a job is stopped from outside. */
export interface PerformControl {
  /** Saves the job and ends it, as Ctrl-C does. */
  readonly signal?: AbortSignal | undefined
}

/** Takes what happens in a job; returns at once, however slowly it is read. */
export type Emit = (work: string, happening: EventBody) => void

/** What takes a job to its end: emits what happens, stops and saves when the signal fires. */
export type JobBody = (emit: Emit, signal: AbortSignal) => Promise<void>

/** The file in a job's folder that asks its owner to stop. */
export const stopFile = 'stop'

/** Milliseconds between two checks for a request to stop. */
const stopInterval = 200

/** A job while it is performed, alone or as part of another: what it is called, whom it tells, what stops it. */
export interface JobContext {
  readonly job: string
  /** The job it is part of. */
  readonly parent?: string | undefined
  /** What people call it among the other parts. */
  readonly title?: string | undefined
  readonly emit: Emit
  readonly signal: AbortSignal
}

/**
 * The events of the owner of a job: as `eventsOf` has them, and it also stops the job when another process asks for it.
 */
export async function* jobEvents(
  folder: string,
  job: JobBody,
  { signal }: PerformControl = {},
): AsyncGenerator<JobEvent, void, void> {
  const asked = new AbortController()
  const unfollow = follow(signal, asked)
  const unwatch = onStopRequest(folder, () => asked.abort(new Error('stopped by request')))
  try {
    yield* eventsOf(job, { signal: asked.signal })
  } finally {
    unwatch()
    unfollow()
  }
}

/**
 * The events of a job, from its beginning to its end. The job never waits for its reader: progress that was not read is
 * replaced by newer progress, everything else is kept. Leaving the loop stops the job and waits until it is saved; a job
 * that fails rejects once its events have been read.
 */
export async function* eventsOf(job: JobBody, { signal }: PerformControl = {}): AsyncGenerator<JobEvent, void, void> {
  const stopping = new AbortController()
  const unfollow = follow(signal, stopping)
  const events = new EventQueue()
  const ended = job((work, happening) => events.add(work, happening), stopping.signal).then(
    () => events.end(),
    (error: unknown) => events.end({ error }),
  )
  try {
    for (;;) {
      const event = await events.next()
      if (event === undefined) return
      yield event
    }
  } finally {
    stopping.abort(new Error('the reader of its events left'))
    await ended
    unfollow()
  }
}

/** Calls back when a request to stop lies in a folder. One that an earlier process did not answer is forgotten. */
function onStopRequest(folder: string, stop: () => void): () => void {
  const file = join(folder, stopFile)
  rmSync(file, { force: true })
  const timer = setInterval(() => {
    if (existsSync(file)) stop()
  }, stopInterval)
  timer.unref()
  return () => {
    clearInterval(timer)
    rmSync(file, { force: true })
  }
}

/** Events that wait for their reader. They are numbered when they are read, so that merged progress leaves no gap. */
class EventQueue {
  #waiting: { readonly work: string; readonly at: number; readonly happening: EventBody }[] = []
  readonly #read = new Map<string, number>()
  #wake: () => void = () => undefined
  #end: { readonly error?: unknown } | undefined

  add(work: string, happening: EventBody): void {
    if (happening.type === 'progress') {
      this.#waiting = this.#waiting.filter((each) => each.work !== work || each.happening.type !== 'progress')
    }
    this.#waiting.push({ work, at: milliseconds(), happening })
    this.#wake()
  }

  end(end: { readonly error?: unknown } = {}): void {
    this.#end = end
    this.#wake()
  }

  /** The next event; undefined behind the last one. */
  async next(): Promise<JobEvent | undefined> {
    for (;;) {
      const next = this.#waiting.shift()
      if (next !== undefined) return this.#stamped(next)
      if (this.#end !== undefined) {
        if ('error' in this.#end) throw this.#end.error
        return undefined
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  #stamped({ work, at, happening }: { work: string; at: number; happening: EventBody }): JobEvent {
    const seq = this.#read.get(work) ?? 0
    this.#read.set(work, seq + 1)
    return { v: 1, work, seq, at, ...happening }
  }
}

/**
 * Asks the process that performs a job to save it and stop, as Ctrl-C would; it does so within a quarter of a second. A
 * member stops with the job it is part of. False where no process performs it: there is nothing to stop.
 */
export async function requestStop(folder: string): Promise<boolean> {
  const performed = performedFolder(resolve(folder))
  if (performed === undefined) return false
  const file = join(performed, stopFile)
  // Nothing is written to what has the name already: it may be a link.
  rmSync(file, { force: true })
  closeSync(openOrdinary(file, 'a+'))
  return true
}

/** The outermost folder whose process performs this one: the runs of an evaluation are two levels below it. */
function performedFolder(folder: string): string | undefined {
  const around = [folder, dirname(folder), dirname(dirname(folder))]
  return around.findLast((each) => kindOf(each) !== undefined && folderHolder(each) !== undefined)
}
