import { fewestPairs } from '../claims/paired.ts'
import type { Run, Trial } from './attacks.ts'
import { average, type Comparison, compare, shared } from './comparison.ts'
import { baseline, favorite } from './contenders.ts'

/** So many times fewer queries to the first success are wanted. */
export const wantedTimes = 4

/** A method against another: whether it is better, and whether by as much as is wanted. */
export interface Judgement {
  readonly comparison: Comparison
  readonly success: number
  readonly otherSuccess: number
  /** Whether there are images enough for a judgement. */
  readonly isEnough: boolean
  /** Fewer queries, no more distortion, no lower success rate. */
  readonly isBetter: boolean
  /** At least `wantedTimes` fewer queries at that. */
  readonly isMet: boolean
  /** What is missing to the goal. */
  readonly shortfalls: readonly string[]
}

/**
 * Judges a method against another, by the seeds that both have. Both ways to count how many times fewer queries it needs
 * must say so, and a handful of images decides nothing.
 */
export function judge(runs: readonly Run[], others: readonly Run[]): Judgement {
  const comparison = compare(runs, others)
  const [success, otherSuccess] = [successOf(shared(runs, others)), successOf(shared(others, runs))]
  const { images, timesFewer, timesFewerOfMeans, finalShare } = comparison
  const times = Math.min(timesFewer.value, timesFewerOfMeans.value)
  const isNotWorse = finalShare.value <= 1 && success >= otherSuccess
  const isEnough = images >= fewestPairs
  const shortfalls = [
    isEnough ? '' : `too few images fooled by both, ${images}`,
    times >= wantedTimes ? '' : `not ${wantedTimes} times fewer queries`,
    finalShare.value <= 1 ? '' : 'more distortion',
    success >= otherSuccess ? '' : 'a lower success rate',
  ].filter((text) => text !== '')
  // No image is fooled by both if the other fools none.
  const isAlone = images === 0 && otherSuccess === 0 && success > 0
  const isBetter = isAlone || (isEnough && times > 1 && isNotWorse)
  return { comparison, success, otherSuccess, isEnough, isBetter, isMet: shortfalls.length === 0, shortfalls }
}

/** One rate of ZO-AdaMM, and what became of it. */
export interface JudgedRate {
  readonly rate: number
  readonly isChosen: boolean
  readonly judgement: Judgement
}

/** `zeroth` as it is against every rate of ZO-AdaMM on the tuning images, as far as their attacks are there. */
export function judgedRates(trials: readonly Trial[]): JudgedRate[] {
  const own = trials.find(({ contender, isChosen }) => contender.name === favorite.name && isChosen)
  if (own?.report === undefined) return []
  const asRun = ({ cell, report }: Trial): Run => ({ seed: 0, cell, report })
  return trials.flatMap((trial): JudgedRate[] => {
    const { contender, report, setting, isChosen } = trial
    if (contender.name !== baseline.name || report === undefined || setting === undefined) return []
    return [{ rate: setting, isChosen, judgement: judge([asRun(own)], [asRun(trial)]) }]
  })
}

function successOf(runs: readonly Run[]): number {
  return average(runs.flatMap(({ report }) => report?.summary.attackSuccessRate ?? [])).mean
}
