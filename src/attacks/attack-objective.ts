import { recordFailure, recordValue } from '../core/answers.ts'
import { isUnreached, messageOf, ZerothError } from '../core/errors.ts'
import type { Answers, Objective, Queries } from '../core/types.ts'
import type { Model, ScoreKind } from '../models/model.ts'
import { type Asked, ask, type Room, roomFor } from './asked-pictures.ts'
import type { PosedAttack } from './form.ts'
import type { Distortion } from './records.ts'

/** How an attack weighs what it wants. */
export interface Weights {
  /** The paper's lambda, in front of the attack loss alone. */
  readonly lambda: number
  /** How far beyond the boundary is far enough. */
  readonly kappa: number
}

/** Numbers noted for each image at every center: its margin and the class the model sees. */
export const notesPerImage = 2

/** An attack that knows how far the pictures of the current point are from their originals. */
export interface MeasuredObjective extends Objective {
  /** The distortion of an image in a center that was just answered, where it is known: the same as the attack's form gives. */
  distortionOf?(answers: Answers, row: number, image: number): Distortion | undefined
}

/**
 * The paper's attack as a black box: lambda / M sum f(x_i') + the mean of ||x_i' - x_i||^2. One call of the model answers a
 * whole iteration; the loss, the estimate and the check for success are all read off the same answers. Where the model
 * cannot be reached the evaluation ends with an error that no policy passes over: what happens on the way to a model is no
 * answer of it, and never enters the course of an attack.
 *
 * Where the model answers with a class alone, f is 1 until the goal is reached. Then the value is -1 / (1 + that mean)
 * instead, below 0 exactly where every image is fooled, and the lower the nearer: each row tells success from failure.
 */
export function attackObjective(
  model: Model,
  posed: PosedAttack,
  goals: readonly Goal[],
  weights: Weights,
): MeasuredObjective {
  // What rows are written in and what came of them is used again: an iteration allocates nothing of the size of an image.
  let spare: Room | undefined
  const distortions = new WeakMap<Answers, readonly (Distortion | undefined)[]>()
  return {
    dim: posed.dim,
    distortionOf: (answers, row, image) => distortions.get(answers)?.[row * goals.length + image],
    evaluate(queries, into, signal): void | Promise<void> {
      const room = roomFor(spare, queries, posed, { images: goals.length, classes: model.classes })
      spare = undefined
      const asked = ask(queries, posed, goals.length, room, () => {
        into.retries = (into.retries ?? 0) + 1
      })
      const record = (reason?: unknown): void => {
        spare = room
        recordLosses(model, asked, goals, weights, queries, into, reason)
        into.kept = asked.kept()
        const pictures = queries.centers * goals.length
        distortions.set(
          into,
          Array.from({ length: pictures }, (_, picture) => asked.distortionOf(picture)),
        )
      }
      const fail = (error: unknown): void => {
        if (signal?.aborted === true) return
        record(error)
        if (isUnreached(error)) throw unreachable(error)
      }
      try {
        const work = model.predict(asked.pictures, asked.scores, signal)
        if (work !== undefined) return work.then(() => record(), fail)
        record()
      } catch (error) {
        fail(error)
      }
      return undefined
    },
  }
}

/** Records the loss of each row and, at the centers, what the model sees; rows without scores failed for the reason. */
function recordLosses(
  { classes, scores: kind }: Model,
  { scores, squaresOf }: Asked,
  goals: readonly Goal[],
  { lambda, kappa }: Weights,
  queries: Queries,
  into: Answers,
  reason: unknown,
): void {
  const images = goals.length
  const isLabels = kind === 'labels'
  const writeRivals = (notes: Float64Array, to: number, squares: number, from: number): void => {
    for (let j = 0; j < classes; j++) {
      notes[to + j] = lambda * rivalMargin(scores, from, j, kind, goals[0] as Goal) + squares
    }
  }
  const isDetailed = queries.detailed === true && images === 1 && !isLabels
  const noted = queries.centers * images * notesPerImage
  const notes = new Float64Array(noted + (isDetailed ? queries.rows * classes : 0))
  for (let row = 0; row < queries.rows; row++) {
    let [loss, squares] = [0, 0]
    for (let i = 0; i < images; i++) {
      const at = row * images + i
      const { margin, predicted } = readScores(scores, at * classes, classes, kind, goals[i] as Goal)
      loss += Math.max(margin, -kappa)
      squares += squaresOf(at)
      if (row < queries.centers) notes.set([margin, predicted], at * notesPerImage)
    }
    if (isDetailed) writeRivals(notes, noted + row * classes, squares, row * classes)
    if (!Number.isFinite(loss)) recordFailure(into, row, reason ?? noScores())
    else
      recordValue(into, row, isLabels && loss === 0 ? nearness(squares / images) : (lambda * loss + squares) / images)
  }
  into.notes = notes
}

/** The value of a success of which nothing is known but the mean squared distortion: below 0, and the lower the nearer. */
function nearness(squares: number): number {
  return -1 / (1 + squares)
}

/** Ends an attack before the iteration is told: nothing is known of it, and it can be asked again. */
export function unreachable(cause: unknown): ZerothError {
  return new ZerothError('unreachable', `the model does not answer any more: ${messageOf(cause)}`, { cause })
}

function noScores(): ZerothError {
  return new ZerothError(
    'query-failed',
    'the model answered with scores that are no numbers, infinite, or probabilities below 0',
    {
      retryable: false,
    },
  )
}

/** Added to a probability before its logarithm is taken, as the authors' code does. */
const floor = 1e-10

/** The smallest number above 0 in float32: a probability of 0 counts as this one. */
const leastProbability = 1e-45

/**
 * The logarithm of a probability. The authors' code is flat below 1e-10, where a confident model hides every slope: there the
 * logarithm simply continues, as far as float32 tells probabilities apart.
 */
function logarithm(probability: number): number {
  if (!(probability < floor) || probability <= -floor) return Math.log(probability + floor)
  return Math.log(2 * floor) + Math.log(Math.max(probability, leastProbability) / floor)
}

/** What an attack wants of one image: another class than `label`, or the class `target`. */
export interface Goal {
  readonly label: number
  readonly target?: number | undefined
}

/** What a classifier's scores say about one image. */
export interface Reading {
  /**
   * How far the goal is from being reached: Z_t - max Z_j over j != t for a class t to get away from, the other way round
   * for one to reach (Section 5.1, f before it is cut off at -kappa). Z are logits, or logarithms of probabilities; of a
   * class alone it is 1 or -1.
   */
  readonly margin: number
  /** The class with the highest score; the first of several. */
  readonly predicted: number
}

/**
 * Whether the model is wrong in the way the attack wants, by the margin it must be. A tie names no class, whichever of the
 * equal ones an argmax happens to take: it is no success.
 */
export function isFooled({ label, target }: Goal, { margin, predicted }: Reading, kappa: number): boolean {
  const isWanted = target === undefined ? predicted !== label : predicted === target
  return isWanted && margin < 0 && margin <= -kappa
}

/** By how much a class is behind the one to get away from, however far ahead others are. */
function rivalMargin(scores: Float64Array, offset: number, rival: number, kind: ScoreKind, { label }: Goal): number {
  if (rival === label) return Infinity
  const [ahead, behind] = [scores[offset + label] as number, scores[offset + rival] as number]
  return kind === 'probabilities' ? logarithm(ahead) - logarithm(behind) : ahead - behind
}

/** Reads the scores of one image, `classes` numbers from `offset` on. Scores that are no numbers give a margin of NaN. */
export function readScores(
  scores: Float32Array | Float64Array,
  offset: number,
  classes: number,
  kind: ScoreKind,
  { label, target }: Goal,
): Reading {
  const own = target ?? label
  let predicted = 0
  let rival = -Infinity
  let broken = false
  for (let j = 0; j < classes; j++) {
    const score = scores[offset + j] as number
    if (Number.isNaN(score)) broken = true
    if (score > (scores[offset + predicted] as number)) predicted = j
    if (j !== own && score > rival) rival = score
  }
  if (broken) return { margin: Number.NaN, predicted: -1 }
  const mine = scores[offset + own] as number
  const [ahead, behind] = target === undefined ? [mine, rival] : [rival, mine]
  const isLogarithmic = kind === 'probabilities'
  return { margin: isLogarithmic ? logarithm(ahead) - logarithm(behind) : ahead - behind, predicted }
}
