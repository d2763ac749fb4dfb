/** Milliseconds after which whoever keeps the thread lets timers, signals and the page have their turn. */
const breathAfter = 50

/** Calls shorter than this in milliseconds need not be timed one by one. */
const shortCall = 1

/** Short calls between two looks at the clock. */
const untimed = 7

/** Returns a promise to wait for where the thread was kept for long, otherwise undefined. */
export type Breather = () => Promise<void> | undefined

/** After everything that is ready to run now has run; in a browser, timers are all there is. */
export const later: (call: () => void) => unknown =
  (globalThis as { setImmediate?: (call: () => void) => unknown }).setImmediate ?? setTimeout

/** Breathes by this clock, in milliseconds. */
export function breather(clock: () => number): Breather {
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
export function rowBreather(clock: () => number): Breather {
  const breathe = breather(clock)
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
const breathers = new WeakMap<AbortSignal, Breather>()

/** Says that the owner of this signal can wait, so that what it asks may breathe. */
export function letBreathe(signal: AbortSignal, breathe: Breather | undefined): void {
  if (breathe !== undefined) breathers.set(signal, breathe)
}

/** How to breathe between rows that were asked with this signal; undefined where the asker cannot wait. */
export function breatherOf(signal: AbortSignal | undefined): Breather | undefined {
  return signal && breathers.get(signal)
}
