import { isConnectionError } from '../optimizer/core/errors.ts'
import { differ } from '../optimizer/core/space.ts'
import type { ImageShape } from '../optimizer/core/types.ts'
import { isFooled, type Reading, readScores, unreachable } from './attack-objective.ts'
import type { AttackProblem, CleanImage } from './attack-problem.ts'
import { type Confirmation, mostPictures } from './confirmation.ts'
import { bytePicture, changeOf, distortionBetween, downSlope, withSquare } from './formulation.ts'
import { askModel, type Model, newTally, picturesAsImages, type Tally } from './models/model.ts'
import { addConfirmations, type ConfirmationRecord, noConfirmations, type SavedRecord } from './records.ts'

type Moment = SavedRecord['from']

/** The picture of an image that is kept, in 8 bits, and what the model says to it. */
export interface SavedPicture {
  /** Pixels from 0 to 1, multiples of 1/255. */
  readonly pixels: Float32Array
  readonly saved: SavedRecord
  readonly success: boolean
  /** What was asked again about the picture and the clean image. If that has changed, another model has answered. */
  readonly confirmations: ConfirmationRecord
  /** The other calls. */
  readonly modelCalls: number
}

/** Which picture is wanted. */
export interface SavedOptions {
  /** Which of the images that share a perturbation. */
  readonly image?: number
  /** Pictures that the model is asked about at most. */
  readonly checks?: number
  /** Whether answers were contradicted before. */
  readonly isSuspicious?: boolean
  /** Determines the pictures that are tried. */
  readonly seed?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** Where failed calls are counted. */
  readonly tally?: Tally | undefined
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
  clean: CleanImage,
  moments: readonly Moment[],
  { image = 0, checks = mostChecks, isSuspicious = false, seed = 0, signal, tally = newTally() }: SavedOptions = {},
): Promise<SavedPicture | undefined> {
  const sources = moments.flatMap((from): Source[] => {
    const variables = problem.account.variables(from)
    if (variables === undefined) return []
    const pixels = new Float64Array(clean.pixels.length)
    problem.paint(variables, image, pixels)
    return [{ from, change: changeOf(pixels, clean.pixels) }]
  })
  const { shape } = model
  const asking = { signal, tally }
  const ask = (pixels: Float32Array) => classify(model, pixels, clean, asking)
  const confirm = (pixels: Float32Array): Promise<Confirmation> =>
    problem.confirm({ image, of: { pixels }, isSuspicious }, asking)
  const search = new PictureSearch({ problem, clean, shape, seed, checks, ask, confirm })
  await search.run(sources)
  const { found, confirmations, calls: modelCalls } = search
  if (found === undefined) return undefined
  const { pixels, from, stretch, success, predicted } = found
  const about = { ...distortionBetween(pixels, clean.pixels), predicted, from }
  return { pixels, saved: stretch === 1 ? about : { ...about, stretch }, success, confirmations, modelCalls }
}

/** What the model says, a class of -1 where it refuses the picture. One that cannot be reached may be asked later. */
async function classify(
  model: Model,
  pixels: Float32Array,
  clean: CleanImage,
  { signal, tally }: { signal: AbortSignal | undefined; tally: Tally },
): Promise<Reading> {
  const picture = { ...picturesAsImages([pixels]), isAlone: true }
  const { scores, failure } = await askModel(model, picture, { signal, tally })
  if (failure !== undefined) {
    tally.failedQueries++
    if (isConnectionError(failure.reason)) throw unreachable(failure.reason)
  }
  return readScores(scores, 0, model.classes, model.scores, clean)
}

/** A change that may fool the model once it is rounded. */
interface Source {
  readonly from: SavedRecord['from']
  readonly change: Float64Array
}

/** A picture that may be kept: its change is `stretch` times that of its source before it is rounded. */
interface Candidate extends Source {
  readonly pixels: Float32Array
  readonly stretch: number
}

/** A picture that may be asked about: a change made so many times larger, and how far away that is. */
interface Prospect {
  readonly source: Source
  readonly wanted: number
  readonly l2sq: number
}

/** A candidate the model was asked about. */
interface Checked extends Candidate {
  readonly l2sq: number
  readonly margin: number
  readonly predicted: number
  /** False, too, once the model did not say so again. */
  success: boolean
}

/** What is looked for, and who is asked. */
interface PictureTask {
  readonly problem: Pick<AttackProblem, 'allows' | 'attack' | 'kappa'>
  readonly clean: CleanImage
  readonly shape: ImageShape
  readonly seed: number
  /** Pictures asked about at most. */
  readonly checks: number
  readonly ask: (pixels: Float32Array) => Promise<Reading>
  /** Asks again, and about the clean image. */
  readonly confirm: (pixels: Float32Array) => Promise<Confirmation>
}

/** How much larger changes are made until their bytes fool the model. */
const slightly = [1.02, 1.05, 1.1, 1.2, 1.4]

/**
 * How much larger the first change is made where that is not enough. Changes of less than half a byte are lost when they
 * are rounded: on a large image the smallest success may consist of nothing else, and these factors keep the pixels in
 * which it is strongest.
 */
const much = [2, 3, 5, 8, 13, 21, 34, 55]

/** Halvings between a change that misses in 8 bits and a larger one that does not. */
const halvings = 4

/** Pictures without an answer after which a model is asked no more. */
const patience = 5

/** How many times the squared length of the first change is still near it. */
const nearby = 2

/** Moves tried among the near pictures before the change is made much larger. */
const nearMoves = 12

/** What is tried beyond the change at hand, to make use of all that the limits allow. */
const slightlyMore = 1.02

/**
 * A search among the pictures in 8 bits around the points an attack found. The first as it is, larger ones until one fools
 * the model, halved towards one that misses, and the other points, all in the order of their distance. Where none near the
 * first does, the most promising is moved a little at a time before the change is made much larger, and again where the limits of
 * the attack leave no room for that. A picture the model cannot classify does not count.
 */
class PictureSearch {
  calls = 0
  confirmations = noConfirmations
  readonly #task: PictureTask
  readonly #checked: Checked[] = []

  constructor(task: PictureTask) {
    this.#task = task
  }

  /** The nearest success; where there is none, the first picture that was classified. */
  get found(): Checked | undefined {
    const successes = this.#checked.filter(({ success }) => success)
    return lowest(successes, ({ l2sq }) => l2sq) ?? this.#checked[0]
  }

  /** What is said of the picture that is kept must not rest on one answer: after one that is contradicted the search goes on. */
  async run(sources: readonly Source[]): Promise<void> {
    do await this.#search(sources)
    while (!(await this.#isConfirmed()))
  }

  /** Whether the success that was found shows again, if there is one; one that does not is none. Another model ends this. */
  async #isConfirmed(): Promise<boolean> {
    const { found } = this
    if (found === undefined || !found.success) return true
    const { isConfirmed, predicted, counts } = await this.#task.confirm(found.pixels)
    this.confirmations = addConfirmations(this.confirmations, counts)
    if (isConfirmed) return true
    this.#checked[this.#checked.indexOf(found)] = { ...found, predicted, success: false }
    const isEnough = counts.changed > 0 || this.confirmations.contradicted >= mostPictures
    if (isEnough) for (const each of this.#checked) each.success = false
    return isEnough
  }

  async #search([first, ...rest]: readonly Source[]): Promise<void> {
    if (first === undefined || (await this.#check(this.#candidate(first, 1)))) return
    const farthest = nearby * squaredLength(first.change)
    const others = rest.flatMap((other) => [1, ...slightly].map((stretch) => this.#prospect(other, stretch)))
    const prospects = [
      ...[...slightly, ...much].map((stretch) => this.#prospect(first, stretch)),
      ...others.filter(({ wanted, l2sq }) => wanted === 1 || l2sq <= farthest),
    ].sort((one, other) => one.l2sq - other.l2sq)
    const far = prospects.filter(({ l2sq }) => l2sq > farthest)
    if (await this.#checkEach(prospects.slice(0, prospects.length - far.length))) return
    if (far.length > 0 && (await this.#approach(nearMoves))) return
    if (await this.#checkEach(far)) return
    await this.#approach(this.#task.checks)
  }

  /** How far away a picture is, without the picture: those of large images take room. */
  #prospect(source: Source, wanted: number): Prospect {
    return { source, wanted, l2sq: this.#distance(this.#candidate(source, wanted)) }
  }

  /** Whether one of these fools the model; the first that does is made smaller again. */
  async #checkEach(prospects: readonly Prospect[]): Promise<boolean> {
    for (const { source, wanted } of prospects) {
      const candidate = this.#candidate(source, wanted)
      if (!(await this.#check(candidate))) continue
      await this.#halve(candidate)
      return true
    }
    return false
  }

  get #isOver(): boolean {
    const { checks } = this.#task
    return this.calls >= checks || this.calls - this.#checked.length >= patience
  }

  #candidate({ from, change }: Source, wanted: number): Candidate {
    const { problem, clean } = this.#task
    const limits = { linf: problem.attack.linf, allows: problem.allows }
    return { from, change, ...bytePicture(clean.pixels, change, wanted, limits) }
  }

  #distance({ pixels }: Candidate): number {
    return distortionBetween(pixels, this.#task.clean.pixels).l2sq
  }

  /** Asks about a picture, unless it was asked about before; whether it fools the model. */
  async #check(candidate: Candidate): Promise<boolean> {
    const { clean, problem, ask } = this.#task
    const known = this.#checked.find(({ pixels }) => !differ(pixels, candidate.pixels))
    if (known !== undefined || this.#isOver) return known?.success ?? false
    const { predicted, margin } = await ask(candidate.pixels)
    this.calls++
    if (predicted < 0) return false
    const success = isFooled(clean, { predicted, margin }, problem.kappa)
    this.#checked.push({ ...candidate, l2sq: this.#distance(candidate), margin, predicted, success })
    return success
  }

  /** From a larger change that fools the model back towards the largest that does not. */
  async #halve(found: Candidate): Promise<void> {
    const missed = this.#checked.filter(({ from, success }) => from === found.from && !success)
    let outside = missed.reduce((most, { stretch }) => (stretch < found.stretch ? Math.max(most, stretch) : most), 0)
    let inside = found.stretch
    for (let left = halvings; left > 0 && outside > 0; left--) {
      const middle = this.#candidate(found, (inside + outside) / 2)
      if (await this.#check(middle)) inside = middle.stretch
      else outside = middle.stretch
    }
  }

  /**
   * Moves the picture nearest to the boundary a little at a time, until it is beyond: in turns by a random square, up and
   * down, and down the slope that all pictures so far show. Whether it came to be.
   */
  async #approach(moves: number): Promise<boolean> {
    const most = this.calls + moves
    for (let trial = 1; !this.#isOver && trial <= moves && this.calls < most; trial++) {
      const from = this.#best
      if (from === undefined) return false
      for (const change of this.#moves(from, trial)) {
        const moved = this.#candidate({ from: from.from, change }, slightlyMore * from.stretch)
        if (await this.#check(moved)) return true
        if (this.#best !== from) break
      }
    }
    return false
  }

  get #best(): Checked | undefined {
    return lowest(this.#checked, ({ margin }) => margin)
  }

  #moves(from: Checked, trial: number): Float64Array[] {
    if (trial % 3 === 0) return [downSlope(from, this.#checked)]
    const { shape, seed } = this.#task
    return [1, -1].map((side) => withSquare(from.change, shape, { seed, iteration: trial, row: 0 }, side))
  }
}

function squaredLength(change: Float64Array): number {
  return change.reduce((sum, each) => sum + each * each, 0)
}

/** The first of those for which something is smallest. */
function lowest(checked: readonly Checked[], of: (each: Checked) => number): Checked | undefined {
  return checked.reduce<Checked | undefined>(
    (best, each) => (best === undefined || of(each) < of(best) ? each : best),
    undefined,
  )
}
