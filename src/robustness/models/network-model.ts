import { inParallel, type Piece } from '../../optimizer/core/answers.ts'
import { later, type Pool, poolOf, serialize } from '../../optimizer/core/async.ts'
import { show, ZerothError } from '../../optimizer/core/errors.ts'
import type { Vector } from '../../optimizer/core/types.ts'
import { scalarScale, scale as scaleSingle, withinReach } from '../../optimizer/kernels/row-pair.ts'
import { classesNeeded, type Images, type Model } from './model.ts'
import {
  imageSize,
  isWholeType,
  type NetworkInput,
  type Preprocessing,
  type ScoreKind,
  shownShape,
  type TensorData,
  type TensorType,
  tensorArrays,
} from './preprocessing.ts'

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
      checkScoreBuffer(into, images.rows * classes)
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
type Answer = (images: Images, piece: Piece, into: ScoreBuffer, signal: AbortSignal | undefined) => Promise<void>

function answerer(parts: NetworkParts, pool: Pool<NetworkPlace>, checkOpen: () => void): Answer {
  const classes = classesOf(parts)
  const write = tensorWriter(parts.preprocessing)
  const slowly = yieldingWriter(write, parts.preprocessing)
  // What is written first goes out while the next is written.
  const inTurn = serialize()
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
function copyScores(from: ArrayLike<number>, count: number, into: ScoreBuffer, parts: NetworkParts): void {
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
function writeHighest(from: ArrayLike<number>, start: number, into: ScoreBuffer): void {
  const highest = highestOf(from, start, into.length)
  into.fill(Number.isNaN(highest) ? Number.NaN : 0)
  if (!Number.isNaN(highest)) into[highest] = 1
}

/** Images per call such that as few calls as possible are about equally long and keep every place busy. */
export function evenShare(rows: number, batch: number, places: number): number {
  const rounds = Math.ceil(rows / (batch * places))
  return Math.ceil(rows / (rounds * places))
}

type ScoreBuffer = Float32Array | Float64Array

/** Refuses room for scores that is too small for all of them. */
export function checkScoreBuffer(into: ScoreBuffer, wanted: number): void {
  if (into.length >= wanted) return
  throw new ZerothError('invalid-option', `predict needs room for ${wanted} scores, got ${show(into)}`)
}

/** Whether what went wrong with some images need not go wrong with others. */
export function mayPass(error: unknown): boolean {
  return error instanceof ZerothError && error.retryable === true
}

/** A place where a network computes, one call at a time. */
export interface NetworkPlace {
  /** Room for as many images as a call may have. */
  readonly data: TensorData
  /** Whether writing images is to leave the thread time to send those of other places, now and then. */
  readonly isRemote?: boolean | undefined
  /** All scores of the first `count` images in `data`, one image after the other. */
  run(count: number, signal?: AbortSignal): Promise<ArrayLike<number>>
}

/** The scores of that many images at the front of the place's memory. */
export type Compute = (count: number, signal: AbortSignal | undefined) => Promise<ArrayLike<number>>

/** A place that computes like this. A network that takes a fixed number of images gets black ones for those missing. */
export function networkPlace({ shape, fixedBatch }: NetworkInput, data: TensorData, compute: Compute): NetworkPlace {
  const size = imageSize(shape)
  return {
    data,
    async run(count, signal) {
      const whole = fixedBatch ?? count
      if (whole === count) return compute(count, signal)
      data.fill(0, count * size)
      const scores = await compute(whole, signal)
      return Array.prototype.slice.call(scores, 0, (scores.length / whole) * count)
    },
  }
}

/** A place from which images are sent to a server. */
export function remotePlace(...given: Parameters<typeof networkPlace>): NetworkPlace {
  return { ...networkPlace(...given), isRemote: true }
}

/** Says that a network takes more images at a time than the option `batch` allows: it gets them all the same. */
export function batchWarnings({ fixedBatch = 1 }: NetworkInput, batch: number): string[] {
  if (fixedBatch <= batch) return []
  const numbers = `the network takes ${fixedBatch} images at a time, more than the ${batch} of the option batch`
  return [`${numbers}: every call has ${fixedBatch}, black ones where there are fewer`]
}

/** Bytes of a call at most: runtimes count them in 32 bits. */
const mostBytes = 2_147_483_647

/** What the memory of a place depends on. */
interface PlaceSize {
  /** What errors name. */
  readonly name: string
  readonly type: TensorType
  readonly images: NetworkInput
  readonly batch: number
}

/** Memory for the images of a call: plain, shared with other threads, or where kernels write to it without a copy. */
export function placeData(
  { name, type, images, batch }: PlaceSize,
  kind: 'plain' | 'shared' | 'kernels' = 'plain',
): TensorData {
  const Values = tensorArrays[type]
  const bytes = batch * imageSize(images.shape) * Values.BYTES_PER_ELEMENT
  const needs = `${name} with ${batch} images of ${shownShape(images.shape)} at a time needs ${bytes}`
  if (bytes > mostBytes) throw new ZerothError('invalid-model', `${needs} bytes; the limit is ${mostBytes}`)
  try {
    if (kind === 'kernels' && type === 'float32') return withinReach(batch * imageSize(images.shape))
    const memory: ArrayBufferLike = kind === 'shared' ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes)
    return new Values(memory as ArrayBuffer)
  } catch (cause) {
    throw new ZerothError('invalid-model', `${needs} bytes, which this machine does not have`, { cause })
  }
}

/** Writes `count` images from row `first` on into the front of a tensor, as the network wants them. */
type WriteTensor = (images: Images, first: number, count: number, data: TensorData) => void

/**
 * How images are written for a network. Where its layout is ours, rows go straight into the tensor and are scaled in
 * place; otherwise they take the way over one scratch row.
 */
export function tensorWriter(preprocessing: Preprocessing): WriteTensor {
  const { shape, layout, channelOrder, factor, shift } = preprocessing
  const { channels } = shape
  const plane = shape.height * shape.width
  const size = channels * plane
  const isOurs = channels === 1 || (layout === 'NCHW' && channelOrder === 'RGB')
  const isScaled = factor.some((each) => each !== 1) || shift.some((each) => each !== 0)
  let scratch: Vector | undefined

  const scale = (data: Vector, offset: number): void => {
    if (!isScaled) return
    for (let channel = 0; channel < channels; channel++) {
      const [a, b] = [factor[channel] as number, shift[channel] as number]
      if (data instanceof Float32Array) scaleSingle(data, offset + channel * plane, plane, a, b)
      else scalarScale(data, offset + channel * plane, plane, a, b)
    }
  }

  const writeTheirs = (images: Images, row: number, data: TensorData, offset: number): void => {
    if (images.writeTensor?.(row, data, offset) === true) return
    scratch ??= data instanceof Float64Array ? new Float64Array(size) : new Float32Array(size)
    images.write(row, scratch)
    for (let channel = 0; channel < channels; channel++) {
      const place = channelOrder === 'BGR' ? channels - 1 - channel : channel
      const start = offset + (layout === 'NCHW' ? place * plane : place)
      const stride = layout === 'NCHW' ? 1 : channels
      const from = scratch.subarray(channel * plane, (channel + 1) * plane)
      const [a, b] = [factor[channel] as number, shift[channel] as number]
      if (isWhole(data)) copyWhole(from, data, start, stride, a, b)
      else copyPlane(from, data, start, stride, a, b)
    }
  }

  const writeOurs = (images: Images, first: number, count: number, data: Vector): void => {
    for (let i = 0; i < count; i++) {
      if (images.writeTensor?.(first + i, data, i * size) === true) continue
      const isSecond = i + 1 < count && images.writeTwo?.(first + i, data, i * size) === true
      if (!isSecond) images.write(first + i, data, i * size)
      scale(data, i * size)
      if (isSecond) scale(data, ++i * size)
    }
  }

  return (images, first, count, data) => {
    if (isOurs && !isWhole(data)) return writeOurs(images, first, count, data)
    for (let i = 0; i < count; i++) writeTheirs(images, first + i, data, i * size)
  }
}

/** Bytes after which the writing of images lets the thread send: about what a connection takes at once. */
const bytesPerYield = 2_000_000

/**
 * The same a few images at a time. In between, what other places have written goes out: the server has something to do while
 * further images are made. `check` throws where nobody wants them any more.
 */
export function yieldingWriter(write: WriteTensor, { shape }: Preprocessing): WriteSlowly {
  const size = imageSize(shape)
  return async (images, first, count, data, check) => {
    const step = 2 * Math.ceil(bytesPerYield / (2 * size * data.BYTES_PER_ELEMENT))
    for (let at = 0; at < count; at += step) {
      if (at > 0) await new Promise<void>((resolve) => void later(resolve))
      check()
      write(images, first + at, Math.min(step, count - at), data.subarray(at * size))
    }
  }
}

type WriteSlowly = (...given: [...Parameters<WriteTensor>, check: () => void]) => Promise<void>

/** One channel to where the network has it. */
function copyPlane(from: Vector, data: Vector, start: number, stride: number, factor: number, shift: number): void {
  const even = from.length - (from.length & 3)
  let place = start
  let i = 0
  for (; i < even; i += 4) {
    data[place] = (from[i] as number) * factor + shift
    data[place + stride] = (from[i + 1] as number) * factor + shift
    data[place + 2 * stride] = (from[i + 2] as number) * factor + shift
    data[place + 3 * stride] = (from[i + 3] as number) * factor + shift
    place += 4 * stride
  }
  for (; i < from.length; i++, place += stride) data[place] = (from[i] as number) * factor + shift
}

type WholeNumbers = Uint8Array | Int8Array

function isWhole(data: TensorData): data is WholeNumbers {
  return data instanceof Uint8Array || data instanceof Int8Array
}

/** The same for a network that takes whole numbers: rounded to the nearest, and kept from wrapping around. */
function copyWhole(from: Vector, data: WholeNumbers, start: number, stride: number, factor: number, shift: number) {
  const [least, most] = data instanceof Int8Array ? [-128, 127] : [0, 255]
  let place = start
  for (let i = 0; i < from.length; i++, place += stride) {
    data[place] = Math.max(least, Math.min(most, Math.round((from[i] as number) * factor + shift)))
  }
}

/** What is known of a network's answers before they are read. */
interface Answering {
  /** What errors name. */
  readonly where: string
  /** Numbers for each image. */
  readonly outputs: number
  /** Whether they can only be whole. */
  readonly isWhole: boolean
  /** What the user says they are. */
  readonly said: ScoreKind | undefined
}

/**
 * What a network's numbers are. One number for each image, nothing said about it, is a class if it is whole on some plain
 * images: the only score of a classifier of two classes would not be.
 */
export async function scoreKind(
  { where, outputs, isWhole, said }: Answering,
  place: NetworkPlace | undefined,
  preprocessing: Preprocessing,
): Promise<ScoreKind> {
  if (outputs > 1 && isWhole && said !== 'labels') {
    const advice = 'set preprocessing.scores to labels where the largest of them is the class'
    throw new ZerothError('invalid-model', `${where} gives ${outputs} whole numbers per image; ${advice}`)
  }
  if (said !== undefined || outputs > 1) return said ?? 'logits'
  const odd = isWhole || place === undefined ? undefined : await oddAnswer(place, preprocessing).catch(() => 'none')
  // A network that cannot be asked says why when it is asked in earnest.
  if (odd === 'none') return 'logits'
  if (odd === undefined) return 'labels'
  throw new ZerothError('invalid-model', `${where} gives one number per image, such as ${odd}: ${noClass}`)
}

const noClass =
  'neither scores of all classes nor a class. The only score of a classifier of two classes must become two: ' +
  'let the network give [0, s] for its logit s, or the class itself (s > 0)'

/** An answer to a plain image that is not whole, where there is one. */
async function oddAnswer(place: NetworkPlace, preprocessing: Preprocessing): Promise<number | undefined> {
  const shades = [0, 0.3, 0.5, 0.8, 1]
  const images: Images = { rows: shades.length, write: (row, into) => void into.fill(shades[row] as number) }
  const write = tensorWriter(preprocessing)
  for (const row of shades.keys()) {
    write(images, row, 1, place.data)
    const answer = Number((await place.run(1))[0])
    if (!Number.isInteger(answer)) return answer
  }
  return undefined
}

/** What a class that a network answered with stands for in the scores. */
interface ClassRange {
  readonly name: string
  readonly classes: number
  readonly labelOffset: number
}

/** Writes the scores of a class: 1 for it and 0 for all others. */
export function writeClass(answer: unknown, into: Float32Array | Float64Array, range: ClassRange): void {
  const { classes, labelOffset, name } = range
  const found = Number(answer) - labelOffset
  if (!Number.isInteger(found) || found < 0 || found >= classes) {
    const wanted = `a whole number from ${labelOffset} to ${labelOffset + classes - 1}`
    const advice = Number.isInteger(found)
      ? '; if it has more classes, set preprocessing.classes'
      : '; are these scores?'
    // No other image fares better: the model is not what it was taken for.
    throw new ZerothError(
      'invalid-option',
      `${name} answered with the class ${Number(answer)} where ${wanted} was wanted${advice}`,
    )
  }
  into.fill(0)
  into[found] = 1
}

/** The class with the highest of some scores; NaN where there is none. */
export function highestOf(scores: ArrayLike<number | bigint>, first: number, count: number): number {
  let best = 0
  for (let i = 0; i < count; i++) {
    const score = Number(scores[first + i])
    if (Number.isNaN(score)) return Number.NaN
    if (score > Number(scores[first + best])) best = i
  }
  return best
}
