import { later } from '../core/breath.ts'
import { ZerothError } from '../core/errors.ts'
import type { Vector } from '../core/types.ts'
import { withinReach } from '../kernels/pair-memory.ts'
import { scalarScale, scale as scaleSingle } from '../kernels/scaled.ts'
import type { Images } from './model.ts'
import type { NetworkInput } from './network-input.ts'
import {
  imageSize,
  type Preprocessing,
  shownShape,
  type TensorData,
  type TensorType,
  tensorArrays,
} from './preprocessing.ts'

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
export type WriteTensor = (images: Images, first: number, count: number, data: TensorData) => void

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
const bytesPerBreath = 2_000_000

/**
 * The same a few images at a time. In between, what other places have written goes out: the server has something to do while
 * further images are made. `check` throws where nobody wants them any more.
 */
export function breathing(write: WriteTensor, { shape }: Preprocessing): WriteSlowly {
  const size = imageSize(shape)
  return async (images, first, count, data, check) => {
    const step = 2 * Math.ceil(bytesPerBreath / (2 * size * data.BYTES_PER_ELEMENT))
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
