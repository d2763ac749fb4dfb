import type { HistoryRecord } from '../index.ts'

/** Where progress is shown. */
export interface Screen {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
  write(text: string): unknown
}

/** How progress is shown. */
export interface LiveOptions {
  readonly screen: Screen
  readonly clock: () => number
  readonly maxQueries: number | undefined
  readonly maxIterations: number | undefined
  /** `live`: one line that changes, on a terminal only; `lines`: a new line per interval; `none`: nothing. */
  readonly mode: 'live' | 'lines' | 'none'
  readonly label?: string | undefined
}

/** Progress of a run, at most so often as somebody can read it. */
export interface LiveLine {
  show(record: HistoryRecord): void
  /** Clears the changing line, so that what follows starts on a clean one. */
  end(): void
}

/** Milliseconds between two updates. */
const intervals = { live: 100, lines: 2000 }

/** Shows iteration, queries, best value, queries per second and the time left on stderr. */
export function liveLine({ screen, clock, maxQueries, maxIterations, mode, label }: LiveOptions): LiveLine {
  const began = clock()
  let shown = -Infinity
  let first: HistoryRecord | undefined
  let width = 0
  return {
    show(record) {
      if (mode === 'none') return
      first ??= record
      const now = clock()
      if (now - shown < intervals[mode]) return
      shown = now
      const rate = (record.queries - first.queries) / Math.max((now - began) / 1000, 1e-9)
      const left = remaining(record, first, now - began, maxQueries, maxIterations)
      const text = [
        label,
        `iteration ${record.iteration.toLocaleString('en')}`,
        `queries ${record.queries.toLocaleString('en')}${maxQueries === undefined ? '' : ` of ${maxQueries.toLocaleString('en')}`}`,
        `best ${record.best.toPrecision(6)}`,
        first === record ? undefined : `${perSecond(rate)} queries/s`,
        left === undefined ? undefined : `${duration(left)} left`,
      ]
        .filter((each) => each !== undefined)
        .join('  ')
      if (mode === 'lines') screen.write(`${text}\n`)
      else {
        const fitted = text.slice(0, Math.max((screen.columns ?? 80) - 1, 10))
        screen.write(`\r${fitted.padEnd(width)}`)
        width = fitted.length
      }
    },
    end() {
      if (mode === 'live' && width > 0) screen.write(`\r${' '.repeat(width)}\r`)
      width = 0
    },
  }
}

/** Milliseconds until a limit is reached at the pace so far; undefined where there is no limit, or no pace yet. */
function remaining(
  record: HistoryRecord,
  first: HistoryRecord,
  elapsed: number,
  maxQueries = Infinity,
  maxIterations = Infinity,
): number | undefined {
  const asked = record.queries - first.queries
  const made = record.iteration - first.iteration
  if (asked === 0 || made === 0) return undefined
  const left = Math.min(
    ((maxQueries - record.queries) / asked) * elapsed,
    ((maxIterations - record.iteration) / made) * elapsed,
  )
  return Number.isFinite(left) ? Math.max(left, 0) : undefined
}

function perSecond(rate: number): string {
  return rate >= 100 ? Math.round(rate).toLocaleString('en') : rate.toPrecision(2)
}

/** A time as people say it: 8 s, 3 min 20 s, 2 h 5 min. */
export function duration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
