import { ZerothError } from './errors.ts'

/** Whether a value must be waited for. */
export function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function'
}

/** Goes on once the work is done: at once where nothing has to be waited for, so that what is synchronous stays so. */
export function andThen(work: void | Promise<void>, next: () => void | Promise<void>): void | Promise<void> {
  return work === undefined ? next() : work.then(next)
}

/** Does the work and, whatever becomes of it, `last` after it. */
export function andFinally(work: () => void | Promise<void>, last: () => void): void | Promise<void> {
  let begun: void | Promise<void>
  try {
    begun = work()
  } catch (error) {
    last()
    throw error
  }
  return begun === undefined ? last() : begun.finally(last)
}

/** Takes one step after the other until `take` has none left. Makes no promise as long as no step does. */
export function forEachAsync(
  take: () => number | undefined,
  step: (item: number) => void | Promise<void>,
): void | Promise<void> {
  for (let item = take(); item !== undefined; item = take()) {
    const work = step(item)
    if (work !== undefined) return finish(work, take, step)
  }
  return undefined
}

/** A loop and no chain: a chain of promises would grow with the number of steps. */
async function finish(
  work: Promise<void>,
  take: () => number | undefined,
  step: (item: number) => void | Promise<void>,
): Promise<void> {
  await work
  for (let item = take(); item !== undefined; item = take()) {
    const next = step(item)
    if (next !== undefined) await next
  }
}

/** What does work one after the other, in the order in which it came; work that fails holds nobody up. */
export function serialize(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const own = last.then(work)
    last = own.catch(() => undefined)
    return own
  }
}

/** Things of which everyone who needs one gets one, in turn. */
export interface Pool<T> {
  /** One that is free, at once or as soon as it is given back. */
  take(): T | Promise<T>
  give(thing: T): void
  /** Lends one for the time of some work, however that ends. */
  lend<R>(work: (thing: T) => Promise<R>): Promise<R>
  /** Settles once all of them are back. They are then out for good. */
  drain(): Promise<void>
}

/** A pool of these things: who comes first is served first, with what was given back last. */
export function poolOf<T>(things: readonly T[]): Pool<T> {
  const free = [...things]
  const waiting: ((thing: T) => void)[] = []
  const take = (): T | Promise<T> =>
    free.length > 0 ? (free.shift() as T) : new Promise<T>((resolve) => waiting.push(resolve))
  const give = (thing: T): void => {
    const next = waiting.shift()
    if (next === undefined) free.unshift(thing)
    else next(thing)
  }
  return {
    take,
    give,
    async lend(work) {
      const thing = await take()
      try {
        return await work(thing)
      } finally {
        give(thing)
      }
    },
    async drain() {
      await Promise.all(things.map(take))
    },
  }
}

/** Milliseconds after which whoever keeps the thread lets timers, signals and the page have their turn. */
const breathAfter = 50

/** Calls shorter than this in milliseconds need not be timed one by one. */
const shortCall = 1

/** Short calls between two looks at the clock. */
const untimed = 7

/** Returns a promise to wait for where the thread was kept for long, otherwise undefined. */
export type Yielder = () => Promise<void> | undefined

/** After everything that is ready to run now has run; in a browser, timers are all there is. */
export const later: (call: () => void) => unknown =
  (globalThis as { setImmediate?: (call: () => void) => unknown }).setImmediate ?? setTimeout

/** Breathes by this clock, in milliseconds. */
export function makeYielder(clock: () => number): Yielder {
  let breathed = clock()
  return () => {
    if (clock() - breathed <= breathAfter) return undefined
    return new Promise((resolve) => {
      later(() => {
        breathed = clock()
        resolve()
      })
    })
  }
}

/** A breather to call after every row: it looks at the clock each time only where rows take long. */
export function makeRowYielder(clock: () => number): Yielder {
  const breathe = makeYielder(clock)
  let seen = clock()
  let toSkip = 0
  return () => {
    if (toSkip-- > 0) return undefined
    const now = clock()
    toSkip = now - seen < shortCall ? untimed : 0
    seen = now
    return breathe()
  }
}

/** Whoever gave a signal waits for what it asks; without a breath now and then, its signal could never fire. */
const yielders = new WeakMap<AbortSignal, Yielder>()

/** Says that the owner of this signal can wait, so that what it asks may breathe. */
export function attachYielder(signal: AbortSignal, breathe: Yielder | undefined): void {
  if (breathe !== undefined) yielders.set(signal, breathe)
}

/** How to breathe between rows that were asked with this signal; undefined where the asker cannot wait. */
export function yielderOf(signal: AbortSignal | undefined): Yielder | undefined {
  return signal && yielders.get(signal)
}

interface Listeners {
  readonly callbacks: Set<() => void>
  readonly leave: () => void
}

const listening = new WeakMap<AbortSignal, Listeners>()

/**
 * Calls back when the signal fires, at once where it has fired. Returns how to stop listening, which leaves nothing
 * behind. However many wait for a signal, it has one listener: Node takes the eleventh for a leak and says so.
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal === undefined) return () => undefined
  if (signal.aborted) {
    callback()
    return () => undefined
  }
  const { callbacks, leave } = listening.get(signal) ?? listen(signal)
  // A function of its own, so that the same callback can wait twice.
  const own = (): void => callback()
  callbacks.add(own)
  return () => {
    if (callbacks.delete(own) && callbacks.size === 0) leave()
  }
}

/** Lets a controller fire when the signal does, for the same reason. Returns how to stop that. */
export function follow(signal: AbortSignal | undefined, controller: AbortController): () => void {
  attachYielder(controller.signal, yielderOf(signal))
  return onAbort(signal, () => controller.abort(signal?.reason))
}

/** What work comes to, or the signal's reason as soon as it fires: the work is then left to itself. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let forget: () => void = () => undefined
  const aborted = new Promise<never>((_, reject) => {
    forget = onAbort(signal, () => reject(signal.reason))
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    forget()
    work.catch(() => undefined)
  }
}

function listen(signal: AbortSignal): Listeners {
  const callbacks = new Set<() => void>()
  const leave = (): void => {
    signal.removeEventListener('abort', fire)
    listening.delete(signal)
  }
  const fire = (): void => {
    leave()
    const all = [...callbacks]
    callbacks.clear()
    for (const callback of all) callback()
  }
  const listeners = { callbacks, leave }
  listening.set(signal, listeners)
  signal.addEventListener('abort', fire)
  return listeners
}

/** The longest time a timer can wait, about 25 days; with a longer one it would fire at once. */
const longestWait = 2_147_483_647

/** Calls back after that many milliseconds; never, where no timer can wait so long. */
export function callAfter(milliseconds: number, callback: () => void): ReturnType<typeof setTimeout> | undefined {
  return milliseconds <= longestWait ? setTimeout(callback, milliseconds) : undefined
}

/**
 * The work's result, or a rejection once the time is up. The controller, whose signal the work was given, fires then,
 * and also when the outer signal does, so that the other side can stop. Leaves neither timer nor listener behind.
 */
export async function withinTime<T>(
  work: T | PromiseLike<T>,
  timeout: number,
  controller: AbortController,
  outer: AbortSignal | undefined,
): Promise<T> {
  const unfollow = follow(outer, controller)
  let timer: ReturnType<typeof setTimeout> | undefined
  const tooLate = new Promise<never>((_, reject) => {
    timer = callAfter(timeout, () => {
      const error = new ZerothError('query-failed', `the objective did not answer within ${timeout} ms`, {
        timedOut: true,
      })
      // In this order: work that rejects as soon as it is told to stop must not hide why it was.
      reject(error)
      controller.abort(error)
    })
  })
  try {
    return await Promise.race([work, tooLate])
  } finally {
    clearTimeout(timer)
    unfollow()
  }
}
