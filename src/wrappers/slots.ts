import { onAbort } from '../core/on-abort.ts'

/** Places for a limited number of users at once; who comes later waits in a queue. */
export interface Slots {
  /** Takes a place, waiting for one where needed: false where the signal fired first. */
  take(signal: AbortSignal | undefined): true | Promise<boolean>
  /** Gives a place back, to whoever waits longest. */
  give(): void
}

/** So many places. */
export function slots(count: number): Slots {
  let free = count
  const queue = new Set<(got: boolean) => void>()
  const wait = (signal: AbortSignal | undefined): Promise<boolean> =>
    new Promise((resolve) => {
      const end = (got: boolean): void => {
        queue.delete(end)
        stopListening()
        resolve(got)
      }
      let stopListening: () => void = () => undefined
      queue.add(end)
      stopListening = onAbort(signal, () => end(false))
    })
  return {
    take(signal) {
      if (free === 0) return wait(signal)
      free--
      return true
    },
    give() {
      const [first] = queue
      if (first === undefined) free++
      else first(true)
    },
  }
}
