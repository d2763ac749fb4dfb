import { differ } from '../core/differ.ts'
import { endsRun, isUnreached } from '../core/errors.ts'
import type { Vector } from '../core/types.ts'
import { quantized } from '../datasets/pixels.ts'
import type { Model } from '../models/model.ts'
import { isFooled, type Reading, readScores, unreachable } from './attack-objective.ts'
import type { AttackProblem, Victim } from './attack-problem.ts'
import { distortionBetween } from './form.ts'
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
  /** How much farther from the original the first moment may be moved where its bytes do not fool the model. */
  readonly stretches?: readonly number[]
  readonly signal?: AbortSignal | undefined
  /** Where failed calls are counted. */
  readonly tally?: FailureTally | undefined
}

/** Calls that brought no answer, each attempt counted, and the ones of them that were made again at once. */
export interface FailureTally {
  failedQueries: number
  retries: number
}

/**
 * Chooses the picture to keep: that of the first of the given moments, if it still fools the model when its pixels are
 * bytes. The boundary is near, and rounding may fall back behind it: the model is asked. Where it does, the nearest to the
 * original that does fool it, among that change made larger and the other moments. One the model cannot classify does not
 * count.
 */
export async function savedPicture(
  model: Model,
  problem: AttackProblem,
  victim: Victim,
  moments: readonly Moment[],
  { image = 0, stretches = [], signal, tally = noFailures() }: SavedOptions = {},
): Promise<SavedPicture | undefined> {
  let first: SavedPicture | undefined
  let modelCalls = 0
  for (const { pixels, about } of candidates(problem, victim, moments, image, stretches)) {
    const { predicted, margin } = await classify(model, pixels, victim, { signal, tally })
    modelCalls++
    if (predicted < 0) continue
    const success = isFooled(victim, { predicted, margin }, problem.kappa)
    const saved = { ...distortionBetween(pixels, victim.pixels), predicted, ...about }
    first ??= { pixels, saved, success, modelCalls }
    if (success) return { pixels, saved, success, modelCalls }
  }
  return first === undefined ? undefined : { ...first, modelCalls }
}

/** A tally without failures. */
export function noFailures(): FailureTally {
  return { failedQueries: 0, retries: 0 }
}

/** A picture that may be kept, and where it comes from. */
interface Candidate {
  readonly pixels: Float32Array
  readonly about: Pick<SavedRecord, 'from' | 'stretch'>
}

/** The pictures to try in their order: the first moment, then all others by their distance from the original. */
function candidates(
  problem: AttackProblem,
  { pixels: original }: Victim,
  moments: readonly Moment[],
  image: number,
  stretches: readonly number[],
): Candidate[] {
  const painted = (from: Moment): Float32Array | undefined => {
    const variables = problem.account.variables(from)
    if (variables === undefined) return undefined
    const pixels = new Float32Array(original.length)
    problem.paint(variables, image, pixels)
    return pixels
  }
  const plain = moments.flatMap((from): Candidate[] => {
    const pixels = painted(from)
    return pixels === undefined ? [] : [{ pixels: asBytes(problem, pixels, original), about: { from } }]
  })
  const [first, ...others] = plain
  if (first === undefined) return []
  const base = painted(first.about.from) as Float32Array
  const isAllowed = (pixels: Float32Array): boolean => problem.allows(distortionBetween(pixels, original))
  const { linf } = distortionBetween(first.pixels, original)
  const larger = stretches.flatMap((stretch): Candidate[] => {
    // Where some pixels have reached a limit, the others may still change.
    const both = [Infinity, linf].map((most) => bytesOf(stretched(base, original, stretch, most)))
    const pixels = both.find(isAllowed)
    return pixels === undefined ? [] : [{ pixels, about: { ...first.about, stretch } }]
  })
  const distance = ({ pixels }: Candidate): number => distortionBetween(pixels, original).l2sq
  const all = [first, ...[...larger, ...others].sort((one, other) => distance(one) - distance(other))]
  // Different points may have the same bytes.
  return all.filter(({ pixels }, i) => all.slice(0, i).every((other) => differ(pixels, other.pixels)))
}

/** A change made larger, no pixel by more than a limit and none beyond black or white. */
function stretched(pixels: Float32Array, original: Float32Array, stretch: number, most: number): Float32Array {
  return pixels.map((pixel, i) => {
    const from = original[i] as number
    const change = Math.min(most, Math.max(-most, stretch * (pixel - from)))
    return Math.min(1, Math.max(0, from + change))
  })
}

/** The picture as a PNG file will hold it, within what is allowed. */
function asBytes(problem: AttackProblem, pixels: Float32Array, original: Float32Array): Float32Array {
  const nearest = bytesOf(pixels)
  if (problem.allows(distortionBetween(nearest, original))) return nearest
  return bytesOf(pixels.map((pixel, i) => inward(pixel, original[i] as number)))
}

/** Pixel by pixel, so that its channels, which may be any number, do not matter. */
function bytesOf(pixels: Float32Array): Float32Array {
  return quantized({ shape: { channels: 1, height: 1, width: pixels.length }, pixels }).pixels
}

/** The next byte on the way back to the original: rounded so, no change grows beyond its limit. */
function inward(pixel: number, original: number): number {
  const bytes = 255 * pixel
  return (pixel > original ? Math.floor(bytes + 1e-4) : Math.ceil(bytes - 1e-4)) / 255
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
