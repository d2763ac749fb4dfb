import { join, resolve } from 'node:path'
import type { Budget } from '../core/types.ts'
import { type CompiledSpec, callsLogged } from '../spec/index.ts'
import { driveRun, type RunControl, type RunResult, type RunStore } from '../trace/index.ts'
import type { Finished } from './events.ts'
import { limitKeys } from './limits.ts'
import type { Stage } from './performing.ts'
import { progressMeter } from './progress.ts'
import { closeWithin } from './work.ts'

/** How the end of a run is told. */
export const runEnds = { finished: 'finished', aborted: 'interrupted', failed: 'failed' } as const

/** Takes a run from where it is to its end, or until it is stopped; then closes its objective and its files. */
export async function performRun(
  compiled: CompiledSpec,
  store: RunStore,
  { resumed, ...stage }: Stage & { readonly resumed: boolean },
): Promise<RunResult> {
  const { emit, signal, work } = stage
  const budget = begin(store, stage, resumed)
  const { maxTime } = budget
  const timeLeft = maxTime === undefined ? undefined : () => maxTime - store.seconds * 1000
  const meter = progressMeter({ emit: (progress) => emit(work, progress), budget, timeLeft })
  const { id, created } = store.meta
  const notice = (message: string): void => emit(work, { type: 'warning', code: 'queue', message })
  compiled.objective.attach?.({ run: `${id} ${created}`, notice, counted: meter.counted })
  const result = await drive(compiled, store, {
    signal,
    onIteration: (record, session) =>
      meter.record({ ...record, seconds: store.iterationSeconds }, store.unread > 0, session),
  })
  meter.flush()
  emit(work, endOf(result))
  return result
}

/** Tells the result of a run that has finished, and closes its files. */
export async function tellResult(result: RunResult, store: RunStore, stage: Stage): Promise<RunResult> {
  begin(store, stage, true)
  await store.close()
  stage.emit(stage.work, endOf(result))
  return result
}

/** The limits of a run, as its spec has them. */
export function budgetOf(spec: Readonly<Record<string, unknown>>): Budget {
  const limits = limitKeys.filter((key) => typeof spec[key] === 'number')
  return Object.fromEntries(limits.map((key) => [key, spec[key]]))
}

function begin(store: RunStore, { emit, work, parent, title }: Stage, resumed: boolean): Budget {
  const budget = budgetOf(store.meta.spec)
  emit(work, { type: 'started', kind: 'run', parent, title, resumed, budget })
  for (const message of store.notes) emit(work, { type: 'warning', code: 'note', message })
  return budget
}

async function drive(
  { objective: bare, start, session, log }: CompiledSpec,
  store: RunStore,
  control: RunControl,
): Promise<RunResult> {
  let objective = bare
  try {
    if (log) objective = callsLogged(bare, join(store.folder, 'calls.jsonl'))
    return await driveRun(store, objective, start, session, control)
  } catch (error) {
    // An explanation of the error can then say which run it was.
    if (error instanceof Error) Object.assign(error, { run: resolve(store.folder) })
    throw error
  } finally {
    await closeWithin(objective).finally(() => store.close())
  }
}

function endOf({ status, stopReason, error }: RunResult): Finished {
  return { type: 'finished', status: runEnds[status], reason: error ?? stopReason }
}
