import { later } from '../core/breath.ts'
import { checkModel, type Images, type Model } from './model.ts'
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
 * together. Every caller gets its own scores, the same as if it had been alone.
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
  }
  let reason: unknown
  let failed = false
  const abort = new AbortController()
  const stop = abortTogether(callers, abort)
  try {
    await model.predict(all, scores, abort.signal)
  } catch (error) {
    failed = true
    reason = error
  } finally {
    stop()
  }
  callers.forEach(({ images, into, signal, done, fail }, i) => {
    const from = (first[i] as number) * classes
    const own = scores.subarray(from, from + images.rows * classes)
    into.set(own)
    if (signal?.aborted === true) fail(signal.reason)
    else if (failed && own.some(Number.isNaN)) fail(reason)
    else done()
  })
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
