import { basename, resolve } from 'node:path'
import type { AttackReport } from '../../attacks/index.ts'
import { ZerothError } from '../../index.ts'
import {
  type AttackSpec,
  type CompiledAttack,
  compileAttack,
  type OpenedAttack,
  openAttack,
} from '../../spec/attack/index.ts'
import type { CompileOptions, JsonObject } from '../../spec/index.ts'
import { closeWithin } from '../close-within.ts'
import { attackFile, isAttack, newRunPlace } from '../folders.ts'
import { performing } from '../performing.ts'
import type { Work } from '../work.ts'
import { readReport } from './attack-files.ts'
import { type AttackRecord, createAttack, readAttack, recordOf } from './attack-record.ts'
import { performAttack } from './perform-attack.ts'
import { keepSnapshotsAt, sameAttack } from './same-attack.ts'

/** A robustness evaluation in a folder. */
export interface Evaluation extends Work<AttackReport> {
  readonly kind: 'evaluation'
  readonly record: AttackRecord
}

/** What can be said of an evaluation beside its spec: where that was read, and what else is kept. */
export interface EvaluationOptions extends CompileOptions {
  /** Iterations at which a universal perturbation is kept. */
  readonly snapshots?: readonly number[] | undefined
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
  if (spec !== undefined) return openCompiled(folder, compileAttack(spec, options), options)
  if (isAttack(folder)) return evaluationWork(folder)
  throw new ZerothError('invalid-option', `${folder} is no evaluation: it has no ${attackFile}`)
}

/** The same for a spec that has been compiled. */
export async function openCompiled(
  folder: string,
  compiled: CompiledAttack,
  { snapshots }: Pick<EvaluationOptions, 'snapshots'> = {},
): Promise<Evaluation> {
  if (isAttack(folder)) {
    sameAttack(folder, compiled)
    keepSnapshotsAt(folder, snapshots)
    return evaluationWork(folder)
  }
  // What cannot be opened leaves no folder behind.
  const opened = await openAttack(compiled)
  try {
    const record = recordOf(newRunPlace(folder, '').id, compiled, opened)
    await createAttack(folder, snapshots === undefined ? record : { ...record, snapshots })
  } catch (error) {
    await closeWithin(opened.model)
    throw error
  }
  return evaluationWork(folder, opened)
}

function evaluationWork(folder: string, alreadyOpen?: OpenedAttack): Evaluation {
  const record = readAttack(folder)
  let opened = alreadyOpen
  let isInterrupted = false
  const open = async (): Promise<OpenedAttack> => {
    opened ??= await openAttack(compileAttack(record.spec, { locate: () => `${folder}: ` }))
    return opened
  }
  const close = async (): Promise<void> => {
    const { model } = opened ?? {}
    opened = undefined
    if (model !== undefined) await closeWithin(model)
  }
  const name = basename(resolve(folder))
  return {
    kind: 'evaluation',
    folder,
    record,
    perform: (control) =>
      performing(
        folder,
        async (emit, signal) => {
          const stage = { work: name, emit, signal }
          isInterrupted = (await performAttack({ folder, record, open }, stage).finally(close)) === undefined
        },
        control,
      ),
    // A report of before may still be there where a second try was interrupted.
    result: () => (isInterrupted ? undefined : readReport(folder)),
    close,
    [Symbol.asyncDispose]: close,
  }
}
