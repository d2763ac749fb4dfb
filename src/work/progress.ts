import { History, type HistoryRecord } from '../core/history.ts'
import type { Session } from '../core/session.ts'
import type { Budget, QueueCounts } from '../core/types.ts'
import type { Progress, TimedRecord } from './events.ts'

/** Milliseconds between two reports of progress at least. */
const usualInterval = 100

/** Iterations that a report of progress carries at most. */
const tailLength = 64

/** Variables that a report of progress carries at most. */
const mostVariables = 12

/** What a meter is told and whom it tells. */
export interface MeterOptions {
  readonly emit: (progress: Progress) => void
  readonly budget: Budget
  /** Milliseconds left of the work's own time, where that is limited. */
  readonly timeLeft?: (() => number) | undefined
  /** Milliseconds between two reports at least (default: 100). Infinity: only `flush` reports. */
  readonly interval?: number | undefined
}

/** Follows the iterations of a run and reports progress now and then. */
export interface Meter {
  /** Takes note of an iteration. Cheap: it may be called a hundred thousand times a second. */
  record(record: TimedRecord, isReplayed?: boolean, session?: Pick<Session, 'best'>): void
  /** Reports who evaluates elsewhere, however long an iteration takes. */
  counted(counts: QueueCounts): void
  /** Reports what has not been reported yet. */
  flush(): void
}

/** Where a run is before its first iteration. */
const nowhere: HistoryRecord = { iteration: 0, queries: 0, value: Number.NaN, best: Number.NaN }

/** Progress by iterations. What is read again from a journal counts for the place, not for the pace. */
export function progressMeter({ emit, budget, timeLeft, interval = usualInterval }: MeterOptions): Meter {
  let latest: HistoryRecord | undefined
  let place = nowhere
  let queue: QueueCounts | undefined
  let source: Pick<Session, 'best'> | undefined
  let first: { readonly record: HistoryRecord; readonly at: number } | undefined
  let tail = new History<TimedRecord>(tailLength - 1)
  let reported = interval === Infinity ? 0 : Number.NEGATIVE_INFINITY

  const report = (record: HistoryRecord, now: number): void => {
    const { iteration, queries, value, best } = record
    const pace = paceOf(record, first?.record ?? record, now - (first?.at ?? now))
    const left = timeOf(record, pace, budget, timeLeft?.())
    const rate = 1000 * pace.queries
    emit({
      type: 'progress',
      iterations: iteration,
      queries,
      value,
      best,
      ...firstOf(source?.best),
      rate,
      left,
      queue,
      tail: tail.records(),
    })
    reported = now
    latest = undefined
    place = record
    tail = new History<TimedRecord>(tailLength - 1)
  }

  return {
    record(record, isReplayed = false, session) {
      latest = record
      source = session
      tail.add(record)
      const now = performance.now()
      if (isReplayed || first === undefined) first = { record, at: now }
      if (now - reported >= interval) report(record, now)
    },
    counted(counts) {
      queue = counts
      report(latest ?? place, performance.now())
    },
    flush() {
      if (latest !== undefined) report(latest, performance.now())
    },
  }
}

/** The beginning of the best point: by name where variables have names. */
function firstOf(best: Session['best'] | undefined): Pick<Progress, 'variables' | 'point'> {
  if (best === undefined) return {}
  const { variables, point } = best
  if (variables === undefined) return { point: Array.from(point.subarray(0, mostVariables)) }
  return { variables: Object.fromEntries(Object.entries(variables).slice(0, mostVariables)) }
}

interface Pace {
  readonly queries: number
  readonly iterations: number
}

/** What is done per millisecond; 0 while that is not known. */
function paceOf(record: HistoryRecord, first: HistoryRecord, elapsed: number): Pace {
  if (elapsed <= 0) return { queries: 0, iterations: 0 }
  return {
    queries: (record.queries - first.queries) / elapsed,
    iterations: (record.iteration - first.iteration) / elapsed,
  }
}

/** Milliseconds until the limit that is reached first; undefined where none is in sight. */
function timeOf(
  { queries, iteration }: HistoryRecord,
  pace: Pace,
  { maxQueries = Infinity, maxIterations = Infinity }: Budget,
  most = Infinity,
): number | undefined {
  const left = Math.min(most, (maxQueries - queries) / pace.queries, (maxIterations - iteration) / pace.iterations)
  return Number.isFinite(left) ? Math.max(left, 0) : undefined
}
