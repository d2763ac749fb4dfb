/** Tokens that come in at a steady rate and are kept up to a limit. */
export interface TokenBucket {
  /** Milliseconds until there are that many tokens; 0 or less where there are. */
  wait(count: number): number
  take(count: number): void
}

/** A full bucket. A clock that jumps back brings no tokens and takes none. */
export function tokenBucket(perSecond: number, size: number, clock: () => number): TokenBucket {
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
