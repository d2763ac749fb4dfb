import { basename, resolve } from 'node:path'
import { type Lock, lockFolder } from '../trace/index.ts'
import type { Finished, WorkKind } from './events.ts'
import { performing, type Stage } from './performing.ts'
import type { HeldPlan, SeriesPlan } from './series-plan.ts'
import type { Work } from './work.ts'

/** How a planned work ended this time. */
export interface Ended<Result> extends Pick<Finished, 'status' | 'reason'> {
  readonly result: Result
}

/** The work of a plan: its lock is held until it has been performed. */
export function plannedWork<Result, Kind extends WorkKind>(
  kind: Kind,
  folder: string,
  { plan, resumed, lock }: HeldPlan,
  act: (plan: SeriesPlan, stage: Stage) => Promise<Ended<Result>>,
): Work<Result, Kind> {
  const work = basename(resolve(folder))
  let held: Lock | undefined = lock
  let result: Result | undefined
  const close = async (): Promise<void> => {
    held?.release()
    held = undefined
  }
  return {
    kind,
    folder,
    perform: (control) =>
      performing(
        folder,
        async (emit, signal) => {
          const isAgain = held === undefined
          held ??= lockFolder(folder)
          emit(work, { type: 'started', kind, resumed: resumed || isAgain, budget: {} })
          const ended = await act(plan, { work, emit, signal }).finally(close)
          result = ended.result
          emit(work, { type: 'finished', status: ended.status, reason: ended.reason })
        },
        control,
      ),
    result: () => result,
    close,
    [Symbol.asyncDispose]: close,
  }
}
