import type { AttackProgress, ImageRecord } from '../../attacks/index.ts'
import type { ItemDone, Progress } from '../events.ts'

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
  /** Reports how far the evaluation is. */
  flush(): void
}

/** Progress of an evaluation: images done and fooled, queries per second, and the time left at most. */
export function attackMeter(options: AttackMeterOptions): AttackMeter {
  const { emit, clock = () => performance.now(), maxQueries, maxIterations = Infinity, universal } = options
  const underWay = new Map<number, AttackProgress>()
  const finished = new Map<number, ImageRecord>()
  const fooled = new Set<number>()
  let images = { screened: 0, attacked: 0 }
  let began: number | undefined
  let asked = 0
  let reported = Number.NEGATIVE_INFINITY

  const spent = (of: (at: { iteration: number; queries: number }) => number): number =>
    [...underWay.values()].reduce((sum, at) => sum + of(at), 0)
  const past = (of: (record: ImageRecord) => number): number =>
    [...finished.values()].reduce((sum, record) => sum + of(record), 0)

  const left = (rate: number): number | undefined => {
    const waiting = universal ? 1 : images.attacked - finished.size
    const queries = Math.max(0, waiting * maxQueries - spent((at) => at.queries))
    return rate > 0 ? (queries / rate) * 1000 : undefined
  }
  const share = (): number => {
    const part = spent((at) => Math.min(1, Math.max(at.queries / maxQueries, at.iteration / maxIterations)))
    const whole = universal ? 1 : images.attacked
    return whole === 0 ? 0 : Math.min(1, (part + (universal ? 0 : finished.size)) / whole)
  }
  const flush = (): void => {
    const seconds = began === undefined ? 0 : (clock() - began) / 1000
    const rate = seconds > 0 ? asked / seconds : 0
    const isScreening = finished.size === 0 && underWay.size === 0
    const failed = [...finished.values()].filter(({ status }) => status === 'failed').length
    const success = universal ? (underWay.get(-1)?.fooled ?? 0) : fooled.size
    reported = clock()
    emit({
      type: 'progress',
      phase: isScreening ? 'screening' : universal ? 'universal' : 'attacking',
      iterations: spent((at) => at.iteration) + past(({ final }) => (universal ? 0 : (final?.iteration ?? 0))),
      queries: spent((at) => at.queries) + past(({ queries }) => queries),
      rate,
      left: left(rate),
      share: share(),
      items: isScreening
        ? { done: images.screened, total: images.attacked }
        : { done: finished.size, total: images.attacked, fooled: success, failed },
      tail: [],
    })
  }
  const report = (): void => {
    if (clock() - reported >= interval) flush()
  }

  return {
    screened(screened, attacked) {
      images = { screened, attacked }
      report()
    },
    asked(queries) {
      began ??= clock()
      asked += queries
    },
    iteration(at) {
      underWay.set(at.index, at)
      if (at.index >= 0 && at.fooled > 0) fooled.add(at.index)
      report()
    },
    done(record) {
      underWay.delete(record.index)
      finished.set(record.index, record)
      if (record.status === 'fooled') fooled.add(record.index)
      report()
    },
    flush,
  }
}

/** What is told of an image that is done. */
export function itemDone(record: ImageRecord): ItemDone {
  const { index, title, status, reason, label, queries, saved, best, success8bit, files } = record
  const changed = saved ?? best
  return {
    type: 'item',
    index,
    title,
    status,
    reason: reason ?? undefined,
    label: label ?? undefined,
    predicted: changed?.predicted ?? record.predicted ?? undefined,
    queries,
    l2: changed?.l2,
    linf: changed?.linf,
    holdsInBytes: success8bit ?? undefined,
    pictures: Object.values(files ?? {}),
  }
}
