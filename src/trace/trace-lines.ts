import type { RunFile } from './run-file.ts'

/** One iteration of a trace. */
export interface TraceRecord {
  readonly iteration: number
  /** Queries so far. */
  readonly queries: number
  /** The value at the iteration's point; NaN where there was none. */
  readonly value: number
  /** The best value so far; NaN before the first. */
  readonly best: number
  /** How long the run had been at work. */
  readonly seconds: number
}

/** One line of a trace: the bytes from `from` to `to`, its line break included; no record where it is damaged. */
export interface TraceLine {
  readonly from: number
  readonly to: number
  readonly record: TraceRecord | undefined
}

/** The fields of a line, in the order in which they are written. */
export const traceFields = ['iteration', 'queries', 'value', 'best', 'seconds'] as const

/** Bytes read at a time: a line that does not fit is damaged. */
const windowSize = 1 << 18

/** What stands for numbers that JSON cannot say. */
const words: readonly unknown[] = ['NaN', 'Infinity', '-Infinity', '-0']

const whole = '(0|[1-9]\\d*)'
const number = '(-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?|"(?:NaN|-?Infinity|-0)")'
const asWritten = new RegExp(
  `^\\{"iteration":${whole},"queries":${whole},"value":${number},"best":${number},"seconds":${number}\\}$`,
)

/**
 * The whole lines of a file from a byte on, read a window at a time. One of an iteration that is not later than that before
 * it counts as damaged; one that is still being written is left out.
 */
export function* traceLines(file: RunFile, start = 0, end = file.size): Generator<TraceLine, void, void> {
  let latest = 0
  let from = start
  while (from < end) {
    const text = windowOf(file, from, end)
    let at = 0
    for (let stop = text.indexOf('\n'); stop >= 0; stop = text.indexOf('\n', at)) {
      const record = parseLine(text.slice(at, stop))
      const sound = record !== undefined && isCounted(record) && record.iteration > latest
      if (sound) latest = record.iteration
      yield { from: from + at, to: from + stop + 1, record: sound ? record : undefined }
      at = stop + 1
    }
    if (at === 0) {
      const to = nextLine(file, from + text.length, end)
      if (to === undefined) return
      yield { from, to, record: undefined }
      at = to - from
    }
    from += at
  }
}

function isCounted({ iteration, queries }: TraceRecord): boolean {
  return Number.isSafeInteger(iteration) && Number.isSafeInteger(queries)
}

function windowOf(file: RunFile, from: number, end: number): string {
  const room = Buffer.allocUnsafe(Math.min(windowSize, end - from))
  return room.toString('latin1', 0, file.read(room, from))
}

/** Where the line behind the one that a byte belongs to begins; undefined where it has no end. */
function nextLine(file: RunFile, from: number, end: number): number | undefined {
  for (let at = from; at < end; at += windowSize) {
    const stop = windowOf(file, at, end).indexOf('\n')
    if (stop >= 0) return at + stop + 1
  }
  return undefined
}

function parseLine(line: string): TraceRecord | undefined {
  const found = asWritten.exec(line)
  if (found === null) return parseJson(line)
  return {
    iteration: Number(found[1]),
    queries: Number(found[2]),
    value: numberOf(found[3] as string),
    best: numberOf(found[4] as string),
    seconds: numberOf(found[5] as string),
  }
}

function numberOf(text: string): number {
  return Number(text.charCodeAt(0) === 34 ? text.slice(1, -1) : text)
}

/** A line that says the same in another way than zeroth writes it. */
function parseJson(line: string): TraceRecord | undefined {
  let found: Record<string, unknown>
  try {
    found = JSON.parse(line)
  } catch {
    return undefined
  }
  if (typeof found !== 'object' || found === null || Object.keys(found).length !== traceFields.length) return undefined
  if (!traceFields.every((field) => typeof found[field] === 'number' || words.includes(found[field]))) return undefined
  const { iteration, queries, value, best, seconds } = found
  return {
    iteration: Number(iteration),
    queries: Number(queries),
    value: Number(value),
    best: Number(best),
    seconds: Number(seconds),
  }
}
