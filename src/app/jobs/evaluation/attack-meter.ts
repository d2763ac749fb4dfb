import type { QueueCounts } from '../../../optimizer/core/types.ts'
import { className } from '../../../robustness/images/index.ts'
import { type AttackProgress, changeIn, type ImageRecord, isUnmeasured } from '../../../robustness/index.ts'
import { limitsOf } from '../../spec/attack/index.ts'
import type { ItemDone, JobContext, Progress } from '../events.ts'
import type { AttackRecord } from './attack-record.ts'

/** Milliseconds between two reports of progress at least. */
const interval = 100

/** What a meter is told and whom it tells. */
export interface AttackMeterOptions {
  readonly emit: (progress: Progress) => void
  /** A monotonic clock in milliseconds. */
  readonly clock?: (() => number) | undefined
  readonly maxQueries: number
  readonly maxIterations?: number | undefined
  readonly universal: boolean
}

/** Follows an evaluation and reports progress now and then. */
export interface AttackMeter {
  /** This many images have been screened, of which so many are to be attacked. */
  screened(images: number, attacked: number): void
  /** The model has answered this many queries. */
  asked(queries: number): void
  iteration(at: AttackProgress): void
  done(record: ImageRecord): void
  /** The model has not answered for this many milliseconds; undefined once it has. */
  outage(milliseconds: number | undefined): void
  /** Who attacks images elsewhere, and what is left to do there. */
  counted(counts: QueueCounts): void
  /** Reports how far the evaluation is. */
  flush(): void
}

/** What counts the progress of an evaluation. */
export function meterOf({ spec }: AttackRecord, { emit, job }: JobContext): AttackMeter {
  return attackMeter({
    emit: (progress) => emit(job, progress),
    // Each of several limits has the whole budget.
    maxQueries: Number(spec.maxQueries) * (limitsOf(spec)?.sizes.length ?? 1),
    maxIterations: spec.maxIterations as number | undefined,
    universal: spec.universal === true,
  })
}

/** Progress of an evaluation: images done and fooled, queries per second, and the time left at most. */
export function attackMeter(options: AttackMeterOptions): AttackMeter {
  const { emit, clock = () => performance.now(), maxQueries, maxIterations = Infinity, universal } = options
  const tally: Counts = {
    ...{
      maxQueries,
      maxIterations,
      universal,
      screened: 0,
      attacked: 0,
      asked: 0,
      began: undefined,
      silent: undefined,
      queue: undefined,
    },
    ...{ underWay: new Map(), finished: new Map(), fooled: new Set() },
  }
  let reported = Number.NEGATIVE_INFINITY
  const flush = (): void => {
    reported = clock()
    emit(progressOf(tally, reported))
  }
  const report = (): void => {
    if (clock() - reported >= interval) flush()
  }
  return {
    screened(screened, attacked) {
      Object.assign(tally, { screened, attacked })
      report()
    },
    asked(queries) {
      tally.began ??= clock()
      tally.asked += queries
    },
    iteration(at) {
      tally.underWay.set(at.index, at)
      if (at.index >= 0 && at.fooled > 0) tally.fooled.add(at.index)
      report()
    },
    done(record) {
      tally.underWay.delete(record.index)
      tally.finished.set(record.index, record)
      if (record.status === 'fooled') tally.fooled.add(record.index)
      report()
    },
    outage(milliseconds) {
      tally.silent = milliseconds
      flush()
    },
    counted(counts) {
      tally.queue = counts
      flush()
    },
    flush,
  }
}

/** What a meter has been told so far. */
interface Counts extends Required<Pick<AttackMeterOptions, 'maxQueries' | 'universal'>> {
  readonly maxIterations: number
  screened: number
  attacked: number
  /** Queries the model has answered, and since when. */
  asked: number
  began: number | undefined
  silent: number | undefined
  queue: QueueCounts | undefined
  readonly underWay: Map<number, AttackProgress>
  readonly finished: Map<number, ImageRecord>
  readonly fooled: Set<number>
}

function progressOf(tally: Counts, now: number): Progress {
  const { universal, attacked, asked, began, underWay, finished } = tally
  const seconds = began === undefined ? 0 : (now - began) / 1000
  const rate = seconds > 0 ? asked / seconds : 0
  const isScreening = finished.size === 0 && underWay.size === 0
  const done = [...finished.values()]
  const failed = done.filter(isUnmeasured).length
  const fooled = universal ? (underWay.get(-1)?.fooled ?? 0) : tally.fooled.size
  const iterations = universal ? 0 : sum(done, ({ final }) => final?.iteration ?? 0)
  return {
    type: 'progress',
    phase: isScreening ? 'screening' : universal ? 'universal' : 'attacking',
    iterations: iterations + sum(underWay.values(), ({ iteration }) => iteration),
    queries: sum(done, ({ queries }) => queries) + sum(underWay.values(), ({ queries }) => queries),
    rate,
    left: rate > 0 ? (queriesLeft(tally) / rate) * 1000 : undefined,
    share: shareOf(tally),
    waiting: tally.silent,
    items: isScreening
      ? { done: tally.screened, total: attacked }
      : { done: finished.size, total: attacked, fooled, failed },
    queue: tally.queue,
    tail: [],
  }
}

/** Queries that are left at most. */
function queriesLeft({ universal, attacked, maxQueries, underWay, finished }: Counts): number {
  const waiting = universal ? 1 : attacked - finished.size
  return Math.max(0, waiting * maxQueries - sum(underWay.values(), ({ queries }) => queries))
}

/** Images at their end count as a whole, those under way by what is larger of their queries and iterations. */
function shareOf({ universal, attacked, maxQueries, maxIterations, underWay, finished }: Counts): number {
  const begun = sum(underWay.values(), ({ queries, iteration }) =>
    Math.min(1, Math.max(queries / maxQueries, iteration / maxIterations)),
  )
  const whole = universal ? 1 : attacked
  return whole === 0 ? 0 : Math.min(1, (begun + (universal ? 0 : finished.size)) / whole)
}

function sum<T>(list: Iterable<T>, of: (each: T) => number): number {
  let total = 0
  for (const each of list) total += of(each)
  return total
}

/** What is told of an image that is done. */
export function itemDone(record: ImageRecord, classNames?: readonly string[]): ItemDone {
  const { index, title, status, reason, label, queries, success8bit, files } = record
  const changed = changeIn(record)
  const predicted = changed?.predicted ?? record.predicted ?? undefined
  return {
    type: 'item',
    index,
    title,
    status,
    reason: reason ?? undefined,
    label: label ?? undefined,
    labelName: className(label, classNames),
    predicted,
    predictedName: className(predicted, classNames),
    queries,
    l2: changed?.l2,
    linf: changed?.linf,
    holdsInBytes: success8bit ?? undefined,
    pictures: Object.values(files ?? {}),
  }
}
