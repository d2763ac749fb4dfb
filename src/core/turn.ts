import { ask } from './ask.ts'
import { type Breather, letBreathe } from './breath.ts'
import { onAbort } from './on-abort.ts'
import type { Session } from './session.ts'
import { callAfter } from './timer.ts'
import type { Objective } from './types.ts'

type Interruption = 'aborted' | 'max-time'

/** What ends an evaluation under way: the caller's signal, the end of the time, or a failure that ends the run. */
export interface Stopping {
  /** What the objective is given. It fires for all of these, so that nothing is asked behind the run's back. */
  readonly signal: AbortSignal
  /** Ends what is under way. */
  abort(reason: unknown): void
  /** Resolves with the work's end or with what interrupted it, and leaves no timer behind. */
  unlessInterrupted(work: Promise<void>): Promise<Interruption | undefined>
  /** Stops listening to the caller's signal. */
  close(): void
}

/** Listens to the caller's signal for a whole run. With `breathe`, what is asked may let others have the thread. */
export function stoppingOf(session: Session, signal: AbortSignal | undefined, breathe?: Breather): Stopping {
  const controller = new AbortController()
  letBreathe(controller.signal, breathe)
  let interrupt: (by: Interruption) => void = () => undefined
  const stopListening = onAbort(signal, () => {
    controller.abort(signal?.reason)
    interrupt('aborted')
  })
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    async unlessInterrupted(work) {
      const interrupted = new Promise<Interruption>((resolve) => {
        interrupt = resolve
      })
      const timer = callAfter(session.timeLeft, () => {
        controller.abort(new Error('the time for the run is up'))
        interrupt('max-time')
      })
      // The objective itself may have fired the signal before it returned its promise.
      if (controller.signal.aborted) interrupt('aborted')
      try {
        return await Promise.race([work.then(() => undefined), interrupted])
      } finally {
        clearTimeout(timer)
      }
    },
    close() {
      stopListening()
      interrupt('aborted')
    },
  }
}

/**
 * One ask, its evaluation and the tell. Yields only what must be awaited: nothing, where the objective makes no promise.
 * When the signal fires or the time is up the session ends at once, even if the objective hangs.
 */
export function* turn(session: Session, objective: Objective, stopping: Stopping): Generator<PromiseLike<void>, void> {
  if (stopping.signal.aborted) return session.stop('aborted')
  const queries = session.ask()
  const answers = session.answers()
  const work = ask(objective, queries, answers, stopping.signal)
  const by = work === undefined ? stopped(stopping) : yield* awaited(stopping.unlessInterrupted(work))
  // An objective that was told to stop has left rows unanswered.
  if (by !== undefined) return session.stop(by)
  session.tell(answers)
  if (session.outcome?.status === 'failed') stopping.abort(session.outcome.error)
}

/** Yields a promise for whoever drives a generator to await, and returns what it resolves with. */
export function* awaited<T>(work: PromiseLike<T>): Generator<PromiseLike<void>, T> {
  const results: T[] = []
  yield work.then((result) => void results.push(result))
  return results[0] as T
}

function stopped({ signal }: Stopping): Interruption | undefined {
  return signal.aborted ? 'aborted' : undefined
}
