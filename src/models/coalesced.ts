import { later } from '../core/breath.ts'
import { endsRun, isUnreached } from '../core/errors.ts'
import { inParallel } from '../core/in-parallel.ts'
import { checkModel, type Images, type Model, someImages } from './model.ts'
import { checkRoom } from './network-model.ts'

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
 * by one, so that none is taken for refused because of its company.
 */
export function coalesced(model: Model): Model {
  checkModel(model, 'coalesced')
  const enough = model.batch * (model.places ?? 1)
  const rooms = scoreRooms()
  let waiting: Waiting[] = []
  let underWay = 0
  let isComing = false

  const flush = (): void => {
    isComing = false
    const together = waiting.filter(({ signal, fail }) => {
      if (signal?.aborted === true) fail(signal.reason)
      return signal?.aborted !== true
    })
    waiting = together
    // A call that fills no batch may as well wait for company, as long as every place has something to do.
    if (together.length === 0 || (underWay >= enough && rowsOf(together) < model.batch)) return
    waiting = []
    for (const { signal } of together) signal?.removeEventListener('abort', soon)
    underWay += rowsOf(together)
    const scores = rooms.take(rowsOf(together) * model.classes)
    void askTogether(model, together, scores, (rows) => {
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
    ...model,
    predict: (images, into, signal) =>
      new Promise<void>((done, fail) => {
        checkRoom(into, images.rows * model.classes)
        waiting.push({ images, into, signal, done, fail })
        // One that is given up while it waits is told so at once.
        signal?.addEventListener('abort', soon, { once: true })
        soon()
      }),
    close: () => model.close(),
  }
}

/** Memory for scores, as many as are in use at once; what is given back is used again. */
function scoreRooms() {
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
    close(i, own.find(isUnreached) ?? own[0])
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
  if (unsaid.length < 2 || signal.aborted || isUnreached(error) || endsRun(error)) return reasons
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
  for (const { signal } of callers) signal?.addEventListener('abort', check)
  return () => {
    for (const { signal } of callers) signal?.removeEventListener('abort', check)
  }
}
