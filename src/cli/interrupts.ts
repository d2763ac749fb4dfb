/** Turns Ctrl-C into an orderly stop. */
export interface Interrupts {
  readonly signal: AbortSignal
  /** Lets the signals do what they did before. */
  close(): void
}

const signals = ['SIGINT', 'SIGTERM'] as const

/** The first SIGINT or SIGTERM stops the run, which is then saved; the second one ends the program at once. */
export function interrupts(say: (message: string) => void): Interrupts {
  const controller = new AbortController()
  const onSignal = (name: NodeJS.Signals): void => {
    if (controller.signal.aborted) process.exit(name === 'SIGINT' ? 130 : 143)
    say('stopping; once more kills')
    controller.abort(new Error(`stopped by ${name}`))
  }
  for (const name of signals) process.on(name, onSignal)
  return {
    signal: controller.signal,
    close() {
      for (const name of signals) process.off(name, onSignal)
    },
  }
}
