import { endsRun } from '../core/errors.ts'
import type { Vector } from '../core/types.ts'
import { quantized } from '../datasets/pixels.ts'
import type { Model } from '../models/model.ts'
import { isReached } from './account.ts'
import type { AttackProblem, Victim } from './attack-problem.ts'
import { distortionBetween } from './form.ts'
import { type Reading, readScores } from './margin.ts'
import type { ImageRecord } from './records.ts'

type Moment = 'best' | 'final' | 'first'

/** The picture of an image that is kept, in 8 bits, and what the model says to it. */
export interface SavedPicture {
  /** Pixels from 0 to 1, multiples of 1/255. */
  readonly pixels: Float32Array
  readonly saved: NonNullable<ImageRecord['saved']>
  readonly success: boolean
  readonly modelCalls: number
}

/**
 * Chooses the picture to keep: of those of the given moments, the first that still fools the model when its pixels are
 * bytes. The boundary is near, and rounding may fall back behind it: the model is asked. One it cannot classify does not
 * count.
 */
export async function savedPicture(
  model: Model,
  problem: AttackProblem,
  victim: Victim,
  moments: readonly Moment[],
  { image = 0, signal }: { readonly image?: number; readonly signal?: AbortSignal | undefined } = {},
): Promise<SavedPicture | undefined> {
  let first: SavedPicture | undefined
  let modelCalls = 0
  for (const from of moments) {
    const variables = problem.account.variables(from)
    if (variables === undefined) continue
    const pixels = asBytes(model, problem, variables, image, victim.pixels)
    const { predicted, margin } = await classify(model, pixels, victim, signal)
    modelCalls++
    if (predicted < 0) continue
    const success = isReached(victim, predicted) && margin <= -problem.kappa
    const saved = { ...distortionBetween(pixels, victim.pixels), predicted, from }
    first ??= { pixels, saved, success, modelCalls }
    if (success) return { pixels, saved, success, modelCalls }
  }
  return first === undefined ? undefined : { ...first, modelCalls }
}

/** The picture as a PNG file will hold it: pixel by pixel, so that its channels, which may be any number, do not matter. */
function asBytes(
  { shape }: Model,
  problem: AttackProblem,
  variables: Vector,
  image: number,
  original: Float32Array,
): Float32Array {
  const pixels = new Float32Array(shape.channels * shape.height * shape.width)
  problem.paint(variables, image, pixels)
  const row = { channels: 1, height: 1, width: pixels.length }
  const nearest = quantized({ shape: row, pixels }).pixels
  if (problem.allows(distortionBetween(nearest, original))) return nearest
  return quantized({ shape: row, pixels: pixels.map((pixel, i) => inward(pixel, original[i] as number)) }).pixels
}

/** The next byte on the way back to the original: rounded so, no change grows beyond its limit. */
function inward(pixel: number, original: number): number {
  const bytes = 255 * pixel
  return (pixel > original ? Math.floor(bytes + 1e-4) : Math.ceil(bytes - 1e-4)) / 255
}

/** What the model says, a class of -1 where it does not answer: what an attack has found by then is not lost with it. */
async function classify(
  model: Model,
  pixels: Float32Array,
  victim: Victim,
  signal: AbortSignal | undefined,
): Promise<Reading> {
  const scores = new Float64Array(model.classes).fill(Number.NaN)
  try {
    await model.predict({ rows: 1, write: (_, into, offset = 0) => into.set(pixels, offset) }, scores, signal)
  } catch (error) {
    signal?.throwIfAborted()
    if (endsRun(error)) throw error
  }
  return readScores(scores, 0, model.classes, model.scores, victim)
}
