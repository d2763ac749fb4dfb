import { recordFailure, recordValue } from '../optimizer/core/answers.ts'
import { isConnectionError, messageOf, ZerothError } from '../optimizer/core/errors.ts'
import type { Answers, Objective, Queries, Vector } from '../optimizer/core/types.ts'
import type { RowSizes } from '../optimizer/kernels/row-pair.ts'
import type { FormulationState, PaintedPair } from './formulation.ts'
import type { Images, Model } from './models/model.ts'
import type { ScoreKind } from './models/preprocessing.ts'
import { type ConfirmationRecord, confirmationKeys, type Distortion } from './records.ts'

/** How an attack weighs what it wants. */
export interface Weights {
  /** The paper's lambda, in front of the attack loss alone. */
  readonly lambda: number
  /** How far beyond the boundary is far enough. */
  readonly kappa: number
}

/** Numbers noted for each image at every center: its margin and the class the model sees. */
export const notesPerImage = 2

/** What came of asking about a success and a clean image again, in requests of their own, in the course of an iteration. */
export interface Confirmed {
  /** Whether the current point fools the model again, and the clean image is seen as before. */
  readonly isConfirmed: boolean
  /** Whether the best point of before does: 1, or -1 if it does not; 0 if that was not asked or cannot be said. */
  readonly best: -1 | 0 | 1
  readonly counts: ConfirmationRecord
}

/** The answers of an iteration, as far as they can be confirmed. */
export interface ConfirmableAnswers {
  /** The center whose answer counts; -1 if none came. */
  readonly row: number
  readonly rows: number
  /** A second answer takes the place of the first one. */
  readonly scores: Float64Array
  readonly pictures: Images
  squaresOf(picture: number): number
  askedAgain(): void
}

/** Asks again where there is reason to; undefined where there is none. The reason why the center has no answer any more may come with it. */
export type Confirm = (
  answers: ConfirmableAnswers,
  signal: AbortSignal | undefined,
) => Promise<{ readonly confirmed?: Confirmed; readonly reason?: unknown }> | undefined

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
  posed: FormulationState,
  goals: readonly Goal[],
  weights: Weights,
  confirm?: Confirm,
): MeasuredObjective {
  // What rows are written in and what came of them is used again: an iteration allocates nothing of the size of an image.
  let spare: Buffers | undefined
  const distortions = new WeakMap<Answers, readonly (Distortion | undefined)[]>()
  return {
    dim: posed.dim,
    distortionOf: (answers, row, image) => distortions.get(answers)?.[row * goals.length + image],
    evaluate(queries, into, signal): void | Promise<void> {
      const room = buffersFor(spare, queries, posed, { images: goals.length, classes: model.classes })
      spare = undefined
      const asked = picturesOf(queries, posed, goals.length, room, () => {
        into.retries = (into.retries ?? 0) + 1
      })
      const record = (reason?: unknown, confirmed?: Confirmed): void => {
        spare = room
        recordLosses(model, asked, goals, weights, queries, into, { reason, confirmed })
        into.rowBuffer = asked.kept()
        const pictures = queries.centers * goals.length
        distortions.set(
          into,
          Array.from({ length: pictures }, (_, picture) => asked.distortionOf(picture)),
        )
      }
      const fail = (error: unknown): void => {
        if (signal?.aborted === true) return
        record(error)
        if (isConnectionError(error)) throw unreachable(error)
      }
      const finish = (): void | Promise<void> => {
        const row = answeredCenter(model, asked.scores, goals, queries.centers)
        const answers = { ...asked, row, rows: queries.rows, askedAgain: () => asked.pictures.askedAgain?.(row) }
        const again = confirm?.(answers, signal)
        return again === undefined ? record() : again.then((found) => record(found.reason, found.confirmed), fail)
      }
      let work: void | Promise<void>
      try {
        work = model.predict(asked.pictures, asked.scores, signal)
      } catch (error) {
        return fail(error)
      }
      return work === undefined ? finish() : work.then(finish, fail)
    },
  }
}

/** Records the loss of each row and, at the centers, what the model sees; rows without scores failed for the reason. */
function recordLosses(
  { classes, scores: kind }: Model,
  { scores, squaresOf }: QueriedPictures,
  goals: readonly Goal[],
  { lambda, kappa }: Weights,
  queries: Queries,
  into: Answers,
  { reason, confirmed }: { readonly reason: unknown; readonly confirmed: Confirmed | undefined },
): void {
  const images = goals.length
  const isLabels = kind === 'labels'
  const writeRivals = (notes: Float64Array, to: number, squares: number, from: number): void => {
    for (let j = 0; j < classes; j++) {
      notes[to + j] = lambda * rivalMargin(scores, from, j, kind, goals[0] as Goal) + squares
    }
  }
  const isDetailed = detailsPerRow(queries, { classes, scores: kind }, images) > 0
  const again = confirmed === undefined ? [] : notesOf(confirmed)
  const noted = queries.centers * images * notesPerImage + again.length
  const notes = new Float64Array(noted + (isDetailed ? queries.rows * classes : 0))
  notes.set(again, noted - again.length)
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

/** Numbers that stand behind the notes of all centers for each row, where that is wanted. */
function detailsPerRow(
  { detailed }: Pick<Queries, 'detailed'>,
  { classes, scores }: Pick<Model, 'classes' | 'scores'>,
  images: number,
): number {
  return detailed === true && images === 1 && scores !== 'labels' ? classes : 0
}

/** Numbers noted of a confirmation, between those of the centers and those of the rows. */
function notesOf({ isConfirmed, best, counts }: Confirmed): number[] {
  return [isConfirmed ? 1 : 0, best, ...confirmationKeys.map((key) => counts[key])]
}

/** What was noted of a confirmation, if there was one. */
export function confirmationIn(
  notes: Float64Array,
  queries: Pick<Queries, 'detailed' | 'rows' | 'centers'>,
  model: Pick<Model, 'classes' | 'scores'>,
  images: number,
): Confirmed | undefined {
  const from = queries.centers * images * notesPerImage
  const length = notes.length - from - queries.rows * detailsPerRow(queries, model, images)
  if (length <= 0) return undefined
  const [isConfirmed, best, ...numbers] = notes.subarray(from, from + length)
  const counts = Object.fromEntries(confirmationKeys.map((key, i) => [key, numbers[i]]))
  return {
    isConfirmed: isConfirmed === 1,
    best: best as Confirmed['best'],
    counts: counts as unknown as ConfirmationRecord,
  }
}

/** The first center with scores for every image; -1 if there is none. */
function answeredCenter(
  { classes, scores: kind }: Model,
  scores: Float64Array,
  goals: readonly Goal[],
  centers: number,
): number {
  for (let row = 0; row < centers; row++) {
    const hasScores = (goal: Goal, i: number): boolean =>
      readScores(scores, (row * goals.length + i) * classes, classes, kind, goal).predicted >= 0
    if (goals.every(hasScores)) return row
  }
  return -1
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

/**
 * Reads the scores of one image, `classes` numbers from `offset` on. What is no number or infinite says nothing, whatever it
 * is compared with: a margin of NaN and no class. A class that a model masks out with -Infinity is merely never seen.
 */
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
  let broken = !Number.isFinite(scores[offset + own])
  for (let j = 0; j < classes; j++) {
    const score = scores[offset + j] as number
    if (!(score < Infinity)) broken = true
    if (score > (scores[offset + predicted] as number)) predicted = j
    if (j !== own && score > rival) rival = score
  }
  if (broken || !Number.isFinite(rival)) return { margin: Number.NaN, predicted: -1 }
  const mine = scores[offset + own] as number
  const [ahead, behind] = target === undefined ? [mine, rival] : [rival, mine]
  const isLogarithmic = kind === 'probabilities'
  return { margin: isLogarithmic ? logarithm(ahead) - logarithm(behind) : ahead - behind, predicted }
}

/** The pictures of an iteration, each row of the queries with every original, and room for what they bring. */
interface QueriedPictures {
  readonly pictures: Images
  readonly scores: Float64Array
  /** All rows, where each was written and is still there. */
  kept(): Vector | null
  /** ||x' - x||^2 of a picture, which is a by-product of writing it. */
  squaresOf(picture: number): number
  /** All norms of x' - x, where they are a by-product, too. */
  distortionOf(picture: number): Distortion | undefined
}

/** Memory for the rows and the answers of an iteration. */
interface Buffers {
  /** A row of variables, in the precision of the queries. */
  readonly variables: Vector
  /** One with more digits, where there was any. */
  finer: Float64Array | undefined
  /** Kernels that paint one picture, or two of the same image, at once; undefined for float64 queries. */
  readonly pair: PaintedPair | undefined
  readonly sizes: RowSizes
  readonly scores: Float64Array
}

/** Emptied room for these queries: the one of before where it fits. */
function buffersFor(
  spare: Buffers | undefined,
  { rows, dim, precision }: Queries,
  posed: FormulationState,
  { images, classes }: { readonly images: number; readonly classes: number },
): Buffers {
  const count = rows * images
  const isSingle = precision === 'float32'
  const before = spare?.variables instanceof Float32Array === isSingle ? spare : undefined
  const pair = before?.pair ?? (isSingle ? posed.pair?.() : undefined)
  // A row that serves several images outlives one painting, which the rows of a pair do not: they are shared by all attacks.
  const shared = images === 1 ? pair?.rows[0] : undefined
  const variables = shared ?? before?.variables ?? (isSingle ? new Float32Array(dim) : new Float64Array(dim))
  const isAsLong = before?.sizes.squares.length === count
  const sizes = isAsLong ? before.sizes : { squares: new Float64Array(count), largest: new Float64Array(count) }
  const scores = isAsLong ? before.scores : new Float64Array(count * classes)
  for (const each of [sizes.squares, sizes.largest, scores]) each.fill(Number.NaN)
  return { variables, finer: before?.finer, pair, sizes, scores }
}

/** Numbers in rows that an attack keeps at most: many may be under way at once. */
const mostKept = 4_000_000

/** The pictures of these queries. A row is made once, and kept for the update where the run has room for that. */
function picturesOf(
  queries: Queries,
  posed: FormulationState,
  images: number,
  room: Buffers,
  askedAgain: () => void,
): QueriedPictures {
  const { variables, pair, sizes, scores } = room
  const { squares, largest } = sizes
  const { dim } = queries
  const kept = images === 1 && squares.length * dim <= mostKept ? queries.buffer?.() : undefined
  let written = -1
  let made: Vector = variables
  /** A row of variables, made where it can be kept, where there is such a place, if it has to be made; returns where it is. */
  const make = (row: number, spare: Vector): Vector => {
    const there = kept === undefined ? queries.inPlace?.(row) : undefined
    if (there !== undefined && there instanceof Float32Array === spare instanceof Float32Array) return there
    if (kept === undefined) queries.write(row, spare)
    else queries.write(row, kept, row * dim)
    return kept?.subarray(row * dim, (row + 1) * dim) ?? spare
  }
  const isFiner = (row: number): boolean => queries.isFiner?.(row) === true
  const finerRoom = (): Float64Array => {
    room.finer ??= new Float64Array(dim)
    return room.finer
  }
  const write = (picture: number, into: Vector, offset = 0): void => {
    const row = Math.floor(picture / images)
    // The rows of a pair are shared with other attacks, which may have written since.
    if ((pair !== undefined && images === 1) || row !== written)
      made = make(row, isFiner(row) ? finerRoom() : variables)
    written = row
    const image = picture % images
    if (pair !== undefined && made instanceof Float32Array && into instanceof Float32Array) {
      pair.paintOne(image, made, into, offset, sizes, picture)
    } else squares[picture] = posed.paint(made, image, into, offset)
  }
  const writeTwo = (row: number, into: Vector, offset: number): boolean => {
    if (pair === undefined || images > 1 || !(into instanceof Float32Array)) return false
    if (isFiner(row) || isFiner(row + 1)) return false
    const rows = [make(row, pair.rows[0]), make(row + 1, pair.rows[1])] as [Float32Array, Float32Array]
    pair.paint(0, rows, into, offset, sizes, row)
    return true
  }
  return {
    pictures: { rows: squares.length, write, writeTwo, askedAgain },
    scores,
    kept: () => (kept !== undefined && !squares.some(Number.isNaN) ? kept : null),
    squaresOf(picture) {
      // A model may know its scores without reading the picture.
      if (Number.isNaN(squares[picture])) write(picture, new Float64Array(posed.dim))
      return squares[picture] as number
    },
    distortionOf(picture) {
      const [l2sq, linf] = [squares[picture] as number, largest[picture] as number]
      return Number.isNaN(linf) ? undefined : { l2sq, l2: Math.sqrt(l2sq), linf }
    },
  }
}
