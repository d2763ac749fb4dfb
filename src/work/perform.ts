import { join, resolve } from 'node:path'
import type { Watcher } from '../cli/watch.ts'
import type { Objective } from '../index.ts'
import { type CompiledSpec, callsLogged } from '../spec/index.ts'
import { driveRun, type RunResult, type RunStore } from '../trace/index.ts'

/** Milliseconds for an objective to let go of what it used; what is left then ends with the program. */
const patience = 3000

/** Takes a run from where it stands to its end, or to Ctrl-C, and lets go of its objective and its files. */
export async function perform(
  { objective: bare, start, session, log }: CompiledSpec,
  store: RunStore,
  watching: Watcher,
  label?: string,
): Promise<RunResult> {
  const { maxQueries, maxIterations, maxTime } = session
  const timeLeft = maxTime === undefined ? undefined : () => maxTime - store.seconds * 1000
  const followed = watching.follow({ maxQueries, maxIterations, timeLeft, label })
  let objective = bare
  try {
    for (const note of store.notes) watching.say(`zeroth: ${note}`)
    if (log) objective = callsLogged(bare, join(store.folder, 'calls.jsonl'))
    const { signal } = watching
    return await driveRun(store, objective, start, session, { signal, onIteration: followed.record })
  } catch (error) {
    // Whoever explains it can then say which run it was.
    if (error instanceof Error) Object.assign(error, { run: resolve(store.folder) })
    throw error
  } finally {
    followed.end()
    await letGo(objective).finally(() => store.close())
  }
}

/** Closes an objective, but does not wait for one that cannot be closed. */
async function letGo(objective: Objective): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const enough = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, patience)
  })
  await Promise.race([objective.close?.(), enough]).finally(() => clearTimeout(timer))
}
