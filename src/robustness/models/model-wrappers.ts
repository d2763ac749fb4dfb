import { inParallel } from '../../optimizer/core/answers.ts'
import { callAfter, follow, later, onAbort } from '../../optimizer/core/async.ts'
import { isConnectionError, isFatal, ZerothError } from '../../optimizer/core/errors.ts'
import {
  functionThat,
  type Input,
  join,
  numberFrom,
  type Output,
  optional,
  parseOptions,
  positive,
  table,
  withDefault,
} from '../../optimizer/core/options.ts'
import { untilAborted } from '../../optimizer/wrappers/around.ts'
import { keepPace, paceOptions } from '../../optimizer/wrappers/limits.ts'
import { backOff, backOffOptions, gaveUp, isFinal, retryAfterOf } from '../../optimizer/wrappers/retried.ts'
import { checkModel, type Images, type Model, modelWith, someImages } from './model.ts'
import { checkScoreBuffer, evenShare, mayPass } from './network-model.ts'

/** A call that waits for company. */
interface Waiting {
  readonly images: Images
  readonly into: Float32Array | Float64Array
  readonly signal: AbortSignal | undefined
  readonly done: () => void
  readonly fail: (reason: unknown) => void
}

/**
 * A model that is asked about the images of several callers at once: calls made in the same moment fill its batches
 * together, and so do those made while it has enough to do. Every caller gets its own scores, the same as if it had been
 * alone, as soon as they are all there, and its own failures: where a whole call is refused, its images are asked about one
 * by one, so that none is taken for refused because of its company. Images that are to be alone have calls of their own.
 */
export function batchedModel(model: Model): Model {
  checkModel(model, 'batchedModel')
  const enough = model.batch * (model.places ?? 1)
  const rooms = scoreBuffers()
  let waiting: Waiting[] = []
  let underWay = 0
  let isComing = false

  const flush = (): void => {
    isComing = false
    const together = waiting.filter(({ signal, fail }) => {
      if (signal?.aborted === true) fail(signal.reason)
      return signal?.aborted !== true
    })
    waiting = together.filter(({ images }) => images.isAlone !== true)
    for (const each of together) if (each.images.isAlone === true) ask([each])
    // A call that fills no batch may as well wait for company, as long as every place has something to do.
    if (waiting.length === 0 || (underWay >= enough && rowsOf(waiting) < model.batch)) return
    const company = waiting
    waiting = []
    ask(company)
  }
  const ask = (callers: readonly Waiting[]): void => {
    for (const { signal } of callers) signal?.removeEventListener('abort', soon)
    underWay += rowsOf(callers)
    const scores = rooms.take(rowsOf(callers) * model.classes)
    void askTogether(model, callers, scores, (rows) => {
      underWay -= rows
      soon()
    }).then(() => rooms.give(scores))
  }
  const soon = (): void => {
    if (isComing || waiting.length === 0) return
    isComing = true
    later(flush)
  }

  return {
    ...modelWith(model, {}),
    predict: (images, into, signal) =>
      new Promise<void>((done, fail) => {
        checkScoreBuffer(into, images.rows * model.classes)
        waiting.push({ images, into, signal, done, fail })
        // One that is given up while it waits is told so at once.
        signal?.addEventListener('abort', soon, { once: true })
        soon()
      }),
    close: () => model.close(),
  }
}

/** Memory for scores, as many as are in use at once; what is given back is used again. */
function scoreBuffers() {
  const free: Float64Array[] = []
  return {
    take(length: number): Float64Array {
      const at = free.findIndex((room) => room.length >= length)
      const [room] = free.splice(Math.max(0, at), 1)
      return at < 0 ? new Float64Array(length) : (room as Float64Array)
    },
    give: (room: Float64Array): void => void free.push(room),
  }
}

function rowsOf(callers: readonly Waiting[]): number {
  return callers.reduce((sum, { images }) => sum + images.rows, 0)
}

/** Asks about the images of all, with room for their scores; `left` is told how many rows of callers that have got their answer are off the way. */
async function askTogether(
  model: Model,
  callers: readonly Waiting[],
  room: Float64Array,
  left: (rows: number) => void,
): Promise<void> {
  const { classes } = model
  const first: number[] = []
  const owner: number[] = []
  callers.forEach(({ images }, i) => {
    first.push(owner.length)
    for (let row = 0; row < images.rows; row++) owner.push(i)
  })
  const scores = room.subarray(0, owner.length * classes).fill(Number.NaN)
  const isAnswered = new Uint8Array(owner.length)
  const missing = callers.map(({ images }) => images.rows)
  const open = new Set(callers)
  const ownScores = (i: number): Float64Array => {
    const from = first[i] as number
    return scores.subarray(from * classes, (from + (callers[i] as Waiting).images.rows) * classes)
  }
  /** Gives a caller its scores, and its failure where it has one. */
  const close = (i: number, reason?: unknown): void => {
    const caller = callers[i] as Waiting
    open.delete(caller)
    caller.into.set(ownScores(i))
    if (caller.signal?.aborted === true) caller.fail(caller.signal.reason)
    else if (reason !== undefined) caller.fail(reason)
    else caller.done()
    left(caller.images.rows)
  }
  const answered = (row: number): void => {
    const who = owner[row] as number
    if (isAnswered[row] === 1) return
    isAnswered[row] = 1
    missing[who] = (missing[who] as number) - 1
    // Where a score is no number, it is for the end to tell why.
    if (missing[who] === 0 && open.has(callers[who] as Waiting) && !hasGap(ownScores(who))) close(who)
  }
  const all = { ...imagesOf(callers, first, owner), answered }
  const abort = new AbortController()
  const stop = abortTogether(callers, open, abort)
  const reasons = await reasonsOf(model, all, scores, abort.signal).finally(stop)
  callers.forEach((caller, i) => {
    if (!open.has(caller)) return
    const own = Array.from(reasons).flatMap(([row, reason]) => (owner[row] === i ? [reason] : []))
    close(i, own.find(isConnectionError) ?? own[0])
  })
}

function hasGap(scores: Float64Array): boolean {
  for (let i = 0; i < scores.length; i++) if (Number.isNaN(scores[i])) return true
  return false
}

/** The images of all callers, one after the other. */
function imagesOf(callers: readonly Waiting[], first: readonly number[], owner: readonly number[]): Images {
  return {
    rows: owner.length,
    isAlone: callers.every(({ images }) => images.isAlone === true),
    write(row, into, offset) {
      const who = owner[row] as number
      callers[who]?.images.write(row - (first[who] as number), into, offset)
    },
    writeTwo(row, into, offset) {
      const who = owner[row] as number
      const from = row - (first[who] as number)
      return owner[row + 1] === who && callers[who]?.images.writeTwo?.(from, into, offset) === true
    },
    writeTensor(row, into, offset) {
      const who = owner[row] as number
      return callers[who]?.images.writeTensor?.(row - (first[who] as number), into, offset) === true
    },
    askedAgain(row) {
      const who = owner[row] as number
      callers[who]?.images.askedAgain?.(row - (first[who] as number))
    },
  }
}

/** Asks the model; returns why the rows have no scores that have none. */
async function reasonsOf(
  model: Model,
  all: Images,
  scores: Float64Array,
  signal: AbortSignal,
): Promise<Map<number, unknown>> {
  const { classes } = model
  const of = (row: number): Float64Array => scores.subarray(row * classes, (row + 1) * classes)
  const reasons = new Map<number, unknown>()
  const ask = async (rows: readonly number[], images: Images, into: Float64Array): Promise<unknown> => {
    try {
      await model.predict(images, into, signal)
      return undefined
    } catch (error) {
      for (const row of rows) if (hasGap(of(row))) reasons.set(row, error)
      return error
    }
  }
  const error = await ask(
    Array.from({ length: all.rows }, (_, row) => row),
    all,
    scores,
  )
  const unsaid = [...reasons.keys()]
  // A failure on the way, or of the setup, is that of all; a refusal may be about one of them.
  if (unsaid.length < 2 || signal.aborted || isConnectionError(error) || isFatal(error)) return reasons
  const askAlone = async (at: number): Promise<void> => {
    const row = unsaid[at] as number
    reasons.delete(row)
    all.askedAgain?.(row)
    await ask([row], someImages(all, [row]), of(row))
  }
  await inParallel(unsaid.length, model.places ?? 1, askAlone, () => !signal.aborted)
  return reasons
}

/** The common call is given up only when none of the callers in it waits any more. Returns what stops listening. */
function abortTogether(callers: readonly Waiting[], open: ReadonlySet<Waiting>, abort: AbortController): () => void {
  const check = (): void => {
    if (![...open].every(({ signal }) => signal?.aborted === true)) return
    const [last] = open
    if (last !== undefined) abort.abort(last.signal?.reason)
  }
  const forget = callers.map(({ signal }) => onAbort(signal, check))
  return () => {
    for (const each of forget) each()
  }
}

const persistentOptions = join(
  backOffOptions,
  table({
    /**
     * Milliseconds after which a model that has not answered is asked no more, those of an attempt that hangs included;
     * only attempts count if left out.
     */
    patience: optional(numberFrom(0)),
    /** A monotonic clock in milliseconds. Default () => performance.now(). */
    clock: withDefault(functionThat<() => number>('must be a function'), () => () => performance.now()),
  }),
)

/** Options of `persistent`: those of `retried`, and how long its patience lasts. */
export type PersistentOptions = Input<typeof persistentOptions>

/** A model that is silent: for how many milliseconds, and what came instead of the last answer. */
export interface ModelOutage {
  readonly milliseconds: number
  readonly reason: unknown
  /** Whether it has answered again. */
  readonly isOver: boolean
}

/** A model that is asked again. */
export interface PersistentModel extends Model {
  /** How many images were asked about again so far. */
  readonly retries: number
  /** Who is told before each wait of a silence, and when it is over. */
  onOutage: ((silence: ModelOutage) => void) | undefined
}

/**
 * A model that is asked again about the images it could not classify, after waits that grow, and at least as long as the
 * other side asked for. Reasons with `retryable: false` are final. The patience with a model that cannot be reached is that
 * of all callers together: once it is over, each further call is one short attempt until there is an answer, and fails at
 * once if the others of late have taken too long already.
 */
export function persistent(model: Model, options: PersistentOptions = {}): PersistentModel {
  const how = parseOptions('persistent', persistentOptions, options)
  const { classes } = model
  const silence = outageOf(how, (at) => self.onOutage?.(at))
  let calls = 0
  let retries = 0

  const self: PersistentModel = {
    ...modelWith(model, {}),
    get retries() {
      return retries
    },
    onOutage: undefined,
    async predict(images, into, signal) {
      // Tells what is missing from what is there: the caller's memory may hold anything.
      into.fill(Number.NaN, 0, images.rows * classes)
      const call = calls++
      const isPatient = silence.listen()
      let missing = Array.from({ length: images.rows }, (_, row) => row)
      for (let made = 1; missing.length > 0; made++) {
        // At first all rows are asked about, and their scores need no other place.
        const scores = made === 1 ? into : new Float64Array(missing.length * classes).fill(Number.NaN)
        const asked = missing
        const copy = (i: number): void => {
          if (made > 1) into.set(scores.subarray(i * classes, (i + 1) * classes), (asked[i] as number) * classes)
        }
        const answered = (i: number): void => {
          copy(i)
          images.answered?.(asked[i] as number)
        }
        const some = { ...someImages(images, asked), answered }
        const error = await silence.within((limited) => model.predict(some, scores, limited), signal)
        asked.forEach((_, i) => void copy(i))
        if (error === undefined) return silence.end()
        signal?.throwIfAborted()
        const before = missing.length
        missing = missing.filter((row) => into.subarray(row * classes, (row + 1) * classes).some(Number.isNaN))
        if (missing.length < before || !isConnectionError(error.reason)) silence.end()
        const mayAsk = isPatient() && made < how.attempts
        if (missing.length === 0 || !mayAsk || isFinal(error.reason, how.maxRetryAfter)) {
          throw gaveUp(error.reason, made, how.maxRetryAfter)
        }
        const wait = Math.max(backOff(made, how, { iteration: call, row: 0 }), retryAfterOf(error.reason))
        if (wait > 0) await untilAborted(how.sleep(wait, signal), signal)
        signal?.throwIfAborted()
        retries += missing.length
        for (const row of missing) images.askedAgain?.(row)
      }
    },
    close: () => model.close(),
  }
  return self
}

type Patience = Pick<Output<typeof persistentOptions>, 'patience' | 'clock'>

/** Milliseconds that an attempt is given at least, and all that are made once the patience is over: a share of it. */
const shortest = 2000
const lastAttempts = 0.1

/** For how long a model has been silent, whoever asked it. */
function outageOf({ patience = Infinity, clock }: Patience, tell: (silence: ModelOutage) => void) {
  let since: number | undefined
  let last: unknown
  let answered = Number.NEGATIVE_INFINITY
  /** What attempts have taken since the patience was over, and when the last of them ended. */
  let late = { spent: 0, ended: 0 }

  /** Milliseconds that an attempt may take now; 0 where there is none to be made. */
  const limit = (): number => {
    const left = patience - (since === undefined ? 0 : clock() - since)
    if (left > 0 || patience === 0) return patience === 0 ? Infinity : Math.max(left, shortest)
    if (clock() - late.ended >= patience) late = { spent: 0, ended: clock() }
    return late.spent < lastAttempts * patience ? shortest : 0
  }
  const failed = (reason: unknown, began: number): void => {
    if (!isConnectionError(reason)) return
    const now = clock()
    if (since !== undefined && now - since >= patience) late = { spent: late.spent + now - began, ended: now }
    since ??= Math.max(began, answered)
    last = reason
    tell({ milliseconds: now - since, reason, isOver: false })
  }
  return {
    /** What a call asks after each failure: whether there is patience left, with the model and with this call. */
    listen() {
      const first = clock()
      return (): boolean => clock() - Math.min(first, since ?? first) < patience
    },
    /** Makes an attempt, in the time there is for it; returns what it fails with, if it does. */
    async within(
      attempt: (signal: AbortSignal | undefined) => void | Promise<void>,
      signal: AbortSignal | undefined,
    ): Promise<{ readonly reason: unknown } | undefined> {
      const most = limit()
      if (most === 0) return { reason: last }
      const began = clock()
      try {
        await within(most, attempt, signal)
        return undefined
      } catch (reason) {
        failed(reason, began)
        return { reason }
      }
    },
    /** There was an answer. */
    end(): void {
      answered = clock()
      if (since === undefined) return
      const milliseconds = answered - since
      since = undefined
      tell({ milliseconds, reason: last, isOver: true })
    },
  }
}

/** Makes an attempt whose signal fires after so many milliseconds, too. */
async function within(
  most: number,
  attempt: (signal: AbortSignal | undefined) => void | Promise<void>,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (!Number.isFinite(most)) return attempt(signal)
  const controller = new AbortController()
  const unfollow = follow(signal, controller)
  const why = `the model did not answer within ${Math.round(most)} ms`
  const tooLate = new ZerothError('query-failed', why, { timedOut: true, retryable: true })
  const timer = callAfter(most, () => controller.abort(tooLate))
  try {
    await attempt(controller.signal)
  } finally {
    clearTimeout(timer)
    unfollow()
  }
}

export const pacedOptions = join(
  table({
    /** Calls of the network per second at most. Above 0. */
    perSecond: positive,
  }),
  paceOptions,
)

/** Options of `paced`. */
export interface PacedOptions extends Input<typeof pacedOptions> {}

/**
 * A model that is called no more often than so many times a second, however many share it; after a pause, as many calls are
 * made at once as it has places. Images wait for their turn in the order in which they came.
 */
export function paced(model: Model, options: PacedOptions): Model {
  const { perSecond, clock, sleep } = parseOptions('paced', pacedOptions, options)
  const { batch, classes, places = 1 } = model
  const admit = keepPace({ perSecond, burst: places, clock, sleep })
  const together = batch * places

  const askPiece = async (images: Images, first: number, into: Float32Array | Float64Array, signal?: AbortSignal) => {
    const rows = Math.min(together, images.rows - first)
    await admit(Math.ceil(rows / evenShare(rows, batch, places)), signal)
    signal?.throwIfAborted()
    const piece = Array.from({ length: rows }, (_, i) => first + i)
    await model.predict(someImages(images, piece), into.subarray(first * classes, (first + rows) * classes), signal)
  }

  return {
    ...modelWith(model, {}),
    async predict(images, into, signal) {
      const problems: unknown[] = []
      for (let first = 0; first < images.rows; first += together) {
        await askPiece(images, first, into, signal).catch((error: unknown) => {
          problems.push(error)
          signal?.throwIfAborted()
          if (!mayPass(error)) throw error
        })
      }
      if (problems.length > 0) throw problems[0]
    },
    close: () => model.close(),
  }
}
