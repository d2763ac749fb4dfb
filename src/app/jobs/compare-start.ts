import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ask, makeAnswers } from '../../optimizer/core/answers.ts'
import type { Objective, Queries } from '../../optimizer/core/types.ts'
import { exponential, logarithm } from '../../optimizer/kernels/functions.ts'
import type { RunResult } from '../store/index.ts'
import { damaged, readStored, writeStored } from './job.ts'

/** The file of a run's comparison. */
const comparisonFile = 'comparison.json'
const format = 'zeroth-comparison'

/** Values of the start and of the best point, measured in turns after a run; null for one that failed. */
export interface Comparison {
  /** The hash of the run's points: those of another best point are not these. */
  readonly hash: string
  /** How many pairs were wanted: 0 where the start is the best point. */
  readonly wanted: number
  readonly start: readonly (number | null)[]
  readonly best: readonly (number | null)[]
}

/** What a best point is compared with, and how. */
interface Compared {
  readonly objective: Objective
  readonly start: Float64Array
  readonly seed: number
  /** Pairs of measurements. */
  readonly wanted: number
  /** Told before the first of them. */
  readonly onBegin: () => void
}

/** Measures the start and the best point in turns until there are as many pairs as wanted, and keeps each pair at once. */
export async function compareWithStart(
  folder: string,
  { hash, point }: RunResult,
  { objective, start, seed, wanted, onBegin }: Compared,
  signal: AbortSignal,
): Promise<void> {
  const before = readComparison(folder)
  let found: Comparison = before?.hash === hash ? before : { hash, wanted, start: [], best: [] }
  const best = Float64Array.from(point)
  if (best.every((each, i) => each === start[i])) {
    writeStored(join(folder, comparisonFile), format, { ...found, wanted: 0 })
    return
  }
  onBegin()
  while (found.best.length < wanted && !signal.aborted) {
    const round = found.best.length
    const measure = (at: Float64Array) => valueAt(objective, at, { seed, round }, signal)
    // Who goes first changes: what drifts does not favour either.
    const first = round % 2 === 0
    const one = await measure(first ? start : best)
    const other = await measure(first ? best : start)
    if (signal.aborted) return
    const [ofStart, ofBest] = first ? [one, other] : [other, one]
    found = { hash, wanted, start: [...found.start, ofStart], best: [...found.best, ofBest] }
    writeStored(join(folder, comparisonFile), format, found)
  }
}

async function valueAt(
  objective: Objective,
  point: Float64Array,
  { seed, round }: { seed: number; round: number },
  signal: AbortSignal,
): Promise<number | null> {
  const queries: Queries = {
    key: { seed, iteration: 0xffffffff - round },
    rows: 1,
    dim: point.length,
    centers: 1,
    sample: () => round,
    write: (_, into, offset = 0) => into.set(point, offset),
  }
  const answers = makeAnswers(1)
  await ask(objective, queries, answers, signal)
  const [value = Number.NaN] = answers.values
  return answers.failed[0] === 0 && Number.isFinite(value) ? value : null
}

/** The comparison of a run; undefined where there is none. */
export function readComparison(folder: string): Comparison | undefined {
  const file = join(folder, comparisonFile)
  if (!existsSync(file)) return undefined
  const read = readStored(file, format)
  const isList = (list: unknown): boolean =>
    Array.isArray(list) && list.every((each) => each === null || Number.isFinite(each))
  if (typeof read.hash === 'string' && isList(read.start) && isList(read.best)) return read as unknown as Comparison
  throw damaged(file, 'it does not hold two lists of values')
}

/** How much better the best point is than the start, with a 95 % interval. */
export interface Gain {
  /** Quotients where all values are above 0 (1.5: one and a half times as good), otherwise differences. */
  readonly kind: 'factor' | 'difference'
  readonly value: number
  readonly low: number
  readonly high: number
  /** Pairs in which both had a value. */
  readonly pairs: number
  /** Measurements without a value. */
  readonly failed: number
}

/**
 * Student's interval over the pairs: of the logarithms of their quotients, or of their differences. Above 1, or above 0, the
 * best point is better, whichever way is better.
 */
export function gainOf({ start, best }: Comparison, maximize: boolean): Gain | undefined {
  const pairs = start.flatMap((from, i): [number, number][] => {
    const to = best[i]
    return from === null || to === null || to === undefined ? [] : [[from, to]]
  })
  const failed = [...start, ...best].filter((each) => each === null).length
  if (pairs.length < 2) return undefined
  const sign = maximize ? -1 : 1
  const measured = pairs.map(([from, to]): [number, number] => [sign * from, sign * to])
  const isFactor = measured.every(([from, to]) => from > 0 && to > 0)
  const gains = measured.map(([from, to]) => sign * (isFactor ? logarithm(from / to) : from - to))
  const mean = gains.reduce((sum, each) => sum + each, 0) / gains.length
  const squares = gains.reduce((sum, each) => sum + (each - mean) * (each - mean), 0)
  const half = studentQuantile(gains.length - 1) * Math.sqrt(squares / (gains.length - 1) / gains.length)
  const [value, low, high] = [mean, mean - half, mean + half].map((each) => (isFactor ? exponential(each) : each)) as [
    number,
    number,
    number,
  ]
  return { kind: isFactor ? 'factor' : 'difference', value, low, high, pairs: gains.length, failed }
}

/** The 97.5 % quantiles of Student's distribution with 1, 2, ... degrees of freedom. */
const quantiles = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11,
  2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
]

function studentQuantile(freedom: number): number {
  return quantiles[freedom - 1] ?? 1.96 + 2.46 / freedom
}
