import { onAbort } from '../../optimizer/core/async.ts'
import { type CarriedError, packError, unpackError, ZerothError } from '../../optimizer/core/errors.ts'
import type { Images, Model } from './model.ts'
import { tensorWriter } from './network-model.ts'
import { imageSize, type TensorData, tensorArrays } from './preprocessing.ts'

/** What a thread knows of a model that another one has. */
export type ModelFacts = Omit<Model, 'predict' | 'close' | 'withClasses'>

/** What can be said of a model in a message. */
export function modelFacts(model: Model): ModelFacts {
  const { shape, classes, scores, bounds, grid, batch, places, runtime, warnings, preprocessing, tensor } = model
  return { shape, classes, scores, bounds, grid, batch, places, runtime, warnings, preprocessing, tensor }
}

/** Whether other threads can prepare what a model is asked about. */
export function canBeProxied({ preprocessing, tensor }: Pick<Model, 'preprocessing' | 'tensor'>): boolean {
  return preprocessing !== undefined && tensor !== undefined
}

/** What is asked of a model in another thread: images in memory that both share, as the network takes them. */
interface Ask {
  readonly kind: 'ask'
  readonly call: number
  readonly rows: number
  readonly isAlone: boolean
  readonly tensor: TensorData
  readonly scores: Float64Array
}

/** What a thread tells the one that has the model. */
export type Asking = Ask | { readonly kind: 'withdraw'; readonly call: number }

/** The end of a call: its scores are in the shared memory, as far as there are any. */
export interface Answered {
  readonly kind: 'answered'
  readonly call: number
  /** Rows that were asked about again, each as often as it was. */
  readonly again: readonly number[]
  readonly error?: CarriedError | undefined
}

/** Memory of a call. */
interface CallBuffers {
  readonly tensor: TensorData
  readonly scores: Float64Array
}

/** A model in another thread, and what is to be told of its answers. */
interface ModelProxy {
  readonly model: Model
  answered(answer: Answered): void
}

/**
 * A model that another thread has, which `servedModel` answers for there. Images are prepared for the network in this
 * thread, so that the other one has nothing to do but to send them; memory is used again and again.
 */
export function modelProxy(facts: ModelFacts, send: (asking: Asking) => void): ModelProxy {
  const { preprocessing, tensor: type, classes } = facts
  if (preprocessing === undefined || type === undefined) {
    throw new ZerothError('invalid-model', 'a model that is no network cannot be asked from another thread')
  }
  const write = tensorWriter(preprocessing)
  const size = imageSize(preprocessing.shape)
  const waiting = new Map<number, (answer: Answered) => void>()
  const spare: CallBuffers[] = []
  let calls = 0

  const roomFor = (rows: number): CallBuffers => {
    const found = spare.findIndex(({ scores }) => scores.length >= rows * classes)
    if (found >= 0) return spare.splice(found, 1)[0] as CallBuffers
    const Values = tensorArrays[type]
    const tensor = new Values(new SharedArrayBuffer(rows * size * Values.BYTES_PER_ELEMENT) as never)
    return { tensor, scores: new Float64Array(new SharedArrayBuffer(rows * classes * 8)) }
  }

  const predict: Model['predict'] = async (images, into, signal) => {
    signal?.throwIfAborted()
    const { rows, isAlone = false } = images
    if (rows === 0) return
    const room = roomFor(rows)
    const call = calls++
    write(images, 0, rows, room.tensor)
    room.scores.fill(Number.NaN)
    const answer = new Promise<Answered>((resolve) => void waiting.set(call, resolve))
    const tensor = room.tensor.subarray(0, rows * size)
    send({ kind: 'ask', call, rows, isAlone, tensor, scores: room.scores.subarray(0, rows * classes) })
    // The memory is free only when the other thread says so.
    const unfollow = onAbort(signal, () => send({ kind: 'withdraw', call }))
    const { again, error } = await answer.finally(unfollow)
    into.set(room.scores.subarray(0, rows * classes))
    spare.push(room)
    for (const row of again) images.askedAgain?.(row)
    signal?.throwIfAborted()
    if (error !== undefined) throw unpackError(error)
  }

  return {
    model: { ...facts, predict, close: () => undefined },
    answered(answer) {
      waiting.get(answer.call)?.(answer)
      waiting.delete(answer.call)
    },
  }
}

/** What a thread answers for a model that it lends to another one. */
export interface ModelServer {
  asked(asking: Asking): void
}

/** Answers what another thread asks of a model. */
export function modelServer(model: Model, send: (answer: Answered) => void): ModelServer {
  const underWay = new Map<number, AbortController>()
  const answer = async ({ call, ...ask }: Ask): Promise<void> => {
    const abort = new AbortController()
    underWay.set(call, abort)
    const again: number[] = []
    const images = preparedImages(ask, (row) => void again.push(row))
    try {
      await model.predict(images, ask.scores, abort.signal)
      send({ kind: 'answered', call, again })
    } catch (error) {
      send({ kind: 'answered', call, again, error: packError(error) })
    } finally {
      underWay.delete(call)
    }
  }
  return {
    asked(asking) {
      if (asking.kind === 'ask') void answer(asking)
      else underWay.get(asking.call)?.abort(new Error('the image is not wanted any more'))
    },
  }
}

/** Images that have been prepared for the network. */
function preparedImages(
  { rows, isAlone, tensor }: Pick<Ask, 'rows' | 'isAlone' | 'tensor'>,
  askedAgain: (row: number) => void,
): Images {
  const size = tensor.length / rows
  return {
    rows,
    isAlone,
    write() {
      throw new ZerothError('wrong-order', 'images that were prepared for a network have no pixels any more')
    },
    writeTensor(row, into, offset) {
      into.set(tensor.subarray(row * size, (row + 1) * size), offset)
      return true
    },
    askedAgain,
  }
}
