import { show, ZerothError } from '../core/errors.ts'
import { inParallel, type Piece } from '../core/in-parallel.ts'
import { oneByOne } from '../core/one-by-one.ts'
import { type Pool, poolOf } from '../core/pool.ts'
import { highestOf, writeClass } from './class-answers.ts'
import type { Images, Model } from './model.ts'
import { classesNeeded } from './model-classes.ts'
import { breathing, type NetworkPlace, tensorWriter } from './network-place.ts'
import { isWholeType, type Preprocessing, type TensorType } from './preprocessing.ts'

/** The parts of a model once its network is known. */
export interface NetworkParts {
  /** What errors name. */
  readonly name: string
  readonly preprocessing: Preprocessing
  /** The numbers that it takes. */
  readonly type: TensorType
  /** Numbers that the network gives for each image: scores, the dummy ones included, or a class. */
  readonly outputs: number
  /** How many classes there are, where the network answers with a class and this is known. */
  readonly classes?: number | undefined
  readonly batch: number
  readonly runtime: string
  readonly warnings: readonly string[]
  readonly places: readonly NetworkPlace[]
  /** Ends calls under way, where they can be ended. */
  interrupt?(): void
  /** Frees everything; no call is under way then. */
  release(): Promise<void>
}

/** A network as a classifier: images are written into its places, as many calls at once as it has places. */
export function networkModel(parts: NetworkParts): Model {
  const { preprocessing, batch, places } = parts
  const classes = classesOf(parts)
  const pool = poolOf(places)
  let closing: Promise<void> | undefined
  const checkOpen = (): void => {
    if (closing !== undefined) throw new ZerothError('wrong-order', `${parts.name} is closed`)
  }
  const answer = answerer(parts, pool, checkOpen)
  let begun = 0

  return {
    shape: preprocessing.shape,
    classes,
    scores: preprocessing.scores,
    bounds: { lower: 0, upper: 1 },
    grid: gridOf(parts),
    batch,
    places: places.length,
    runtime: parts.runtime,
    warnings: parts.warnings,
    preprocessing,
    tensor: parts.type,
    ...(classes === 0 ? { withClasses: (count: number) => networkModel({ ...parts, classes: count }) } : {}),
    async predict(images, into, signal) {
      if (classes === 0) throw new ZerothError('invalid-model', `${parts.name}: ${classesNeeded}`)
      checkRoom(into, images.rows * classes)
      // One call for each place that is free keeps all of them busy; where none is, full calls are better than many.
      const share = evenShare(images.rows, batch, Math.max(1, places.length - begun))
      const problems: unknown[] = []
      const work = (piece: number): Promise<void> => {
        const first = piece * share
        const count = Math.min(share, images.rows - first)
        begun++
        return answer(images, { first, count }, into, signal)
          .catch((error: unknown) => void problems.push(error))
          .finally(() => void begun--)
      }
      // Everyone stops before anyone is told: the images and the room for their scores are the caller's again.
      await inParallel(Math.ceil(images.rows / share), places.length, work, () => problems.every(mayPass))
      if (problems.length > 0) throw problems.find((each) => !mayPass(each)) ?? problems[0]
    },
    close() {
      closing ??= (async () => {
        parts.interrupt?.()
        await pool.drain()
        await parts.release()
      })()
      return closing
    },
  }
}

/** How far apart the pixel values are that a network of whole numbers can tell apart; by the coarsest channel. */
function gridOf({ type, preprocessing }: NetworkParts): number | undefined {
  if (!isWholeType(type)) return undefined
  return Math.max(...preprocessing.factor.map((factor) => 1 / Math.abs(factor)))
}

/** How many classes a model has; 0 where the network answers with one and nobody has said how many there are. */
function classesOf({ outputs, classes = 0, preprocessing: { labelOffset, scores } }: NetworkParts): number {
  return scores === 'labels' && outputs === 1 ? classes : outputs - labelOffset
}

/** Has some images classified in one call. */
type Answer = (images: Images, piece: Piece, into: ScoreRoom, signal: AbortSignal | undefined) => Promise<void>

function answerer(parts: NetworkParts, pool: Pool<NetworkPlace>, checkOpen: () => void): Answer {
  const classes = classesOf(parts)
  const write = tensorWriter(parts.preprocessing)
  const slowly = breathing(write, parts.preprocessing)
  // What is written first goes out while the next is written.
  const inTurn = oneByOne()
  const check = (signal: AbortSignal | undefined): void => {
    signal?.throwIfAborted()
    checkOpen()
  }
  return async (images, { first, count }, into, signal) => {
    check(signal)
    const taken = pool.take()
    const place = taken instanceof Promise ? await taken : taken
    try {
      check(signal)
      if (place.isRemote !== true) write(images, first, count, place.data)
      else await inTurn(() => slowly(images, first, count, place.data, () => check(signal)))
      const scores = await place.run(count, signal)
      copyScores(scores, count, into.subarray(first * classes, (first + count) * classes), parts)
      for (let row = first; row < first + count; row++) images.answered?.(row)
    } catch (error) {
      // The caller that stopped it gets the reason it gave, not how the call took it.
      signal?.throwIfAborted()
      throw error
    } finally {
      pool.give(place)
    }
  }
}

/** Copies the scores of the classes, without the dummy ones before them; of a class alone, makes them. */
function copyScores(from: ArrayLike<number>, count: number, into: ScoreRoom, parts: NetworkParts): void {
  const { name, outputs, preprocessing } = parts
  if (from.length !== count * outputs) {
    const wanted = `${outputs} scores for each of ${count} images`
    throw new ZerothError('query-failed', `${name} gave ${show(from)} where ${wanted} were wanted`, {
      retryable: false,
    })
  }
  const classes = classesOf(parts)
  const { labelOffset, scores } = preprocessing
  for (let row = 0; row < count; row++) {
    const start = row * outputs + labelOffset
    const own = into.subarray(row * classes, (row + 1) * classes)
    if (scores === 'labels' && outputs === 1) writeClass(from[row], own, { name, classes, labelOffset })
    else if (scores === 'labels') writeHighest(from, start, own)
    else for (let i = 0; i < classes; i++) own[i] = from[start + i] as number
  }
}

/** Hides the scores: 1 for the class with the highest and 0 for all others. Scores that are no numbers stay none. */
function writeHighest(from: ArrayLike<number>, start: number, into: ScoreRoom): void {
  const highest = highestOf(from, start, into.length)
  into.fill(Number.isNaN(highest) ? Number.NaN : 0)
  if (!Number.isNaN(highest)) into[highest] = 1
}

/** Images per call such that as few calls as possible are about equally long and keep every place busy. */
export function evenShare(rows: number, batch: number, places: number): number {
  const rounds = Math.ceil(rows / (batch * places))
  return Math.ceil(rows / (rounds * places))
}

type ScoreRoom = Float32Array | Float64Array

/** Refuses room for scores that is too small for all of them. */
export function checkRoom(into: ScoreRoom, wanted: number): void {
  if (into.length >= wanted) return
  throw new ZerothError('invalid-option', `predict needs room for ${wanted} scores, got ${show(into)}`)
}

/** Whether what went wrong with some images need not go wrong with others. */
export function mayPass(error: unknown): boolean {
  return error instanceof ZerothError && error.retryable === true
}
