// Over 250 lines because what is told of answers, saved and restored belongs together.
import { copyVector, liveMemory, savedPart } from '../core/memory.ts'
import { reasonText } from '../core/reason-text.ts'
import type { Answers, Objective, Queries, SavedMemory, State, Vector } from '../core/types.ts'
import { type Goal, isFooled, type MeasuredObjective, notesPerImage } from './attack-objective.ts'
import { CurveRecorder, numbersOf, pointsFrom } from './curve.ts'
import type { PosedAttack } from './form.ts'
import type { AttackCurve, AttackPoint, AttackTrack, Distortion } from './records.ts'

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
  readonly lostQueries: number
  /** Iterations so far, of all methods. */
  readonly iterations: number
  /** How many times in a row the current point or all points around it brought no answer, and why the last time. */
  readonly unanswered: { readonly count: number; readonly reason: unknown }
  curve(): AttackCurve
  /** Another method begins: its iterations count after those of the one before. */
  nextMethod(): void
  /** The variables at the first, the best and the last evaluated point; of the first image, where there are several. */
  variables(moment: Moment): Vector | undefined
}

/** An objective whose every answer is also entered in an account, those read again from a journal included. */
export function accounted(
  objective: MeasuredObjective,
  posed: PosedAttack,
  goals: readonly Goal[],
  kappa: number,
): { objective: Objective; account: AttackAccount } {
  const account = new Account(posed, goals, kappa)
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
          account.lose(queries, into)
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

class Account implements AttackAccount {
  readonly tracks: { first: AttackPoint | null; best: AttackPoint | null; final: AttackPoint | null }[]
  queries = 0
  failedQueries = 0
  retries = 0
  lostQueries = 0
  unanswered: { count: number; reason: unknown } = { count: 0, reason: undefined }
  readonly #posed: PosedAttack
  readonly #goals: readonly Goal[]
  readonly #kappa: number
  readonly #curve = new CurveRecorder()
  readonly #kept = new Map<Moment, Vector>()
  #center: Vector
  /** Batches in a row without a center that was answered, and without a point around it that was. */
  readonly #silent = { centers: 0, probes: 0 }
  /** Iterations of the methods before, and of all so far. */
  readonly #iterations = { before: 0, all: 0 }

  constructor(posed: PosedAttack, goals: readonly Goal[], kappa: number) {
    this.#posed = posed
    this.#goals = goals
    this.#kappa = kappa
    this.#center = new Float64Array(posed.dim)
    this.tracks = goals.map(() => ({ first: null, best: null, final: null }))
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

  variables(moment: Moment): Vector | undefined {
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
    this.#curve.add(points, this.#kappa)
  }

  /** Counts what was asked in vain. */
  lose(queries: Queries, answers: Answers): void {
    this.lostQueries += failures(queries, answers)
  }

  /** Counts batches that leave nothing to go by. Points around an answered one may all fail: then nothing is tried. */
  #listen({ rows, centers }: Queries, answers: Answers): void {
    const silent = this.#silent
    const isSilent = (from: number, to: number): boolean => answered(answers, from, to) < 0
    if (centers > 0) silent.centers = isSilent(0, centers) ? silent.centers + 1 : 0
    if (rows > centers) silent.probes = isSilent(centers, rows) ? silent.probes + 1 : 0
    const count = Math.max(silent.centers, silent.probes)
    const reason = answers.reasons.find((each, row) => row < rows && each !== undefined)
    this.unanswered = { count, reason: count === 0 ? undefined : (reason ?? this.unanswered.reason) }
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
    this.#silent.centers = Number(state.silentCenters)
    this.#silent.probes = Number(state.silentProbes)
    this.unanswered = { count: Number(state.unanswered), reason: state.reason }
    this.#iterations.before = Number(state.before ?? 0)
    this.#iterations.all = Number(state.iterations ?? 0)
    for (const moment of moments) {
      const points = pointsFrom(vectors[moment] ?? [])
      this.tracks.forEach((track, i) => {
        track[moment] = points[i] ?? null
      })
      const kept = vectors[`${moment}.variables`]
      if (kept !== undefined) this.#kept.set(moment, kept.slice())
    }
    copyVector('account.center', this.#center, vectors.center)
    this.#curve.restore(savedPart(saved, 'curve'))
  }

  #vectors(): Record<string, Vector> {
    const vectors: Record<string, Vector> = { center: asDoubles(this.#center) }
    for (const moment of moments) vectors[moment] = numbersOf(this.tracks.map((track) => track[moment]))
    for (const [moment, kept] of this.#kept) vectors[`${moment}.variables`] = asDoubles(kept)
    return vectors
  }

  #counts(): State {
    const { count, reason } = this.unanswered
    const { queries, failedQueries, retries } = this
    const { before, all: iterations } = this.#iterations
    const silent = { silentCenters: this.#silent.centers, silentProbes: this.#silent.probes }
    const state = { queries, failedQueries, retries, before, iterations, ...silent }
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
  #keep(image: number, moment: Moment): void {
    if (image > 0 || this.#goals.length > 1) return
    const kept = this.#kept.get(moment)
    if (kept === undefined) this.#kept.set(moment, this.#center.slice())
    else kept.set(this.#center)
  }
}

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
