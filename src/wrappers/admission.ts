import { type Sleep, untilAborted } from './sleep.ts'
import type { TokenBucket } from './token-bucket.ts'

/** Timers are no finer than this many milliseconds. A shorter wait is left out, and made up for by the next. */
const tick = 1

/** Lets pass who has tokens for it: at once, or when the promise resolves; also when the signal fires. */
export type Admission = (count: number, signal: AbortSignal | undefined) => void | Promise<void>

/** Lets pass who has tokens for it, and the others in the order in which they came, or when their signal fires. */
export function admission(bucket: TokenBucket, sleep: Sleep): Admission {
  let waiting = 0
  let last: Promise<void> = Promise.resolve()

  const waitForTokens = async (count: number, signal: AbortSignal | undefined): Promise<void> => {
    while (signal?.aborted !== true) {
      const milliseconds = bucket.wait(count)
      if (milliseconds < tick) return bucket.take(count)
      await untilAborted(sleep(milliseconds, signal), signal)
    }
  }

  return (count, signal) => {
    if (waiting === 0 && bucket.wait(count) < tick) return bucket.take(count)
    waiting++
    const admitted = last.then(() => waitForTokens(count, signal))
    const leave = (): void => void waiting--
    // Who stops waiting keeps the place until its turn comes, and then takes nothing.
    last = admitted.then(leave, leave)
    return untilAborted(admitted, signal)
  }
}
