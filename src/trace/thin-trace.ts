import type { TraceRecord } from './trace-lines.ts'

/** A stretch of iterations and which of them stand for it: its first and last, its lowest and highest value. */
interface Stretch {
  readonly first: TraceRecord
  last: TraceRecord
  lowest: TraceRecord
  highest: TraceRecord
}

/** What is left of a trace, and how many iterations it had. */
export interface ThinTrace {
  readonly records: readonly TraceRecord[]
  readonly length: number
}

const perStretch = 4
/** The fewest iterations a trace can be thinned to: two stretches and the best. */
export const leastPoints: number = 2 * perStretch + 1

/**
 * At most `points` iterations of a trace, in one pass and without holding more; all of them where there are no more. Of a
 * longer trace, stretches of equally many iterations keep their first, lowest, highest and last one; the first iteration
 * with the best value stays, too. What is kept depends on the trace and on `points` alone.
 */
export function thinTrace(records: Iterable<TraceRecord>, points: number): ThinTrace {
  const most = Math.floor((points - 1) / perStretch)
  let all: TraceRecord[] | undefined = []
  let stretches: Stretch[] = []
  let width = 1
  let length = 0
  let best: TraceRecord | undefined
  for (const record of records) {
    if (best === undefined || isBelow(record.best, best.best)) best = record
    const current = length++ % width === 0 ? undefined : stretches.at(-1)
    if (current === undefined) stretches.push({ first: record, last: record, lowest: record, highest: record })
    else extend(current, record)
    if (all !== undefined && all.push(record) > points) all = undefined
    if (stretches.length > most) {
      stretches = inPairs(stretches)
      width *= 2
    }
  }
  return { records: all ?? kept(stretches, best), length }
}

function kept(stretches: readonly Stretch[], best: TraceRecord | undefined): TraceRecord[] {
  const chosen = new Set(stretches.flatMap(({ first, lowest, highest, last }) => [first, lowest, highest, last]))
  if (best !== undefined) chosen.add(best)
  return [...chosen].sort((a, b) => a.iteration - b.iteration)
}

function extend(stretch: Stretch, record: TraceRecord): void {
  stretch.last = record
  if (isBelow(record.value, stretch.lowest.value)) stretch.lowest = record
  if (isBelow(-record.value, -stretch.highest.value)) stretch.highest = record
}

/** Stretches twice as long; an odd one at the end is not full yet. */
function inPairs(stretches: readonly Stretch[]): Stretch[] {
  const pairs: Stretch[] = []
  for (let i = 0; i < stretches.length; i += 2) {
    const [one, other] = [stretches[i] as Stretch, stretches[i + 1]]
    pairs.push(other === undefined ? one : joined(one, other))
  }
  return pairs
}

function joined(one: Stretch, other: Stretch): Stretch {
  return {
    first: one.first,
    last: other.last,
    lowest: isBelow(other.lowest.value, one.lowest.value) ? other.lowest : one.lowest,
    highest: isBelow(-other.highest.value, -one.highest.value) ? other.highest : one.highest,
  }
}

/** Whether a number is below another; what is not finite cannot be drawn, and counts as above all that is. */
function isBelow(one: number, other: number): boolean {
  return Number.isFinite(one) && !(Number.isFinite(other) && one >= other)
}
