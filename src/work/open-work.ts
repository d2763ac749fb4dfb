import { dirname, resolve } from 'node:path'
import type { AttackReport } from '../attacks/index.ts'
import { ZerothError } from '../index.ts'
import type { RunResult } from '../trace/index.ts'
import { type Evaluation, openEvaluation } from './evaluation/evaluation.ts'
import type { WorkKind } from './events.ts'
import { isAttack, kindOf } from './folders.ts'
import { type Limits, limitKeys } from './limits.ts'
import { resumeRun } from './run.ts'
import { resumeSeries, type SeriesResult } from './series.ts'
import { resumeTuning, type TuningResult } from './tuning.ts'
import type { Work } from './work.ts'

/** What each kind of work finds. */
export interface WorkResults {
  readonly run: RunResult
  readonly series: SeriesResult
  readonly tuning: TuningResult
  readonly evaluation: AttackReport
}

/** A work of any kind. */
export type AnyWork = Work<RunResult, 'run'> | Work<SeriesResult, 'series'> | Work<TuningResult, 'tuning'> | Evaluation

/** How each kind of work is opened. */
const openers: Readonly<Record<WorkKind, (folder: string, limits: Limits) => Promise<AnyWork>>> = {
  run: openStoredRun,
  series: resumeSeries,
  tuning: resumeTuning,
  evaluation: openStoredEvaluation,
}

/** The work in a folder, whatever kind it is, with other limits where some are given. */
export async function openWork(folder: string, limits: Limits = {}): Promise<AnyWork> {
  const kind = kindOf(folder)
  if (kind === undefined) throw new ZerothError('invalid-run', `${folder} holds no work`)
  return openers[kind](folder, limits)
}

/** A run that is not part of an evaluation, which alone can resume it. */
async function openStoredRun(folder: string, limits: Limits): Promise<Work<RunResult, 'run'>> {
  const above = dirname(resolve(folder))
  // Within a smaller limit, an image has a run of its own below its first.
  const whole = [above, dirname(above), dirname(dirname(above))].find(isAttack)
  if (whole === undefined) return resumeRun(folder, limits)
  throw new ZerothError('invalid-option', `${folder} is part of an attack: zeroth resume ${whole} continues it`)
}

async function openStoredEvaluation(folder: string, limits: Limits): Promise<Evaluation> {
  if (limitKeys.every((key) => limits[key] === undefined)) return openEvaluation(folder)
  throw new ZerothError('invalid-option', `${folder} is an attack: it keeps its limits`)
}
