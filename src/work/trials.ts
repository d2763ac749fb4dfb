import { basename, join, resolve } from 'node:path'
import { ZerothError } from '../index.ts'
import { compileAttack } from '../spec/attack/index.ts'
import type { JsonObject } from '../spec/index.ts'
import type { RunResult } from '../trace/index.ts'
import { type EvaluationTrials, evaluationTrials } from './evaluation/index.ts'
import type { Setting } from './greedy-search.ts'
import type { Emit, Stage } from './performing.ts'
import { holdRun } from './run.ts'
import { trialName, trialTitle } from './trial-name.ts'
import { solverWith } from './tuning-search.ts'

/**
 * What a setting leads to with a seed: the less the better, NaN where it leads nowhere. Tells what happens as a member of
 * the tuning, and rejects with the signal's reason where that fires first.
 */
export type Trial = (setting: Setting, seed: number, emit: Emit, signal: AbortSignal) => Promise<number>

/** How settings are tried. */
export interface Trials {
  readonly trial: Trial
  /** Closes what the trials share. */
  readonly close?: (() => Promise<void>) | undefined
}

/** The trials of a resolved spec: runs or, where it has a model, evaluations, each in a folder below that of the tuning. */
export function trialsOf(folder: string, spec: JsonObject): Trials {
  if (!('model' in spec)) return { trial: runTrial(folder, spec) }
  return attackTrials(folder, evaluationTrials(compileAttack(spec, { locate: () => `${folder}: ` })), spec)
}

/** Tries settings in evaluations of one model. */
export function attackTrials(folder: string, { perform, close }: EvaluationTrials, spec: JsonObject): Trials {
  return {
    async trial(setting, seed, emit, signal) {
      const { place, stage } = member(folder, setting, seed, emit, signal)
      const value = await perform(place, { seed, solver: solverWith(spec, setting) }, stage)
      if (value === undefined) throw signal.reason
      return value
    },
    close,
  }
}

function runTrial(folder: string, spec: JsonObject): Trial {
  return async (setting, seed, emit, signal) => {
    const { place, stage } = member(folder, setting, seed, emit, signal)
    const run = await holdRun(place, { ...spec, seed, solver: solverWith(spec, setting) })
    const result = await run.perform(stage)
    if (result.status === 'aborted') throw signal.reason
    return trialValue(result)
  }
}

function member(folder: string, setting: Setting, seed: number, emit: Emit, signal: AbortSignal) {
  const name = trialName(setting, seed)
  const parent = basename(resolve(folder))
  const stage: Stage = { work: `${parent}/${name}`, parent, title: trialTitle(setting, seed), emit, signal }
  return { place: join(folder, name), stage }
}

/** A run that failed later may have had too large a learning rate; one that never began has another reason. */
export function trialValue({ status, value, iterations, error = 'a run failed' }: RunResult): number {
  if (status !== 'failed') return value
  if (iterations === 0) throw new ZerothError('objective-failed', error)
  return Number.NaN
}
