import { join } from 'node:path'
import type { AttackReport } from '../../attacks/index.ts'
import { ZerothError } from '../../index.ts'
import { type CompiledAttack, compileAttack, type OpenedAttack, openAttack } from '../../spec/attack/index.ts'
import { readReport } from '../../work/evaluation/attack-files.ts'
import { createAttack, readAttack } from '../../work/evaluation/attack-record.ts'
import { performAttack } from '../../work/evaluation/perform-attack.ts'
import { isAttack } from '../../work/folders.ts'
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
import { completeAttackFiles, writeAttackFiles } from './conclude-attack.ts'
import { letGo, recordOf } from './run-attack.ts'

/** Makes all attacks of a search that are not there yet and prints what it came to; returns the exit code. */
export async function searchAttacks(
  folder: string,
  plan: Search,
  flags: WatchFlags,
  watching: Watcher,
  openedAlready?: OpenedAttack,
): Promise<number> {
  const compiled = compileAttack(plan.spec, { locate: () => `${folder}: ` })
  // Its model is opened once for all of them, and not at all where nothing is left to do.
  let opening = openedAlready === undefined ? undefined : Promise.resolve(openedAlready)
  const open = (): Promise<OpenedAttack> => {
    opening ??= openAttack(compiled)
    return opening
  }
  const trial: Trial = async (setting, seed) => {
    const place = join(folder, trialName(setting, seed))
    const there = isAttack(place) ? readReport(place) : undefined
    if (there !== undefined) await completeAttackFiles({ folder: place, record: readAttack(place), report: there })
    const report = there ?? (await attack(place, setting, seed))
    if (report.summary.attacked > 0) return report.summary.finalObjective.mean
    throw new ZerothError('objective-failed', `no image could be attacked: ${reasonOf(report)}`)
  }

  const attack = async (place: string, setting: Setting, seed: number): Promise<AttackReport> => {
    const opened = await open()
    if (!isAttack(place))
      await createAttack(place, recordFor(trialName(setting, seed), compiled, opened, setting, seed))
    const record = readAttack(place)
    const work = { folder: place, record, opened, label: trialLabel(setting, seed) }
    const report = await performAttack(work, watching)
    if (report === undefined) throw new Interrupted()
    await writeAttackFiles({ folder: place, record, report })
    return report
  }

  try {
    return await runSearch(folder, plan, flags, watching, trial)
  } finally {
    const opened = await opening?.catch(() => undefined)
    if (opened !== undefined) await letGo(opened)
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
