import { basename } from 'node:path'
import type { AttackReport } from '../../attacks/index.ts'
import { ZerothError } from '../../index.ts'
import { type CompiledAttack, type OpenedAttack, openAttack } from '../../spec/attack/index.ts'
import type { JsonObject } from '../../spec/index.ts'
import { closeWithin } from '../close-within.ts'
import { isAttack } from '../folders.ts'
import type { Stage } from '../performing.ts'
import { createAttack, readAttack, recordOf } from './attack-record.ts'
import { performAttack } from './perform-attack.ts'

/** What differs between the evaluations of a tuning. */
export interface TrialSetting {
  readonly seed: number
  readonly solver: JsonObject
}

/** Evaluations of one model on the same images, as a tuning needs them. */
export interface EvaluationTrials {
  /** The mean final objective of an evaluation, which begins or continues in a folder; undefined where it was interrupted. */
  perform(folder: string, setting: TrialSetting, stage: Stage): Promise<number | undefined>
  close(): Promise<void>
}

/** Opens the model once for all evaluations, and not at all where nothing is left to do. */
export function evaluationTrials(compiled: CompiledAttack, alreadyOpen?: OpenedAttack): EvaluationTrials {
  let opening = alreadyOpen === undefined ? undefined : Promise.resolve(alreadyOpen)
  const open = (): Promise<OpenedAttack> => {
    opening ??= openAttack(compiled)
    return opening
  }
  const begin = async (folder: string, setting: TrialSetting): Promise<void> => {
    const opened = await open()
    const own = { ...opened, resolved: { ...opened.resolved, ...setting }, rateSource: 'searched' }
    await createAttack(folder, recordOf(basename(folder), { resolved: { ...compiled.resolved, ...setting } }, own))
  }
  return {
    async perform(folder, setting, stage) {
      if (!isAttack(folder)) await begin(folder, setting)
      const report = await performAttack({ folder, record: readAttack(folder), open }, stage)
      return report === undefined ? undefined : finalObjective(report)
    },
    async close() {
      const opened = await opening?.catch(() => undefined)
      if (opened !== undefined) await closeWithin(opened.model)
    },
  }
}

function finalObjective({ summary, images, warnings }: AttackReport): number {
  if (summary.attacked > 0) return summary.finalObjective.mean
  const why = images.find(({ reason }) => reason !== null)?.reason ?? warnings[0] ?? 'there are no images'
  throw new ZerothError('objective-failed', `no image could be attacked: ${why}`)
}
