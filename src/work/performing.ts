import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { follow } from '../core/on-abort.ts'
import { milliseconds } from '../provenance/wall-clock.ts'
import { folderHolder } from '../trace/index.ts'
import type { Happening, WorkEvent } from './events.ts'
import { kindOf } from './folders.ts'

/** How a work is stopped from outside. */
export interface PerformControl {
  /** Saves the work and ends it, as Ctrl-C does. */
  readonly signal?: AbortSignal | undefined
}

/** Takes what happens in a work; returns at once, however slowly it is read. */
export type Emit = (work: string, happening: Happening) => void

/** What takes a work to its end: emits what happens, stops and saves when the signal fires. */
export type Job = (emit: Emit, signal: AbortSignal) => Promise<void>

/** The file in a work's folder that asks its owner to stop. */
export const stopFile = 'stop'

/** Milliseconds between two checks for a request to stop. */
const stopInterval = 200

/** A work while it is performed, alone or as part of another: what it is called, whom it tells, what stops it. */
export interface Stage {
  readonly work: string
  /** The work it is part of. */
  readonly parent?: string | undefined
  /** What people call it among the other parts. */
  readonly title?: string | undefined
  readonly emit: Emit
  readonly signal: AbortSignal
}

/**
 * The events of the owner of a work: as `eventsOf` has them, and it also stops the job when another process asks for it.
 */
export async function* performing(
  folder: string,
  job: Job,
  { signal }: PerformControl = {},
): AsyncGenerator<WorkEvent, void, void> {
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
export async function* eventsOf(job: Job, { signal }: PerformControl = {}): AsyncGenerator<WorkEvent, void, void> {
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
  #waiting: { readonly work: string; readonly at: number; readonly happening: Happening }[] = []
  readonly #read = new Map<string, number>()
  #wake: () => void = () => undefined
  #end: { readonly error?: unknown } | undefined

  add(work: string, happening: Happening): void {
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
  async next(): Promise<WorkEvent | undefined> {
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

  #stamped({ work, at, happening }: { work: string; at: number; happening: Happening }): WorkEvent {
    const seq = this.#read.get(work) ?? 0
    this.#read.set(work, seq + 1)
    return { v: 1, work, seq, at, ...happening }
  }
}

/**
 * Asks the process that performs a work to save it and stop, as Ctrl-C would; it does so within a quarter of a second. A
 * member stops with the work it is part of. False where no process performs it: there is nothing to stop.
 */
export async function requestStop(folder: string): Promise<boolean> {
  const performed = performedFolder(resolve(folder))
  if (performed === undefined) return false
  writeFileSync(join(performed, stopFile), '')
  return true
}

/** The outermost folder whose process performs this one: the runs of an evaluation are two levels below it. */
function performedFolder(folder: string): string | undefined {
  const around = [folder, dirname(folder), dirname(dirname(folder))]
  return around.findLast((each) => kindOf(each) !== undefined && folderHolder(each) !== undefined)
}
