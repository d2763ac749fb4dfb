import { join } from 'node:path'
import type { AttackReport } from '../../attacks/index.ts'
import { ZerothError } from '../../index.ts'
import { type CompiledAttack, compileAttack, type OpenedAttack, openAttack } from '../../spec/attack/index.ts'
import type { JsonObject } from '../../spec/index.ts'
import { readReport } from '../../work/evaluation/attack-files.ts'
import { createAttack, readAttack } from '../../work/evaluation/attack-record.ts'
import { performAttack } from '../../work/evaluation/perform-attack.ts'
import { isAttack } from '../../work/folders.ts'
import { kindOf, type Setting, type Trial } from '../../work/index.ts'
import { requirePlan } from '../../work/series-plan.ts'
import { trialName, trialTitle } from '../../work/trial-name.ts'
import { solverWith } from '../../work/tuning-search.ts'
import type { Watcher } from '../watch.ts'
import { completeAttackFiles, writeAttackFiles } from './conclude-attack.ts'
import { letGo, recordOf } from './run-attack.ts'

/** Tries settings in attacks of their own. */
export interface AttackTrial {
  readonly trial: Trial
  close(): Promise<void>
}

/** The trials of a tuning in a folder that attacks a model; undefined where it does not. */
export async function storedTrial(folder: string, watching: Watcher): Promise<AttackTrial | undefined> {
  const plan = kindOf(folder) === 'tuning' ? await requirePlan(folder) : undefined
  return plan !== undefined && 'model' in plan.spec ? attackTrial(folder, plan.spec, watching) : undefined
}

/** Trials in attacks: each is made unless it is there already. */
export function attackTrial(
  folder: string,
  spec: JsonObject,
  watching: Watcher,
  openedAlready?: OpenedAttack,
): AttackTrial {
  const compiled = compileAttack(spec, { locate: () => `${folder}: ` })
  // Its model is opened once for all of them, and not at all where nothing is left to do.
  let opening = openedAlready === undefined ? undefined : Promise.resolve(openedAlready)
  const open = (): Promise<OpenedAttack> => {
    opening ??= openAttack(compiled)
    return opening
  }
  const attack = async (place: string, setting: Setting, seed: number): Promise<AttackReport | undefined> => {
    const opened = await open()
    if (!isAttack(place))
      await createAttack(place, recordFor(trialName(setting, seed), compiled, opened, setting, seed))
    const record = readAttack(place)
    const work = { folder: place, record, opened, label: trialTitle(setting, seed) }
    const report = await performAttack(work, watching)
    if (report !== undefined) await writeAttackFiles({ folder: place, record, report })
    return report
  }
  return {
    async trial(setting, seed, _emit, signal) {
      const place = join(folder, trialName(setting, seed))
      const there = isAttack(place) ? readReport(place) : undefined
      if (there !== undefined) await completeAttackFiles({ folder: place, record: readAttack(place), report: there })
      const report = there ?? (await attack(place, setting, seed))
      if (report === undefined) throw signal.reason
      if (report.summary.attacked > 0) return report.summary.finalObjective.mean
      throw new ZerothError('objective-failed', `no image could be attacked: ${reasonOf(report)}`)
    },
    async close() {
      const opened = await opening?.catch(() => undefined)
      if (opened !== undefined) await letGo(opened)
    },
  }
}

/** The attack of a try. */
function recordFor(id: string, compiled: CompiledAttack, opened: OpenedAttack, setting: Setting, seed: number) {
  const changed = (spec: CompiledAttack['resolved']) => ({
    ...spec,
    seed,
    solver: solverWith(compiled.resolved, setting),
  })
  const own = { ...opened, resolved: changed(opened.resolved), rateSource: 'searched' }
  return recordOf(id, { ...compiled, resolved: changed(compiled.resolved) }, own)
}

function reasonOf({ images, warnings }: AttackReport): string {
  return images.find(({ reason }) => reason !== null)?.reason ?? warnings[0] ?? 'there are no images'
}
