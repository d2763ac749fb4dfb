import { recordFailure } from './answers.ts'
import { endsRun } from './errors.ts'
import type { HistoryRecord } from './history.ts'
import { onAbort } from './on-abort.ts'
import type { Session } from './session.ts'
import { callAfter } from './timer.ts'
import type { Answers, Objective } from './types.ts'

/** How a run is stopped from outside. */
export interface Control {
  readonly signal?: AbortSignal | undefined
}

/** Takes a session through its iterations, one call each. */
export interface Driver {
  /**
   * One ask, its evaluation and the tell. Returns a promise only if the objective does: a cheap function must not pay
   * for waiting. When the signal fires or the time is up the session ends at once, even if the objective hangs.
   */
  turn(): void | Promise<void>
  /** Stops listening to the signal. */
  close(): void
}

type Interruption = 'aborted' | 'max-time'

/** Connects a session with the objective that answers it. */
export function driver(session: Session, objective: Objective, { signal }: Control = {}): Driver {
  // The objective's own signal also fires when the time is up, so that nothing goes on being asked behind our back.
  const stopping = new AbortController()
  let interrupt: (by: Interruption) => void = () => undefined
  const stopListening = onAbort(signal, () => {
    stopping.abort(signal?.reason)
    interrupt('aborted')
  })

  /** Resolves with the work, or with what interrupted it, and leaves no timer behind. */
  const unlessInterrupted = async (work: PromiseLike<void>): Promise<Interruption | undefined> => {
    const interrupted = new Promise<Interruption>((resolve) => {
      interrupt = resolve
    })
    const outOfTime = (): void => {
      stopping.abort(new Error('the time for the run is up'))
      interrupt('max-time')
    }
    const timer = callAfter(session.timeLeft, outOfTime)
    // The objective itself may have fired the signal before it returned its promise.
    if (stopping.signal.aborted) interrupt('aborted')
    try {
      return await Promise.race([work.then(() => undefined), interrupted])
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    turn() {
      if (signal?.aborted === true) return session.stop('aborted')
      const queries = session.ask()
      const answers = session.answers()
      const failAll = (reason: unknown): void => {
        if (endsRun(reason)) throw reason
        for (let row = 0; row < queries.rows; row++) recordFailure(answers, row, reason)
        session.tell(answers)
      }
      let work: void | Promise<void>
      try {
        work = objective.evaluate(queries, answers, stopping.signal)
      } catch (error) {
        return failAll(error)
      }
      // An objective that was told to stop has left rows unanswered.
      if (stopping.signal.aborted) return session.stop('aborted')
      const tell = (): void => {
        throwFatal(answers, queries.rows)
        session.tell(answers)
      }
      if (work === undefined) return tell()
      return unlessInterrupted(work).then((by) => (by === undefined ? tell() : session.stop(by)), failAll)
    },
    close: stopListening,
  }
}

/** A mistake in how an objective was set up is no failed query: nobody was asked, and asking again cannot help. */
function throwFatal({ failed, reasons }: Answers, rows: number): void {
  for (let row = 0; row < rows; row++) if (failed[row] === 1 && endsRun(reasons[row])) throw reasons[row]
}

/** Yields each completed iteration and ends when the session has an outcome. Leaving the loop early loses nothing. */
export async function* drive(
  session: Session,
  objective: Objective,
  control: Control = {},
): AsyncGenerator<HistoryRecord, void, void> {
  const driving = driver(session, objective, control)
  const breathe = breather(() => performance.now())
  try {
    while (session.outcome === undefined) {
      const before = session.latest
      const work = driving.turn()
      if (work !== undefined) await work
      const breath = breathe()
      if (breath !== undefined) await breath
      if (session.latest !== undefined && session.latest !== before) yield session.latest
    }
  } finally {
    driving.close()
  }
}

/** A run that never waits, or only for promises that are kept at once, lets timers, signals and the page breathe after this many milliseconds. */
const breathAfter = 50

/** Behind what waits already; in a browser, timers are all there is. */
const later = (globalThis as { setImmediate?: (call: () => void) => unknown }).setImmediate ?? setTimeout

/** Returns a promise to wait for whenever a run has kept the thread to itself for long, otherwise undefined. */
export function breather(clock: () => number): () => Promise<void> | undefined {
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
