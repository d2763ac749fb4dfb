import { reasonText } from '../optimizer/core/errors.ts'
import { copyVector, liveMemory, savedPart } from '../optimizer/core/part.ts'
import type { Answers, Objective, Queries, SavedMemory, State, Vector } from '../optimizer/core/types.ts'
import { confirmationIn, type Goal, isFooled, type MeasuredObjective, notesPerImage } from './attack-objective.ts'
import { type ConfirmationNeeds, checkEvery, nearer } from './confirmation.ts'
import type { FormulationState } from './formulation.ts'
import type { Model } from './models/model.ts'
import {
  type AttackCurve,
  type AttackPoint,
  type AttackTrack,
  addConfirmations,
  type ConfirmationRecord,
  confirmationKeys,
  type Distortion,
  noConfirmations,
} from './records.ts'

type Moment = keyof AttackTrack
const moments = ['first', 'best', 'final'] as const

/** Keeps what happens to each image of an attack: told of every batch of answers, it asks nothing itself. */
export interface AttackAccount {
  /** One entry per image. */
  readonly tracks: readonly AttackTrack[]
  readonly queries: number
  /** Queries that brought no answer: those that were asked again, as often as they were, and those that were not. */
  readonly failedQueries: number
  /** How often a query was asked again. */
  readonly retries: number
  /** Failed queries of an iteration that was given up: it is asked again where the attack goes on. */
  readonly unansweredQueries: number
  /** What was asked again to confirm successes, beside the queries. */
  readonly confirmations: ConfirmationRecord
  /** Iterations so far, of all methods. */
  readonly iterations: number
  /** How many times in a row the current point or all points around it brought no answer, and why the last time. */
  readonly outage: { readonly count: number; readonly reason: unknown }
  curve(): AttackCurve
  /** Another method begins: its iterations count after those of the one before. */
  nextMethod(): void
  /**
   * The variables at the first, the best and the last evaluated point, and at the best one of those that were confirmed; of
   * the first image, where there are several.
   */
  variables(moment: Moment | 'confirmed'): Vector | undefined
  /** Enters what was asked again at the end: which success was confirmed, and becomes the best one; null if none was. */
  settle(moment: 'best' | 'confirmed' | 'first' | null, counts: ConfirmationRecord): void
}

/** An objective whose every answer is also entered in an account, those read again from a journal included. */
export function accounted(
  objectiveOf: (needs: ConfirmationNeeds) => MeasuredObjective,
  posed: FormulationState,
  goals: readonly Goal[],
  { kappa, model }: { readonly kappa: number; readonly model: Pick<Model, 'classes' | 'scores'> },
): { objective: Objective; account: AttackAccount } {
  const account = new Account(posed, goals, kappa, model)
  const objective = objectiveOf(account)
  return {
    account,
    objective: {
      dim: objective.dim,
      close: () => objective.close?.(),
      evaluate(queries, into, signal) {
        const enter = (): void => {
          const known: Known = (row, image) => objective.distortionOf?.(into, row, image)
          if (signal?.aborted !== true) account.enter(queries, into, known)
          into.reached = account.reached
        }
        const lose = (error: unknown): void => {
          account.countUnanswered(queries, into)
          throw error
        }
        try {
          const work = objective.evaluate(queries, into, signal)
          return work === undefined ? enter() : work.then(enter, lose)
        } catch (error) {
          return lose(error)
        }
      },
      recall(queries, answers) {
        account.enter(queries, answers)
        answers.reached = account.reached
      },
      save: () => account.save(),
      restore: (saved) => account.restore(saved),
    },
  }
}

/** The distortion of an image in a center, where somebody knows it already. */
type Known = (row: number, image: number) => Distortion | undefined

class Account implements AttackAccount, ConfirmationNeeds {
  readonly tracks: { [moment in Moment]: AttackPoint | null }[]
  queries = 0
  confirmations = noConfirmations
  failedQueries = 0
  retries = 0
  unansweredQueries = 0
  outage: { count: number; reason: unknown } = { count: 0, reason: undefined }
  readonly #posed: FormulationState
  readonly #goals: readonly Goal[]
  readonly #kappa: number
  readonly #model: Pick<Model, 'classes' | 'scores'>
  readonly #curve = new CurveRecorder()
  readonly #kept = new Map<Moment | 'confirmed', Vector>()
  /** The last success that was confirmed, on the first image. */
  #confirmed: AttackPoint | null = null
  #center: Vector
  /** Batches in a row without a center that was answered, and without a point around it that was. */
  readonly #silent = { centers: 0, probes: 0 }
  /** Iterations of the methods before, and of all so far. */
  readonly #iterations = { before: 0, all: 0 }

  constructor(
    posed: FormulationState,
    goals: readonly Goal[],
    kappa: number,
    model: Pick<Model, 'classes' | 'scores'>,
  ) {
    this.#posed = posed
    this.#goals = goals
    this.#kappa = kappa
    this.#model = model
    this.#center = new Float64Array(posed.dim)
    this.tracks = goals.map(() => ({ first: null, best: null, final: null }))
  }

  isDoubtful(l2sq: number): boolean {
    const confirmed = this.#confirmed
    return confirmed === null || (this.#goals.length === 1 && l2sq * nearer < confirmed.l2sq)
  }

  isDue(rows: number): boolean {
    return Math.floor((this.queries + rows) / checkEvery) > Math.floor(this.queries / checkEvery)
  }

  unconfirmedBest(): Vector | undefined {
    const best = this.tracks[0]?.best ?? null
    return best === null || best.queries === this.#confirmed?.queries ? undefined : this.#kept.get('best')
  }

  settle(moment: 'best' | 'confirmed' | 'first' | null, counts: ConfirmationRecord): void {
    this.confirmations = addConfirmations(this.confirmations, counts)
    const [track] = this.tracks
    if (track === undefined || moment === 'best') return
    const point = { first: track.first, confirmed: this.#confirmed }
    track.best = moment === null ? null : point[moment]
    if (moment === null) track.first = null
    else this.#copy(moment, 'best')
  }

  curve(): AttackCurve {
    return this.#curve.columns()
  }

  get iterations(): number {
    return this.#iterations.all
  }

  nextMethod(): void {
    this.#iterations.before = this.#iterations.all
  }

  variables(moment: Moment | 'confirmed'): Vector | undefined {
    return moment === 'final' && this.tracks[0]?.final !== null ? this.#center : this.#kept.get(moment)
  }

  /** Whether every image is fooled at the point evaluated last. */
  get reached(): boolean {
    return this.tracks.every(({ final }) => final?.fooled === true)
  }

  enter(queries: Queries, answers: Answers, known?: Known): void {
    const before = this.queries
    this.queries += uncached(answers, queries.rows)
    this.retries += answers.retries ?? 0
    this.failedQueries += failures(queries, answers)
    const iteration = this.#iterations.before + queries.key.iteration
    this.#iterations.all = iteration
    this.#listen(queries, answers)
    // Rows that are asked again say nothing about the point.
    if (queries.centers === 0) return
    const row = answered(answers, 0, queries.centers)
    const again = confirmationIn(answers.notes ?? nothing, queries, this.#model, this.#goals.length)
    this.confirmations = addConfirmations(this.confirmations, again?.counts ?? noConfirmations)
    if (again !== undefined && again.best !== 0) this.#judgeBest(again.best === 1)
    if (row < 0 || answers.notes == null) {
      for (const track of this.tracks) track.final = null
      return
    }
    if (queries.precision === 'float32' && this.#center instanceof Float64Array) {
      this.#center = new Float32Array(queries.dim)
    }
    queries.write(row, this.#center)
    const at = { iteration: iteration - 1, queries: before + uncached(answers, row + 1) }
    const notes = answers.notes.subarray(row * this.#goals.length * notesPerImage)
    const points = this.#goals.map((_, i) => this.#point(i, notes, at, known?.(row, i)))
    points.forEach((point, i) => {
      this.#follow(i, point)
    })
    if (again?.isConfirmed === true) {
      this.#confirmed = points[0] ?? null
      this.#keep(0, 'confirmed')
    }
    this.#curve.add(points, this.#kappa)
  }

  /** The best success of before was confirmed, or it gives way to the one that was. */
  #judgeBest(isConfirmed: boolean): void {
    const [track] = this.tracks
    if (track === undefined) return
    if (isConfirmed) this.#confirmed = track.best
    else track.best = this.#confirmed
    this.#copy(isConfirmed ? 'best' : 'confirmed', isConfirmed ? 'confirmed' : 'best')
  }

  /** Keeps the variables of one point for another one, too. */
  #copy(from: Moment | 'confirmed', to: Moment | 'confirmed'): void {
    const kept = this.#kept.get(from)
    if (kept !== undefined) this.#kept.set(to, kept.slice())
  }

  /** Counts what was asked in vain. */
  countUnanswered(queries: Queries, answers: Answers): void {
    this.unansweredQueries += failures(queries, answers)
  }

  /** Counts batches that leave nothing to go by. Points around an answered one may all fail: then nothing is tried. */
  #listen({ rows, centers }: Queries, answers: Answers): void {
    const silent = this.#silent
    const isSilent = (from: number, to: number): boolean => answered(answers, from, to) < 0
    if (centers > 0) silent.centers = isSilent(0, centers) ? silent.centers + 1 : 0
    if (rows > centers) silent.probes = isSilent(centers, rows) ? silent.probes + 1 : 0
    const count = Math.max(silent.centers, silent.probes)
    const reason = answers.reasons.find((each, row) => row < rows && each !== undefined)
    this.outage = { count, reason: count === 0 ? undefined : (reason ?? this.outage.reason) }
  }

  save(): SavedMemory {
    const memory = { vectors: this.#vectors(), state: this.#counts(), parts: { curve: this.#curve.save() } }
    return liveMemory(memory)
  }

  restore(saved: SavedMemory): void {
    const { vectors, state } = saved
    this.queries = Number(state.queries)
    this.failedQueries = Number(state.failedQueries ?? 0)
    this.retries = Number(state.retries ?? 0)
    const counts = confirmationKeys.map((key) => [key, Number(state[key] ?? 0)])
    this.confirmations = Object.fromEntries(counts) as unknown as ConfirmationRecord
    this.#silent.centers = Number(state.silentCenters)
    this.#silent.probes = Number(state.silentProbes)
    this.outage = { count: Number(state.unanswered), reason: state.reason }
    this.#iterations.before = Number(state.before ?? 0)
    this.#iterations.all = Number(state.iterations ?? 0)
    for (const moment of moments) {
      const points = pointsFrom(vectors[moment] ?? [])
      this.tracks.forEach((track, i) => {
        track[moment] = points[i] ?? null
      })
    }
    this.#confirmed = pointsFrom(vectors.confirmed ?? [])[0] ?? null
    for (const moment of [...moments, 'confirmed'] as const) {
      const kept = vectors[`${moment}.variables`]
      if (kept !== undefined) this.#kept.set(moment, kept.slice())
    }
    copyVector('account.center', this.#center, vectors.center)
    this.#curve.restore(savedPart(saved, 'curve'))
  }

  #vectors(): Record<string, Vector> {
    const vectors: Record<string, Vector> = { center: asDoubles(this.#center) }
    for (const moment of moments) vectors[moment] = numbersOf(this.tracks.map((track) => track[moment]))
    vectors.confirmed = numbersOf([this.#confirmed])
    for (const [moment, kept] of this.#kept) vectors[`${moment}.variables`] = asDoubles(kept)
    return vectors
  }

  #counts(): State {
    const { count, reason } = this.outage
    const { queries, failedQueries, retries, confirmations } = this
    const { before, all: iterations } = this.#iterations
    const silent = { silentCenters: this.#silent.centers, silentProbes: this.#silent.probes }
    const state = { queries, failedQueries, retries, ...confirmations, before, iterations, ...silent }
    return { ...state, unanswered: count, ...(reason === undefined ? {} : { reason: reasonText(reason) }) }
  }

  #point(
    image: number,
    notes: Float64Array,
    at: { iteration: number; queries: number },
    known: Distortion | undefined,
  ): AttackPoint {
    const margin = notes[image * notesPerImage] as number
    const predicted = notes[image * notesPerImage + 1] as number
    const fooled = isFooled(this.#goals[image] as Goal, { margin, predicted }, this.#kappa)
    const distortion = known ?? this.#posed.distortion(this.#center, image)
    return { ...at, ...distortion, margin, predicted, fooled }
  }

  #follow(image: number, point: AttackPoint): void {
    const track = this.tracks[image]
    if (track === undefined) return
    track.final = point
    if (!point.fooled) return
    if (track.first === null) {
      track.first = point
      this.#keep(image, 'first')
    }
    if (track.best === null || point.l2sq < track.best.l2sq) {
      track.best = point
      this.#keep(image, 'best')
    }
  }

  /** A perturbation shared by several images is reported as it is at the end: only a single image's are kept on the way. */
  #keep(image: number, moment: Moment | 'confirmed'): void {
    if (image > 0 || this.#goals.length > 1) return
    const kept = this.#kept.get(moment)
    if (kept === undefined) this.#kept.set(moment, this.#center.slice())
    else kept.set(this.#center)
  }
}

const nothing = new Float64Array(0)

/** Checkpoints hold variables in float64, whatever the run has. */
function asDoubles(vector: Vector): Float64Array {
  return vector instanceof Float64Array ? vector : Float64Array.from(vector)
}

/** The first of some rows that was answered, or -1. */
function answered({ failed }: Answers, from: number, to: number): number {
  for (let row = from; row < to; row++) if (failed[row] === 0) return row
  return -1
}

/** Queries of a batch that brought no answer, each attempt counted. */
function failures({ rows }: Queries, { failed, retries = 0 }: Answers): number {
  let count = retries
  for (let row = 0; row < rows; row++) count += failed[row] as number
  return count
}

/** Of the first rows, those that cost a query. */
function uncached({ cached }: Answers, rows: number): number {
  let count = rows
  for (let row = 0; row < rows; row++) count -= cached?.[row] ?? 0
  return count
}

/** Points kept before every second one is dropped. */
const capacity = 512

type Sample = { readonly [field in keyof AttackCurve]: number }
const fields = ['iteration', 'queries', 'loss', 'l2sq', 'linf', 'fooled'] as const

/** Records the course of an attack at evenly spaced iterations: all of a short one, fewer of a long one, the last always. */
export class CurveRecorder {
  #samples: Sample[] = []
  #spacing = 1
  #latest: Sample | undefined

  /** One evaluated point, as it is for each image. */
  add(points: readonly AttackPoint[], kappa: number): void {
    const sample = sampleOf(points, kappa)
    this.#latest = sample
    if (sample.iteration % this.#spacing !== 0) return
    this.#samples.push(sample)
    if (this.#samples.length <= capacity) return
    this.#spacing *= 2
    this.#samples = this.#samples.filter(({ iteration }) => iteration % this.#spacing === 0)
  }

  /** All there is to it: the samples, the latest of all at the end. */
  save(): SavedMemory {
    const all = this.#latest === undefined ? [] : [...this.#samples, this.#latest]
    const vectors = { samples: Float64Array.from(all.flatMap((sample) => fields.map((field) => sample[field]))) }
    return { vectors, state: { spacing: this.#spacing } }
  }

  /** Continues from what was saved. */
  restore({ vectors: { samples = new Float64Array(0) }, state }: SavedMemory): void {
    const all = Array.from({ length: samples.length / fields.length }, (_, i) => {
      const entries = fields.map((field, j) => [field, samples[i * fields.length + j]])
      return Object.fromEntries(entries) as Sample
    })
    this.#latest = all.pop()
    this.#samples = all
    this.#spacing = Number(state.spacing)
  }

  columns(): AttackCurve {
    const latest = this.#latest
    const isThere = latest === undefined || this.#samples.at(-1)?.iteration === latest.iteration
    const all = isThere ? this.#samples : [...this.#samples, latest]
    const columns = fields.map((field) => [field, all.map((sample) => sample[field])])
    return Object.fromEntries(columns) as unknown as AttackCurve
  }
}

function sampleOf(points: readonly AttackPoint[], kappa: number): Sample {
  const mean = (of: (point: AttackPoint) => number) => points.reduce((sum, each) => sum + of(each), 0) / points.length
  return {
    iteration: points[0]?.iteration ?? 0,
    queries: points[0]?.queries ?? 0,
    loss: mean(({ margin }) => Math.max(margin, -kappa)),
    l2sq: mean(({ l2sq }) => l2sq),
    linf: points.reduce((largest, { linf }) => Math.max(largest, linf), 0),
    fooled: mean(({ fooled }) => (fooled ? 1 : 0)),
  }
}

const pointFields = ['iteration', 'queries', 'l2sq', 'l2', 'linf', 'margin', 'predicted'] as const

/** Numbers of a point: whether there is one, its fields, and whether it fools the model. */
const width = pointFields.length + 2

/** Points of an attack, one per image, as numbers. */
function numbersOf(points: readonly (AttackPoint | null)[]): Float64Array {
  const numbers = points.map((point) =>
    point === null
      ? new Array<number>(width).fill(0)
      : [1, ...pointFields.map((field) => point[field]), point.fooled ? 1 : 0],
  )
  return Float64Array.from(numbers.flat())
}

/** Reads what `numbersOf` wrote. */
function pointsFrom(numbers: ArrayLike<number>): (AttackPoint | null)[] {
  return Array.from({ length: numbers.length / width }, (_, i) => {
    const [isThere, ...rest] = Array.from({ length: width }, (_, j) => numbers[i * width + j] as number)
    if (isThere !== 1) return null
    const entries = pointFields.map((field, j) => [field, rest[j]])
    return { ...Object.fromEntries(entries), fooled: rest.at(-1) === 1 } as AttackPoint
  })
}
