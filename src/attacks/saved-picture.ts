import type { Vector } from '../core/types.ts'
import { quantized } from '../datasets/pixels.ts'
import type { Model } from '../models/model.ts'
import { isReached } from './account.ts'
import type { AttackProblem, Victim } from './attack-problem.ts'
import { distortionBetween } from './form.ts'
import { readScores } from './margin.ts'
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
 * Chooses the picture to keep: of the best, the last and the first one that fooled the model, the least distorted that
 * still does when its pixels are bytes. The boundary is near, and rounding may fall back behind it: the model is asked.
 */
export async function savedPicture(
  model: Model,
  problem: AttackProblem,
  victim: Victim,
  moments: readonly Moment[],
  image = 0,
): Promise<SavedPicture | undefined> {
  let first: SavedPicture | undefined
  let modelCalls = 0
  for (const from of moments) {
    const variables = problem.account.variables(from)
    if (variables === undefined) continue
    const pixels = asBytes(model, problem, variables, image)
    const predicted = await classify(model, pixels, victim)
    modelCalls++
    const success = isReached(victim, predicted)
    const saved = { ...distortionBetween(pixels, victim.pixels), predicted, from }
    first ??= { pixels, saved, success, modelCalls }
    if (success) return { pixels, saved, success, modelCalls }
  }
  return first === undefined ? undefined : { ...first, modelCalls }
}

/** The picture as a PNG file will hold it. */
function asBytes({ shape }: Model, problem: AttackProblem, variables: Vector, image: number): Float32Array {
  const pixels = new Float32Array(shape.channels * shape.height * shape.width)
  problem.paint(variables, image, pixels)
  return quantized({ shape, pixels }).pixels
}

async function classify(model: Model, pixels: Float32Array, victim: Victim): Promise<number> {
  const scores = new Float64Array(model.classes)
  await model.predict({ rows: 1, write: (_, into, offset = 0) => into.set(pixels, offset) }, scores)
  return readScores(scores, 0, model.classes, model.scores, victim).predicted
}
