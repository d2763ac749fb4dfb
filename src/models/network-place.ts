import type { NetworkInput } from './network-input.ts'
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

/** Memory for the images of a call. */
export function placeData(type: TensorType, { shape }: NetworkInput, batch: number): TensorData {
  return new tensorArrays[type](batch * imageSize(shape))
}

/** Values of one image. */
export function imageSize({ channels, height, width }: NetworkInput['shape']): number {
  return channels * height * width
}
