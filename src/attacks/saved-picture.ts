import { endsRun, isUnreached } from '../core/errors.ts'
import type { Vector } from '../core/types.ts'
import type { Model } from '../models/model.ts'
import { type Reading, readScores, unreachable } from './attack-objective.ts'
import type { AttackProblem, Victim } from './attack-problem.ts'
import { changeOf } from './byte-pictures.ts'
import { distortionBetween } from './form.ts'
import { PictureSearch, type Source } from './picture-search.ts'
import type { SavedRecord } from './records.ts'

type Moment = SavedRecord['from']

/** The picture of an image that is kept, in 8 bits, and what the model says to it. */
export interface SavedPicture {
  /** Pixels from 0 to 1, multiples of 1/255. */
  readonly pixels: Float32Array
  readonly saved: SavedRecord
  readonly success: boolean
  readonly modelCalls: number
}

/** Which picture is wanted. */
export interface SavedOptions {
  /** Which of the images that share a perturbation. */
  readonly image?: number
  /** Pictures that the model is asked about at most. */
  readonly checks?: number
  /** Determines the pictures that are tried. */
  readonly seed?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** Where failed calls are counted. */
  readonly tally?: FailureTally | undefined
}

/** Calls that brought no answer, each attempt counted, and the ones of them that were made again at once. */
export interface FailureTally {
  failedQueries: number
  retries: number
}

/** Pictures of an image that are checked at most, unless said otherwise. */
export const mostChecks = 40

/**
 * Looks for the picture to keep, in 8 bits: the boundary is near, and rounding may fall back behind it, so the model is
 * asked. The first moment as it is goes before everything else; where its bytes do not fool the model, the nearest to the
 * original that was found to do so is kept.
 */
export async function savedPicture(
  model: Model,
  problem: AttackProblem,
  victim: Victim,
  moments: readonly Moment[],
  { image = 0, checks = mostChecks, seed = 0, signal, tally = noFailures() }: SavedOptions = {},
): Promise<SavedPicture | undefined> {
  const sources = moments.flatMap((from): Source[] => {
    const variables = problem.account.variables(from)
    if (variables === undefined) return []
    const pixels = new Float64Array(victim.pixels.length)
    problem.paint(variables, image, pixels)
    return [{ from, change: changeOf(pixels, victim.pixels) }]
  })
  const { shape } = model
  const ask = (pixels: Float32Array) => classify(model, pixels, victim, { signal, tally })
  const search = new PictureSearch({ problem, victim, shape, seed, checks, ask })
  await search.run(sources)
  const { found, calls: modelCalls } = search
  if (found === undefined) return undefined
  const { pixels, from, stretch, predicted, success } = found
  const about = { ...distortionBetween(pixels, victim.pixels), predicted, from }
  return { pixels, saved: stretch === 1 ? about : { ...about, stretch }, success, modelCalls }
}

/** A tally without failures. */
export function noFailures(): FailureTally {
  return { failedQueries: 0, retries: 0 }
}

/** What the model says, a class of -1 where it refuses the picture. One that cannot be reached may be asked later. */
async function classify(
  model: Model,
  pixels: Float32Array,
  victim: Victim,
  { signal, tally }: { signal: AbortSignal | undefined; tally: FailureTally },
): Promise<Reading> {
  const scores = new Float64Array(model.classes).fill(Number.NaN)
  const askedAgain = (): void => {
    tally.retries++
    tally.failedQueries++
  }
  const picture = { rows: 1, write: (_: number, into: Vector, offset = 0) => into.set(pixels, offset), askedAgain }
  try {
    await model.predict(picture, scores, signal)
  } catch (error) {
    signal?.throwIfAborted()
    if (endsRun(error)) throw error
    tally.failedQueries++
    if (isUnreached(error)) throw unreachable(error)
  }
  return readScores(scores, 0, model.classes, model.scores, victim)
}
