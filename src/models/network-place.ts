import { ZerothError } from '../core/errors.ts'
import { type NetworkInput, shownShape } from './network-input.ts'
import { type TensorData, type TensorType, tensorArrays } from './write-tensor.ts'

/** A place where a network computes, one call at a time. */
export interface NetworkPlace {
  /** Room for as many images as a call may have. */
  readonly data: TensorData
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

/** Memory for the images of a call, shared with other threads where that is wanted. */
export function placeData({ name, type, images, batch }: PlaceSize, isShared = false): TensorData {
  const Values = tensorArrays[type]
  const bytes = batch * imageSize(images.shape) * Values.BYTES_PER_ELEMENT
  if (bytes > mostBytes) {
    const call = `${batch} images of ${shownShape(images.shape)} at a time`
    throw new ZerothError('invalid-model', `${name} with ${call} needs ${bytes} bytes; the limit is ${mostBytes}`)
  }
  const memory: ArrayBufferLike = isShared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes)
  return new Values(memory as ArrayBuffer)
}

/** Values of one image. */
export function imageSize({ channels, height, width }: NetworkInput['shape']): number {
  return channels * height * width
}
