import type { HistoryRecord } from '../index.ts'
import { millisecondsText } from './duration-text.ts'

/** What progress is measured by. */
export interface LiveOptions {
  /** A monotonic clock in milliseconds. */
  readonly clock: () => number
  readonly maxQueries?: number | undefined
  readonly maxIterations?: number | undefined
  /** Milliseconds left of the run's own time, where that is limited. */
  readonly timeLeft?: (() => number) | undefined
  /** Which of several runs it is. */
  readonly label?: string | undefined
}

/** The line about a run at work. */
export interface LiveLine {
  /** Takes note of an iteration; cheap, for it may be called a hundred thousand times a second. */
  record(record: HistoryRecord): void
  /** Iteration, queries, best value, queries per second and the time left, in so many characters at most. */
  text(width?: number): string
}

/** Follows a run and says how it stands. */
export function liveLine({ clock, maxQueries, maxIterations, timeLeft, label }: LiveOptions): LiveLine {
  const began = clock()
  let first: { readonly record: HistoryRecord; readonly at: number } | undefined
  let latest: HistoryRecord | undefined

  const fields = (record: HistoryRecord, now: number): Field[] => {
    const pace = paceOf(record, first?.record ?? record, now - (first?.at ?? now))
    const left = Math.min(
      timeLeft?.() ?? Infinity,
      ((maxQueries ?? Infinity) - record.queries) / pace.queries,
      ((maxIterations ?? Infinity) - record.iteration) / pace.iterations,
    )
    return [
      { text: `iteration ${grouped(record.iteration)}`, weight: 2 },
      { text: `queries ${grouped(record.queries)}${limitText(maxQueries)}`, weight: 5 },
      { text: `best ${Number.isNaN(record.best) ? '-' : record.best.toPrecision(6)}`, weight: 6 },
      { text: pace.queries > 0 ? `${perSecond(pace.queries * 1000)} queries/s` : '', weight: 3 },
      { text: Number.isFinite(left) ? `${millisecondsText(Math.max(left, 0))} left` : '', weight: 4 },
    ]
  }

  return {
    record(record) {
      first ??= { record, at: clock() }
      latest = record
    },
    text(width = Infinity) {
      const now = clock()
      const waiting = { text: `waiting for the first answers  ${millisecondsText(now - began)}`, weight: 6 }
      const standing = latest === undefined ? [waiting] : fields(latest, now)
      return fitted([{ text: label ?? '', weight: 1 }, ...standing], width)
    },
  }
}

/** A part of a line. */
export interface Field {
  readonly text: string
  /** Where there is no room the lightest goes first. */
  readonly weight: number
}

/** The fields that fit side by side; the last one that is left is cut. */
export function fitted(fields: readonly Field[], width: number): string {
  let shown = fields.filter(({ text }) => text !== '')
  const line = (): string => shown.map(({ text }) => text).join('  ')
  while (line().length > width && shown.length > 1) {
    const lightest = Math.min(...shown.map(({ weight }) => weight))
    shown = shown.filter(({ weight }) => weight !== lightest)
  }
  return line().slice(0, width)
}

/** What is made per millisecond; 0 while that is not known. */
function paceOf(
  record: HistoryRecord,
  first: HistoryRecord,
  elapsed: number,
): { readonly queries: number; readonly iterations: number } {
  if (elapsed <= 0) return { queries: 0, iterations: 0 }
  return {
    queries: (record.queries - first.queries) / elapsed,
    iterations: (record.iteration - first.iteration) / elapsed,
  }
}

function limitText(maxQueries: number | undefined): string {
  return maxQueries === undefined ? '' : ` of ${grouped(maxQueries)}`
}

/** A rate as people read it. */
export function perSecond(rate: number): string {
  return rate >= 100 ? grouped(Math.round(rate)) : String(Number(rate.toPrecision(2)))
}

/** A count with its thousands apart. */
export function grouped(count: number): string {
  return count.toLocaleString('en')
}
