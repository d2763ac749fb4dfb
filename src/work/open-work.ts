import { dirname, resolve } from 'node:path'
import { ZerothError } from '../index.ts'
import type { RunResult } from '../trace/index.ts'
import { isAttack, kindOf } from './folders.ts'
import type { Limits } from './limits.ts'
import { resumeRun } from './run.ts'
import { resumeSeries, type SeriesResult } from './series.ts'
import { resumeTuning, type TuningResult } from './tuning.ts'
import type { Work } from './work.ts'

/** What each kind of work finds. */
export interface WorkResults {
  readonly run: RunResult
  readonly series: SeriesResult
  readonly tuning: TuningResult
}

/** A work of any kind. */
export type AnyWork = { [Kind in keyof WorkResults]: Work<WorkResults[Kind], Kind> }[keyof WorkResults]

const openers: { readonly [Kind in keyof WorkResults]: (folder: string, limits: Limits) => Promise<AnyWork> } = {
  run: openStoredRun,
  series: resumeSeries,
  tuning: (folder: string, limits: Limits) => resumeTuning(folder, { limits }),
}

/** The work in a folder, whatever kind it is, with other limits where some are given. */
export async function openWork(folder: string, limits: Limits = {}): Promise<AnyWork> {
  const kind = kindOf(folder)
  if (kind === undefined) throw new ZerothError('invalid-run', `${folder} holds no work`)
  if (kind === 'evaluation') throw new ZerothError('invalid-run', `${folder} is an attack`)
  return openers[kind](folder, limits)
}

/** A run that is not part of an evaluation, which alone can resume it. */
async function openStoredRun(folder: string, limits: Limits): Promise<Work<RunResult, 'run'>> {
  const above = dirname(resolve(folder))
  const whole = [above, dirname(above)].find(isAttack)
  if (whole === undefined) return resumeRun(folder, limits)
  throw new ZerothError('invalid-option', `${folder} is part of an attack: zeroth resume ${whole} continues it`)
}
