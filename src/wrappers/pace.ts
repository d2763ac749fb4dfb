import { option } from '../core/options.ts'
import { functionThat } from '../core/schema.ts'
import { type Sleep, sleepOption, untilAborted } from './sleep.ts'

/** How a pace is kept: by which clock, and how to wait. */
export const paceOptions = {
  clock: option(
    functionThat<() => number>('must be a function'),
    'a monotonic clock in milliseconds',
    () => () => performance.now(),
  ),
  sleep: sleepOption,
}

/** How many calls may begin, and when. */
interface Pace {
  readonly perSecond: number
  /** Calls that may begin at once after a pause. */
  readonly burst: number
  readonly clock: () => number
  readonly sleep: Sleep
}

/** Admits so many calls: at once, or when the promise resolves; also when the signal fires. */
export type Admit = (count: number, signal: AbortSignal | undefined) => void | Promise<void>

/** Timers are no finer than this many milliseconds. A shorter wait is left out, and made up for by the next. */
const tick = 1

/** Admits calls at a pace, first come, first served. */
export function keepPace({ perSecond, burst, clock, sleep }: Pace): Admit {
  const tokens = tokenBucket(perSecond, burst, clock)
  let waiting = 0
  let last: Promise<void> = Promise.resolve()

  const waitForTokens = async (count: number, signal: AbortSignal | undefined): Promise<void> => {
    while (signal?.aborted !== true) {
      const milliseconds = tokens.wait(count)
      if (milliseconds < tick) return tokens.take(count)
      await untilAborted(sleep(milliseconds, signal), signal)
    }
  }

  return (count, signal) => {
    if (waiting === 0 && tokens.wait(count) < tick) return tokens.take(count)
    waiting++
    const admitted = last.then(() => waitForTokens(count, signal))
    const leave = (): void => void waiting--
    // A caller that stops waiting keeps its place until its turn comes, and then takes nothing.
    last = admitted.then(leave, leave)
    return untilAborted(admitted, signal)
  }
}

/** Tokens that come in at a steady rate and are kept up to a limit. */
interface TokenBucket {
  /** Milliseconds until there are that many tokens; 0 or less where there are. */
  wait(count: number): number
  take(count: number): void
}

/** A full bucket. A clock that jumps back brings no tokens and takes none. */
function tokenBucket(perSecond: number, size: number, clock: () => number): TokenBucket {
  let tokens = size
  let filledAt = clock()
  return {
    wait(count) {
      const now = clock()
      tokens = Math.min(size, tokens + (Math.max(now - filledAt, 0) * perSecond) / 1000)
      filledAt = now
      return ((count - tokens) * 1000) / perSecond
    },
    take(count) {
      tokens -= count
    },
  }
}
