import { basename } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { ZerothError } from '../../../index.ts'
import type { AttackReport, ImageRecord } from '../../../robustness/index.ts'
import {
  type AttackSpec,
  type CompiledAttack,
  compileAttack,
  type OpenedAttack,
  openAttack,
} from '../../spec/attack/index.ts'
import type { CompileOptions, JsonObject } from '../../spec/index.ts'
import type { JobContext } from '../events.ts'
import { attackFile, isAttack, newRunPlace } from '../folders.ts'
import { closeWithin, isAnother, type Job, makeJob } from '../job.ts'
import { readReport, takeImage } from './attack-files.ts'
import { type AttackRecord, createAttack, keepSnapshotsAt, readAttack, recordOf, sameAttack } from './attack-record.ts'
import { performAttack } from './perform-attack.ts'

/** A robustness evaluation in a folder. */
export interface Evaluation extends Job<AttackReport> {
  readonly kind: 'evaluation'
  readonly record: AttackRecord
}

/** What can be said of an evaluation beside its spec: where that was read, and what else is kept. */
export interface EvaluationOptions extends CompileOptions {
  /** Iterations at which a universal perturbation is kept. */
  readonly snapshots?: readonly number[] | undefined
  /** Images that the same attack was done with elsewhere: a new evaluation takes them as they are. */
  readonly known?: readonly ImageRecord[] | undefined
}

/**
 * The robustness evaluation of a spec in a folder: a new one, or the one that is there, which must be the same attack but
 * for how it is conducted. Without a spec there must be one.
 */
export async function openEvaluation(
  folder: string,
  spec?: AttackSpec | JsonObject,
  options: EvaluationOptions = {},
): Promise<Evaluation> {
  if (spec !== undefined) return openCompiled(folder, await compileAttack(spec, options), options)
  if (isAttack(folder)) return evaluationJob(folder)
  throw new ZerothError('invalid-option', `${folder} is not an evaluation: it has no ${attackFile}`)
}

/** The same for a spec that has been compiled. */
export async function openCompiled(
  folder: string,
  compiled: CompiledAttack,
  { snapshots, known = [] }: Pick<EvaluationOptions, 'snapshots' | 'known'> = {},
): Promise<Evaluation> {
  if (isAttack(folder)) {
    await sameAttack(folder, compiled)
    await keepSnapshotsAt(folder, snapshots)
    return evaluationJob(folder)
  }
  // What cannot be opened leaves no folder behind.
  const opened = await openAttack(compiled)
  try {
    const record = recordOf(newRunPlace(folder, '').id, compiled, opened)
    await createAttack(folder, snapshots === undefined ? record : { ...record, snapshots })
    for (const image of known) await takeImage(folder, image)
  } catch (error) {
    await closeWithin(opened.model)
    throw error
  }
  return evaluationJob(folder, opened)
}

function evaluationJob(folder: string, held?: OpenedAttack): Evaluation {
  const record = readAttack(folder)
  let isInterrupted = false
  const release = async (opened: OpenedAttack | undefined): Promise<void> => {
    if (opened !== undefined) await closeWithin(opened.model)
  }
  const job = makeJob('evaluation', folder, {
    spec: record.spec,
    held,
    plan: () => undefined,
    async step(alreadyOpen: OpenedAttack | undefined, context) {
      let opened = alreadyOpen
      const open = async (): Promise<OpenedAttack> => {
        opened ??= await openAttack(await compileAttack(record.spec, { locate: () => `${folder}: ` }))
        return opened
      }
      const report = await performAttack({ folder, record, open }, context).finally(() => release(opened))
      isInterrupted = report === undefined
      return report
    },
    release,
  })
  // A report of before may still be there if a second try was interrupted.
  return { ...job, record, result: () => (isInterrupted ? undefined : readReport(folder)) }
}

/** What differs between the evaluations of a tuning. */
export interface TrialSetting {
  readonly seed: number
  readonly solver: JsonObject
}

/** Evaluations of one model on the same images, as a tuning needs them. */
export interface EvaluationTrials {
  /** The mean final objective of an evaluation, which begins or continues in a folder; undefined where it was interrupted. */
  perform(folder: string, setting: TrialSetting, stage: JobContext): Promise<number | undefined>
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
    // What a second method reaches says nothing about the rate of the first.
    const changes = { ...setting, secondMethod: false }
    const own = { ...opened, resolved: { ...opened.resolved, ...changes }, rateSource: 'searched' }
    await createAttack(folder, recordOf(basename(folder), { resolved: { ...compiled.resolved, ...changes } }, own))
  }
  return {
    async perform(folder, setting, stage) {
      if (!isAttack(folder)) await begin(folder, setting)
      const record = readAttack(folder)
      const other = ['model', 'queue'].find((key) => !isDeepStrictEqual(record.spec[key], compiled.resolved[key]))
      if (other !== undefined) throw isAnother('attack', folder, other, record.spec, compiled.resolved)
      const report = await performAttack({ folder, record, open }, stage)
      return report === undefined ? undefined : finalObjective(report)
    },
    async close() {
      const opened = await opening?.catch(() => undefined)
      if (opened !== undefined) await closeWithin(opened.model)
    },
  }
}

function finalObjective({ summary, images, warnings }: AttackReport): number {
  for (const what of ['unfinished', 'unconfirmed'] as const) {
    const why = images.find(({ status }) => status === what)?.reason
    if (summary[what] > 0) throw new ZerothError('query-failed', `${summary[what]} images are ${what}: ${why}`)
  }
  if (summary.attacked > 0) return summary.finalObjective.mean
  const why = images.find(({ reason }) => reason !== null)?.reason ?? warnings[0] ?? 'there are no images'
  throw new ZerothError('objective-failed', `no image could be attacked: ${why}`)
}
