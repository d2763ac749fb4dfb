import { type Control, runToEnd, type Watch } from '../../optimizer/core/engine.ts'
import { createSession, type Session } from '../../optimizer/core/session.ts'
import type { SessionOptions } from '../../optimizer/core/session-options.ts'
import type { HistoryRecord, Objective } from '../../optimizer/core/types.ts'
import type { Start } from '../../optimizer/core/variable-types.ts'
import type { RunResult } from './result-file.ts'
import type { RunStore } from './run-store.ts'

/** How a stored run is watched and stopped. */
export interface RunControl extends Control {
  /**
   * Called after each iteration, and for the one that a resumed run continues from, which may have been the last; `'stop'`
   * ends the run. May be asynchronous.
   */
  readonly onIteration?: Watch['onIteration']
  /** Called with the session before anything is asked. */
  readonly onBegin?: ((session: Session) => void) | undefined
}

/**
 * Takes a stored run from where it is to its end and returns its result; a run that has finished returns the result it
 * had and asks nothing. `maxTime` counts all the time the run was at work, in this process and before.
 */
export async function driveRun(
  store: RunStore,
  objective: Objective,
  start: Start | undefined,
  options: Omit<SessionOptions, 'resume' | 'clock'>,
  { signal, onIteration, onBegin }: RunControl = {},
): Promise<RunResult> {
  if (store.result?.status === 'finished') return store.result
  const recorded = store.ordered(objective)
  const session = createSession(start, { ...options, resume: store.checkpoint, clock: clockOf(store) })
  onBegin?.(session)
  const keep = (record: HistoryRecord): unknown => {
    store.iteration(record, session)
    return onIteration?.(record, session)
  }
  if (session.outcome === undefined && session.latest !== undefined) {
    if ((await onIteration?.(session.latest, session)) === 'stop') session.stop('callback')
  }
  const watch = { signal, onIteration: keep, order: recorded.order }
  return store.finish(await runToEnd(session, recorded.objective, watch), session)
}

/** A session counts its time from the first reading of its clock: that one is the beginning of the run. */
function clockOf(store: RunStore): () => number {
  let started = false
  return () => {
    if (started) return store.seconds * 1000
    started = true
    return 0
  }
}
