/** Turns Ctrl-C into an orderly stop. */
export interface Interrupts {
  readonly signal: AbortSignal
  /** Lets the signals do what they did before. */
  close(): void
}

/** Where signals come from and what ends the program; for tests. */
export interface SignalSource {
  on(name: NodeJS.Signals, listener: (name: NodeJS.Signals) => void): unknown
  off(name: NodeJS.Signals, listener: (name: NodeJS.Signals) => void): unknown
  exit(code: number): void
}

/** The exit codes of a program that these signals end; a closed terminal counts as Ctrl-C. */
const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

/** Milliseconds in which a stopped run must have ended. It may be ended at any time: all it was told is recorded. */
const patience = 4500

/** The first signal stops the run, which is then saved; the second one ends the program at once. */
export function interrupts(say: (message: string) => void, source: SignalSource = process): Interrupts {
  const controller = new AbortController()
  let overdue: NodeJS.Timeout | undefined
  const onSignal = (name: NodeJS.Signals): void => {
    if (controller.signal.aborted) return source.exit(exitCodes[name as keyof typeof exitCodes])
    overdue = setTimeout(() => source.exit(130), patience)
    overdue.unref()
    say('interrupted: saving (Ctrl-C again to quit now)')
    controller.abort(new Error(`stopped by ${name}`))
  }
  const names = Object.keys(exitCodes) as (keyof typeof exitCodes)[]
  for (const name of names) source.on(name, onSignal)
  return {
    signal: controller.signal,
    close() {
      clearTimeout(overdue)
      for (const name of names) source.off(name, onSignal)
    },
  }
}
