import { isConnectionError, ZerothError } from '../optimizer/core/errors.ts'
import type { Vector } from '../optimizer/core/types.ts'
import { type Confirm, type Confirmed, type Goal, isFooled, readScores, unreachable } from './attack-objective.ts'
import type { FormulationState } from './formulation.ts'
import { askModel, type Images, type Model, type ModelAnswer, newTally, type Tally } from './models/model.ts'
import { type ConfirmationRecord, noConfirmations, type Sighting } from './records.ts'

/**
 * How far an answer may be from the one at the beginning, as a share of the range of the scores. Other batches, threads and
 * graphics cards move scores by far less than a hundredth of their range; a network that was trained again moves them by more.
 */
const tolerance = 0.02

/** By how much scores have moved; undefined if by no more than other batches and machines move them. */
export function movement(before: readonly number[], now: ArrayLike<number>, range: number): number | undefined {
  // What is masked out with -Infinity both times has not moved.
  const distance = (score: number, i: number): number => (score === now[i] ? 0 : Math.abs(score - (now[i] as number)))
  const moved = before.reduce((most, score, i) => Math.max(most, distance(score, i)), 0)
  // Scores that are all alike, or infinite, have no range.
  return moved <= tolerance * (Number.isFinite(range) ? range : 1) + Number.EPSILON ? undefined : moved
}

/** Scores on a scale on which noise is about the same everywhere: of probabilities the square root. */
export function comparable(scores: ArrayLike<number>, kind: Model['scores']): number[] {
  return Array.from(scores, (score) => (kind === 'logits' ? score : Math.sqrt(Math.max(0, score))))
}

/** The scores of a picture's class and of the highest other one. */
export function sightingOf(scores: ArrayLike<number>, label: number): Sighting {
  let rival = Number.NEGATIVE_INFINITY
  for (let j = 0; j < scores.length; j++) if (j !== label) rival = Math.max(rival, scores[j] as number)
  return [scores[label] as number, rival]
}

/** Queries of an attack after which a clean image and the best point are asked about again. */
export const checkEvery = 500

/** How many times nearer a success must be than the last one that was confirmed for it to be confirmed at once. */
export const nearer = 4

/** Contradictions after which an attack is given up. */
export const mostContradictions = 20

/** Successes of an image, each so much nearer than the one before, that there can be in float32. */
const mostNearer = 30

/** Pictures of an image that are asked about again once it has been attacked: if all are contradicted, none counts. */
export const mostPictures = 3

/** Images that are asked about again in an attack at most. */
export function mostConfirmations(maxQueries: number, images: number): number {
  const onTheWay = (mostContradictions + (images === 1 ? mostNearer : 1)) * (images + 1)
  const suspects = (images === 1 ? 3 : images) + mostPictures * images
  return onTheWay + 2 * Math.ceil(maxQueries / checkEvery) + 2 * rounds.suspicious * suspects
}

/** What an attack knows of its successes so far. */
export interface ConfirmationNeeds {
  /** Whether a success at that squared distance is to be confirmed now. */
  isDoubtful(l2sq: number): boolean
  /** Whether a clean image is to be asked about, once so many more rows have been answered. */
  isDue(rows: number): boolean
  /** The variables of the best success, if it has not been confirmed. */
  unconfirmedBest(): Vector | undefined
}

/** An image before the attack, and what the model said of it then, if that is known. */
interface Witness extends Goal {
  readonly pixels: Float32Array
  readonly seen?: Sighting | null | undefined
}

/** The images of an attack, and how pictures of them are made. */
export interface ConfirmedAttack {
  readonly model: Model
  readonly cleanImages: readonly Witness[]
  readonly posed: FormulationState
  readonly kappa: number
}

/** Writes the pixels of one picture. */
type Write = (into: Vector, offset?: number) => void

/** How a model is asked: until when, and where failures are counted. */
export interface Asking {
  readonly signal: AbortSignal | undefined
  readonly tally: Tally
}

/** Asks about one picture in a request of its own, so that what other rows of a batch do to an answer shows. */
export async function askAlone(model: Model, write: Write, { signal, tally }: Asking): Promise<ModelAnswer> {
  const picture: Images = { rows: 1, isAlone: true, write: (_, into, offset) => write(into, offset) }
  return askModel(model, picture, { signal, tally })
}

/** Attempts at a picture that the model gives no answer for. */
const attempts = 3

/** The same, again where no answer comes; each failed attempt is counted. A model that cannot be reached is thrown. */
async function answerAlone(model: Model, write: Write, asking: Asking): Promise<Float64Array> {
  for (let attempt = 1; ; attempt++) {
    const { scores, failure } = await askAlone(model, write, asking)
    if (failure === undefined && !scores.some(Number.isNaN)) return scores
    asking.tally.failedQueries++
    if (failure !== undefined && isConnectionError(failure.reason)) throw failure.reason
    if (attempt === attempts) return scores.fill(Number.NaN)
  }
}

/** Whether a clean image is seen as it was when it was screened; undefined if there is no answer. */
function isUnchanged({ label, seen }: Witness, scores: Float64Array, model: Model): boolean | undefined {
  const { predicted } = readScores(scores, 0, model.classes, model.scores, { label })
  if (predicted < 0) return undefined
  if (predicted !== label) return false
  if (seen == null) return true
  const now = sightingOf(scores, label)
  const range = model.scores === 'logits' ? Math.max(...scores) - Math.min(...scores) : 1
  return movement(comparable(seen, model.scores), comparable(now, model.scores), range) === undefined
}

/**
 * Confirms what an attack finds while it runs. A success that is the first, or much nearer than the last one confirmed, is
 * asked about again in a request of its own, and so is a clean image: the answers count by which both agree. What the second
 * answer contradicts takes its place, and the attack goes on. Now and then a clean image and the best point are asked about.
 */
export function confirmWhileRunning(
  { model, cleanImages, posed, kappa }: ConfirmedAttack,
  needs: ConfirmationNeeds,
): Confirm {
  const [first] = cleanImages as readonly [Witness]
  return ({ row, rows, scores, pictures, squaresOf, askedAgain }, signal) => {
    const { classes } = model
    const count = cleanImages.length
    const from = row * count
    const fools = (i: number, of: Float64Array, at: number): boolean => {
      const goal = cleanImages[i] as Witness
      return isFooled(goal, readScores(of, at * classes, classes, model.scores, goal), kappa)
    }
    const isReached = row >= 0 && cleanImages.every((_, i) => fools(i, scores, from + i))
    const squares = isReached ? cleanImages.reduce((sum, _, i) => sum + squaresOf(from + i), 0) : Infinity
    const isDoubtful = isReached && needs.isDoubtful(squares)
    const isDue = needs.isDue(rows)
    if (!isDoubtful && !isDue) return undefined
    const best = isDue && count === 1 ? needs.unconfirmedBest() : undefined
    const tally = newTally()
    const ask = (write: Write): Promise<Float64Array> => answerAlone(model, write, { signal, tally })
    const work = async (): Promise<Confirmed> => {
      const again = isDoubtful ? cleanImages.map((_, i) => ask((into, at) => pictures.write(from + i, into, at))) : []
      const clean = ask((into, at) => into.set(first.pixels, at))
      const nearest = best && ask((into, at) => void posed.paint(best, 0, into, at ?? 0))
      const [now, seen, known] = await Promise.all([Promise.all(again), clean, nearest])
      const unchanged = isUnchanged(first, seen, model)
      const isSame = unchanged === true
      const agrees = now.every((own, i) => fools(i, own, 0))
      now.forEach((own, i) => {
        // Nothing is known of the point if it is the model that differs.
        scores.set(agrees && !isSame ? own.fill(Number.NaN) : own, (from + i) * classes)
      })
      const isBest = known !== undefined && fools(0, known, 0)
      const isWrong = [isDoubtful && !(agrees && isSame), known !== undefined && !isBest]
      return {
        isConfirmed: isDoubtful && agrees && isSame,
        best: known === undefined || (isBest && !isSame) ? 0 : isBest ? 1 : -1,
        counts: {
          successes: now.length + (known === undefined ? 0 : 1),
          contradicted: isWrong.filter(Boolean).length,
          clean: 1,
          changed: unchanged === false ? 1 : 0,
        },
      }
    }
    return work()
      .then((confirmed) => (isDoubtful ? { confirmed, reason: noAnswer } : { confirmed }))
      .finally(() => {
        for (let each = 0; each < tally.failedQueries; each++) askedAgain()
      })
  }
}

const noAnswer = new ZerothError('query-failed', 'a success could not be confirmed: the model gave no answer', {
  retryable: false,
})

function unreached(reason: unknown): never {
  throw isConnectionError(reason) ? unreachable(reason) : reason
}

/**
 * Times that a success is asked about at the end, and a clean image with it; more often once an answer was contradicted. Of two
 * servers that answer at random, one of them wrongly, a false success is confirmed once in 4^5 times.
 */
const rounds = { usual: 5, suspicious: 8 }

/** A picture to confirm at the end of an attack. */
export interface Suspect {
  /** Which of the images. */
  readonly image: number
  /** The point of the attack that it is of, or its pixels. */
  readonly of: { readonly variables: Vector } | { readonly pixels: Float32Array }
  /** Whether answers of this attack were contradicted before. */
  readonly isSuspicious: boolean
  /** Whether it is to fool the model; false of one of several images that withstood. Default true. */
  readonly isFooled?: boolean
}

/** What came of asking again. */
export interface Confirmation {
  readonly isConfirmed: boolean
  /** The class that the model said last; -1 if none. */
  readonly predicted: number
  readonly counts: ConfirmationRecord
}

/**
 * Asks about a picture and its clean image in turns, each in a request of its own, as long as the first fools the model and the
 * second is seen as when it was screened: servers that differ do not often agree by chance.
 */
export async function confirmPoint(
  { model, cleanImages, posed, kappa }: ConfirmedAttack,
  { image, of, isSuspicious, isFooled: isWanted = true }: Suspect,
  asking: Asking,
): Promise<Confirmation> {
  const clean = cleanImages[image] as Witness
  const counts = { ...noConfirmations }
  const ask = (write: Write): Promise<Float64Array> => answerAlone(model, write, asking).catch(unreached)
  const most = isSuspicious ? rounds.suspicious : isWanted ? rounds.usual : 1
  const write: Write = (into, at = 0) =>
    'pixels' in of ? into.set(of.pixels, at) : void posed.paint(of.variables, image, into, at)
  let predicted = -1
  const isAgain = async (): Promise<boolean> => {
    counts.successes++
    const reading = readScores(await ask(write), 0, model.classes, model.scores, clean)
    predicted = reading.predicted
    return reading.predicted >= 0 && isFooled(clean, reading, kappa) === isWanted
  }
  const isSame = async (): Promise<boolean> => {
    counts.clean++
    const unchanged = isUnchanged(clean, await ask((into, at) => into.set(clean.pixels, at)), model)
    if (unchanged === false) counts.changed++
    return unchanged === true
  }
  // In another order each time: two servers that answer in turn must not share the questions between them.
  const both = Array.from({ length: most }, (_, round) => (round % 2 === 0 ? [isAgain, isSame] : [isSame, isAgain]))
  for (const holds of both.flat()) {
    if (!(await holds())) return { isConfirmed: false, predicted, counts: { ...counts, contradicted: 1 } }
  }
  return { isConfirmed: true, predicted, counts }
}
