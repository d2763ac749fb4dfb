import { join } from 'node:path'
import { type CompiledSpec, callsLogged } from '../spec/index.ts'
import { driveRun, type RunResult, type RunStore } from '../trace/index.ts'
import type { Watcher } from './watch.ts'

/** Takes a run from where it stands to its end, or to Ctrl-C, and lets go of its objective and its files. */
export async function perform(compiled: CompiledSpec, store: RunStore, watching: Watcher): Promise<RunResult> {
  const line = watching.line({ ...compiled.session, label: store.meta.id })
  const objective = compiled.log
    ? callsLogged(compiled.objective, join(store.folder, 'calls.jsonl'))
    : compiled.objective
  try {
    for (const note of store.notes) watching.say(`zeroth: ${note}`)
    const { signal } = watching
    const onIteration = line.show
    return await driveRun(store, objective, compiled.start, compiled.session, { signal, onIteration })
  } finally {
    line.end()
    await objective.close?.()
    await store.close()
  }
}
