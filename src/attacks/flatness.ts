import { endsRun } from '../core/errors.ts'
import { randomWord } from '../kernels/random.ts'
import type { Model } from '../models/model.ts'

/** How far the pictures of a test are from the image: a little less and a little more than a byte, and ten bytes. */
const lengths = [0.001, 0.003, 0.01, 0.04]

/** Whether a model shows any slope around an image. */
export interface Flatness {
  readonly isFlat: boolean
  readonly modelCalls: number
}

/**
 * Asks a model about an image and some pictures near it, every pixel of which is a little brighter or darker. Where all
 * their scores are the same to the bit, the model hides its slopes: its scores are clipped or saturated, or it rounds its
 * input or its own numbers. That an attack found nothing then says little.
 */
export async function flatness(
  model: Model,
  { pixels }: { readonly pixels: Float32Array },
  seed = 0,
  signal?: AbortSignal,
): Promise<Flatness> {
  const rows = 1 + lengths.length
  const scores = new Float64Array(rows * model.classes).fill(Number.NaN)
  const write = (row: number, into: Float32Array | Float64Array, offset = 0): void => {
    const length = row === 0 ? 0 : (lengths[row - 1] as number)
    pixels.forEach((pixel, i) => {
      const side = randomWord({ seed, iteration: 0, row }, 'data', i) % 2 === 0 ? 1 : -1
      into[offset + i] = Math.min(1, Math.max(0, pixel + side * length))
    })
  }
  try {
    await model.predict({ rows, write }, scores, signal)
  } catch (error) {
    signal?.throwIfAborted()
    if (endsRun(error)) throw error
  }
  const isSame = (each: number, i: number): boolean => each === scores[i % model.classes]
  return { isFlat: scores.every(isSame), modelCalls: rows }
}
