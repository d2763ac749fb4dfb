import { breatherOf, letBreathe } from './breath.ts'

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
  letBreathe(controller.signal, breatherOf(signal))
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
