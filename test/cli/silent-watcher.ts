import type { Watcher } from '../../src/app/cli/terminal.ts'

/** A watcher that shows nothing and keeps what was said. */
export interface SilentWatcher extends Watcher {
  readonly said: string[]
  /** What Ctrl-C does. */
  interrupt(): void
}

/** Shows nothing. */
export function silentWatcher(): SilentWatcher {
  const controller = new AbortController()
  const said: string[] = []
  return {
    said,
    signal: controller.signal,
    say: (message) => void said.push(message),
    warn: (message) => void said.push(message),
    display: () => () => undefined,
    interrupt: () => controller.abort(),
    close: () => undefined,
  }
}
