import { basename, join } from 'node:path'
import { completeEvaluationPage } from '../../report/index.ts'
import { compileAttack, type OpenedAttack } from '../../spec/attack/index.ts'
import { evaluationTrials } from '../../work/evaluation/index.ts'
import { performing } from '../../work/performing.ts'
import type { Setting } from '../../work/tune-search.ts'
import {
  Interrupted,
  runSearch,
  type Search,
  solverWith,
  type Trial,
  trialLabel,
  trialName,
} from '../../work/tuning.ts'
import type { Watcher, WatchFlags } from '../watch.ts'
import { showEvents } from './run-attack.ts'

/** Makes all attacks of a search that are not there yet and prints its result; returns the exit code. */
export async function searchAttacks(
  folder: string,
  plan: Search,
  flags: WatchFlags,
  watching: Watcher,
  openedAlready?: OpenedAttack,
): Promise<number> {
  const compiled = compileAttack(plan.spec, { locate: () => `${folder}: ` })
  const trials = evaluationTrials(compiled, openedAlready)
  const trial: Trial = async (setting, seed) => {
    const place = join(folder, trialName(setting, seed))
    const value = await shown(place, setting, seed)
    if (value === undefined) throw new Interrupted()
    await completeEvaluationPage(place)
    return value
  }

  const shown = async (place: string, setting: Setting, seed: number): Promise<number | undefined> => {
    let value: number | undefined
    const changes = { seed, solver: solverWith(compiled.resolved, setting) }
    const events = performing(
      place,
      async (emit, signal) => {
        value = await trials.perform(place, changes, { work: basename(place), emit, signal })
      },
      watching,
    )
    const universal = compiled.resolved.universal === true
    await showEvents(events, watching, { universal, label: trialLabel(setting, seed) })
    return value
  }

  try {
    return await runSearch(folder, plan, flags, watching, trial)
  } finally {
    await trials.close()
  }
}
