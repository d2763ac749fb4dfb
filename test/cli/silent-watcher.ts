import type { Watcher } from '../../src/cli/watch.ts'

/** A watcher that shows nothing and keeps what was said. */
export interface SilentWatcher extends Watcher {
  readonly said: string[]
  readonly labels: (string | undefined)[]
  /** What Ctrl-C does. */
  interrupt(): void
}

/** Watches nobody; after so many iterations, all runs counted, it stops them. */
export function silentWatcher(interruptAfter = Infinity): SilentWatcher {
  const controller = new AbortController()
  const said: string[] = []
  const labels: (string | undefined)[] = []
  let left = interruptAfter
  return {
    said,
    labels,
    signal: controller.signal,
    say: (message) => void said.push(message),
    warn: (message) => void said.push(message),
    follow({ label }) {
      labels.push(label)
      const record = (): void => {
        if (--left <= 0) controller.abort()
      }
      return { record, end: () => undefined }
    },
    display: () => () => undefined,
    interrupt: () => controller.abort(),
    close: () => undefined,
  }
}
