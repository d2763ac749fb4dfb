import { ZerothError } from '../../core/errors.ts'
import type { Phase } from '../../core/types.ts'
import { type Curve, curveOf } from '../chart/curve.ts'

/** One number per iteration, in every column as many. */
export interface RunTrace {
  readonly iteration: ArrayLike<number>
  readonly queries: ArrayLike<number>
  /** The value at the point of the iteration; NaN where there was none. */
  readonly value: ArrayLike<number>
  /** The best value so far; NaN before the first. */
  readonly best: ArrayLike<number>
  /** Seconds since the run began. */
  readonly seconds: ArrayLike<number>
}

/** How a run ended. */
export interface RunEnd {
  readonly value: number
  readonly point: ArrayLike<number>
  /** The same by name, where variables have names. */
  readonly variables?: Readonly<Record<string, number>> | undefined
  readonly last: { readonly value: number }
  readonly queries: number
  readonly cacheHits: number
  readonly retries: number
  readonly iterations: number
  readonly stopReason: string
  readonly failures: { readonly count: number; readonly first?: string | undefined }
  readonly skippedIterations: number
  readonly warnings: readonly string[]
  readonly phases?: readonly Phase[] | undefined
  readonly seed: number
  readonly seconds: number
  readonly hash: string
}

/** What a report reads of a run: all of it was recorded during the run. */
export interface RunData {
  readonly name: string
  readonly meta: {
    readonly id: string
    /** When the run was made, as ISO text. */
    readonly created: string
    /** The version of zeroth that made it. */
    readonly zeroth: string
    /** The resolved spec, which reruns the run exactly. */
    readonly spec: Readonly<Record<string, unknown>>
    readonly machine: Readonly<Record<string, unknown>>
  }
  /** `finished`, `aborted`, `failed`, `running` or `interrupted`. */
  readonly status: string
  /** Missing where the run has not ended. */
  readonly result?: RunEnd | undefined
  readonly trace: RunTrace
  /** Iterations of the run, where `trace` has only some of them. */
  readonly traceLength?: number | undefined
  /** What of the run could not be read, in words. */
  readonly problems?: readonly string[] | undefined
}

/** Refuses what cannot be reported: no run at all, or a trace whose columns differ in length. */
export function checkRuns(runs: readonly RunData[]): void {
  if (runs.length === 0) {
    throw new ZerothError('invalid-data', 'runPage: there are no runs to report, give at least one')
  }
  for (const { name, trace } of runs) {
    const lengths = Object.entries(trace).map(([column, { length }]) => `${column} ${length}`)
    if (new Set(Object.values(trace).map(({ length }) => length)).size > 1) {
      throw new ZerothError(
        'invalid-data',
        `runPage: the columns of the trace of run ${name} must be equally long, got ${lengths.join(', ')}`,
      )
    }
  }
}

/** The best value of a run: that of its result, or the latest its trace has; NaN where there is none. */
export function bestValue({ result, trace }: RunData): number {
  return result === undefined || Number.isNaN(result.value) ? latest(trace.best) : result.value
}

/** Whether answers vary and the run is judged by its last one: then the lowest it ever had are lower by luck. */
export function hasLuckyAnswers({ result, trace }: RunData): boolean {
  const lowest = latest(trace.best)
  return result !== undefined && lowest < result.value
}

/** Queries a run has used, as far as is known. */
export function queriesOf({ result, trace }: RunData): number {
  return result?.queries ?? latestCount(trace.queries)
}

/** Seconds a run has taken, as far as is known; NaN where its trace has not begun. */
export function secondsOf({ result, trace }: RunData): number {
  return result?.seconds ?? latest(trace.seconds)
}

/** Iterations a run has done, as far as is known. */
export function iterationsOf({ result, trace }: RunData): number {
  return result?.iterations ?? latestCount(trace.iteration)
}

/** The seed of a run, from its result or its spec. */
export function seedOf({ result, meta }: RunData): number | undefined {
  const { seed } = meta.spec
  return result?.seed ?? (typeof seed === 'number' ? seed : undefined)
}

/** Whether a run reached its own end: one that was stopped by hand or by a failure says little about its method. */
export function isFinished({ status, result }: RunData): boolean {
  return status === 'finished' && result !== undefined
}

/** What a run is drawn against. */
export type Progress = 'queries' | 'seconds'

/** The best value so far, to the very end of the run: the final point counts, too. */
export function bestCurve({ trace, result }: RunData, progress: Progress): Curve {
  const end = result === undefined ? [] : [{ x: result[progress], y: result.value }]
  return curveOf(trace[progress], trace.best, end)
}

/** The value at the point of each iteration. */
export function valueCurve({ trace }: RunData, progress: Progress): Curve {
  return curveOf(trace[progress], trace.value)
}

function latest(column: ArrayLike<number>): number {
  for (let i = column.length - 1; i >= 0; i--) if (!Number.isNaN(column[i])) return column[i] as number
  return Number.NaN
}

function latestCount(column: ArrayLike<number>): number {
  const last = latest(column)
  return Number.isNaN(last) ? 0 : last
}
