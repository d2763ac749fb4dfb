import { type Breather, breather, rowBreather } from './breath.ts'
import type { Outcome } from './errors.ts'
import type { HistoryRecord } from './history.ts'
import { isPromise } from './in-turn.ts'
import type { Session } from './session.ts'
import { awaited, stoppingOf, turn } from './turn.ts'
import type { Objective } from './types.ts'

/** How a run is stopped from outside. */
export interface Control {
  readonly signal?: AbortSignal | undefined
}

/** How a run is watched and stopped. */
export interface Watch extends Control {
  /** Called after each iteration; `'stop'` ends the run. A promise is waited for. */
  readonly onIteration?: ((record: HistoryRecord, session: Session) => unknown) | undefined
}

/**
 * The only loop over a session: ask, evaluate, tell, breathe, record. It yields what must be awaited before it can go on,
 * and nothing else: a run whose objective and watcher make no promise yields only breaths, and without `breathe` nothing.
 */
export function* engine(
  session: Session,
  objective: Objective,
  { signal, onIteration }: Watch = {},
  breathe?: Breather,
): Generator<PromiseLike<void>, void> {
  const rowBreath = breathe === undefined ? undefined : rowBreather(() => performance.now())
  const stopping = stoppingOf(session, signal, rowBreath)
  try {
    while (session.outcome === undefined) {
      const before = session.latest
      yield* turn(session, objective, stopping)
      const breath = breathe?.()
      if (breath !== undefined) yield breath
      const record = session.latest
      if (record === undefined || record === before) continue
      const said = onIteration?.(record, session)
      if ((isPromise(said) ? yield* awaited(said) : said) === 'stop') session.stop('callback')
    }
  } finally {
    stopping.close()
  }
}

/** Takes a session to its outcome. Other work of the thread has its turn every 50 ms at least, whatever the objective does. */
export async function runToEnd(
  session: Session,
  objective: Objective,
  watch: Watch = {},
  clock: () => number = () => performance.now(),
): Promise<Outcome> {
  for (const work of engine(session, objective, watch, breather(clock))) await work
  return session.outcome as Outcome
}

/** Yields each completed iteration and ends when the session has an outcome. Leaving the loop early loses nothing. */
export async function* drive(
  session: Session,
  objective: Objective,
  control: Control = {},
): AsyncGenerator<HistoryRecord, void, void> {
  const completed: HistoryRecord[] = []
  const onIteration = async (record: HistoryRecord): Promise<void> => void completed.push(record)
  const breathe = breather(() => performance.now())
  for (const work of engine(session, objective, { signal: control.signal, onIteration }, breathe)) {
    await work
    yield* completed.splice(0)
  }
}

/** Takes a session through its iterations, one call each. */
export interface Driver {
  /** One ask, its evaluation and the tell. Returns a promise only if the objective does. */
  turn(): void | Promise<void>
  /** Stops listening to the signal. */
  close(): void
}

/** Connects a session with the objective that answers it, for callers who advance it themselves. */
export function driver(session: Session, objective: Objective, { signal }: Control = {}): Driver {
  const stopping = stoppingOf(session, signal)
  return {
    turn() {
      const running = turn(session, objective, stopping)
      const first = running.next()
      return first.done === true ? undefined : finish(first.value, running)
    },
    close: stopping.close,
  }
}

async function finish(first: PromiseLike<void>, running: Iterable<PromiseLike<void>>): Promise<void> {
  await first
  for (const work of running) await work
}
