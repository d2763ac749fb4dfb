import type { Watcher } from '../../src/cli/watch.ts'

/** Milliseconds between two reports. */
const interval = 1000

/** A watcher that shows nothing of an attack, but tells at once and every second how much of it is done. */
export function shareWatcher(
  watching: Pick<Watcher, 'signal' | 'say' | 'warn'>,
  tell: (share: number) => void,
): Watcher {
  return {
    signal: watching.signal,
    say: watching.say,
    warn: watching.warn,
    display(line) {
      const report = (): void => {
        if (line.share !== undefined) tell(line.share())
      }
      report()
      const timer = setInterval(report, interval)
      timer.unref()
      return () => clearInterval(timer)
    },
    close: () => undefined,
  }
}
