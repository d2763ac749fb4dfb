import { onAbort } from '../core/on-abort.ts'
import { option } from '../core/options.ts'
import { functionThat } from '../core/schema.ts'
import { callAfter } from '../core/timer.ts'

/** Waits that many milliseconds, or until the signal fires. */
export type Sleep = (milliseconds: number, signal?: AbortSignal | undefined) => PromiseLike<unknown>

/** Waits with a timer of its own; when the signal fires the wait is over at once and the timer is gone. */
function sleep(milliseconds: number, signal?: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = callAfter(milliseconds, () => {
      stopListening()
      resolve()
    })
    const stopListening = onAbort(signal, () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

/** How a wrapper waits: real timers unless told otherwise. */
export const sleepOption = option(
  functionThat<Sleep>('must be a function of milliseconds and a signal'),
  'how to wait: a function of milliseconds and a signal that returns a promise; by a timer if left out',
  () => sleep,
)

/** Resolves with the work, or as soon as the signal fires, whichever is first. */
export async function untilAborted(work: PromiseLike<unknown>, signal: AbortSignal | undefined): Promise<void> {
  let stopListening: () => void = () => undefined
  const aborted = new Promise<void>((resolve) => {
    stopListening = onAbort(signal, resolve)
  })
  try {
    await Promise.race([work, aborted])
  } finally {
    stopListening()
  }
}
