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
 * together. Every caller gets its own scores, the same as if it had been alone, and its own failures: where a whole call is
 * refused, its images are asked about one by one, so that none is taken for refused because of its company.
 */
export function coalesced(model: Model): Model {
  checkModel(model, 'coalesced')
  let waiting: Waiting[] = []

  const flush = (): void => {
    const together = waiting.filter(({ signal, fail }) => {
      if (signal?.aborted === true) fail(signal.reason)
      return signal?.aborted !== true
    })
    waiting = []
    if (together.length > 0) void askTogether(model, together)
  }

  return {
    ...model,
    predict: (images, into, signal) =>
      new Promise<void>((done, fail) => {
        checkRoom(into, images.rows * model.classes)
        if (waiting.length === 0) later(flush)
        waiting.push({ images, into, signal, done, fail })
      }),
    close: () => model.close(),
  }
}

async function askTogether(model: Model, callers: readonly Waiting[]): Promise<void> {
  const { classes } = model
  const first: number[] = []
  const owner: number[] = []
  callers.forEach(({ images }, i) => {
    first.push(owner.length)
    for (let row = 0; row < images.rows; row++) owner.push(i)
  })
  const scores = new Float64Array(owner.length * classes).fill(Number.NaN)
  const all: Images = {
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
    askedAgain(row) {
      const who = owner[row] as number
      callers[who]?.images.askedAgain?.(row - (first[who] as number))
    },
  }
  const abort = new AbortController()
  const stop = abortTogether(callers, abort)
  const reasons = await reasonsOf(model, all, scores, abort.signal).finally(stop)
  callers.forEach(({ images, into, signal, done, fail }, i) => {
    const from = first[i] as number
    into.set(scores.subarray(from * classes, (from + images.rows) * classes))
    const own = Array.from(reasons).flatMap(([row, reason]) =>
      row >= from && row < from + images.rows ? [reason] : [],
    )
    if (signal?.aborted === true) fail(signal.reason)
    else if (own.length > 0) fail(own.find(isUnreached) ?? own[0])
    else done()
  })
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
      for (const row of rows) if (of(row).some(Number.isNaN)) reasons.set(row, error)
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

/** The common call is given up only when no caller waits for it any more. Returns what stops listening. */
function abortTogether(callers: readonly Waiting[], abort: AbortController): () => void {
  const check = (): void => {
    if (callers.every(({ signal }) => signal?.aborted === true)) abort.abort(callers[0]?.signal?.reason)
  }
  for (const { signal } of callers) signal?.addEventListener('abort', check)
  return () => {
    for (const { signal } of callers) signal?.removeEventListener('abort', check)
  }
}
