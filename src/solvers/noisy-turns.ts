import { quadraticSize } from '../algebra/full-quadratic.ts'
import { savedPart } from '../core/memory.ts'
import type { Begin, Key, Memory, SavedMemory, Vector } from '../core/types.ts'
import { type AskedPoints, askedPoints } from '../staged/asked-points.ts'
import type { Coordinates } from '../staged/coordinates.ts'
import { lowestOf } from '../staged/lowest-of.ts'
import { type NoiseLevel, noiseLevel } from '../staged/noise-level.ts'
import { onlyPoint, type Stage, type StagedMethod } from '../staged/staged-search.ts'
import { copyOf } from './current-point.ts'
import { type Curvature, denseCurvature, limitedCurvature } from './curvature.ts'
import { type NoisyGround, NoisyQuasiNewton } from './noisy-quasi-newton.ts'
import { QuadraticRegression } from './quadratic-regression.ts'

/** What a run of the method is given beside its beginning. */
export interface NoisySettings {
  /** Queries that it may use. */
  readonly horizon: number
  /** Answers at the start that are known already. */
  readonly startValues?: readonly number[] | undefined
}

type Name = 'start' | 'confirm' | 'gradient' | 'search' | 'regress' | 'choose' | 'over'

/** Regression on full quadratics up to this many numbers (30 variables); a dense matrix up to so many variables. */
const largestQuadratic = 500
const largestDense = 200
const limitedPairs = 10

/** The share of all queries that is kept back to compare candidates for the answer, and how many at most. */
const keptShare = 0.08
const mostKept = 100

/** Answers at the start, for a first noise level. */
const startAnswers = 4

/** For functions whose answers vary: quasi-Newton steps on wide differences and regression in turns. */
export function noisyTurns(
  at: Begin,
  coordinates: Coordinates,
  settings: NoisySettings,
  saved?: SavedMemory,
): StagedMethod<Name> {
  return new NoisyTurns(at, coordinates, settings, saved)
}

class NoisyTurns implements StagedMethod<Name> {
  readonly point: Vector
  readonly stages = {
    start: () => this.#noted(this.#start()),
    confirm: () => this.#noted(this.#confirm()),
    gradient: () => this.#noted(this.#gradient()),
    search: () => this.#noted(this.#search()),
    regress: (key: Key) => this.#noted(this.#regress(key)),
    choose: () => this.#noted(this.#choose()),
    over: () => this.#noted(this.#over()),
  }
  readonly #settings: NoisySettings
  readonly #ground: NoisyGround
  readonly #newton: NoisyQuasiNewton
  readonly #asked: AskedPoints | undefined
  readonly #regression: QuadraticRegression | undefined
  readonly #memory: Memory
  readonly #state = { asked: 0, turnBegan: 0, turnEnds: 0, isSettled: false }
  /** Queries of the stage at work, which are not counted yet. */
  #pending = 0

  constructor(at: Begin, coordinates: Coordinates, settings: NoisySettings, saved: SavedMemory | undefined) {
    const { dim } = at
    this.point = copyOf(at, at.start)
    this.#settings = settings
    const noise: NoiseLevel = noiseLevel()
    const state = { value: Number.NaN, answers: 0 }
    const center = Float64Array.from(at.start)
    const left = (): number => settings.horizon - 1 - this.#kept - this.#state.asked - this.#pending
    const shared = { at: coordinates, noise, center, state, left }
    const size = quadraticSize(dim)
    let curvature: Curvature
    if (size <= largestQuadratic) {
      const dense = denseCurvature(coordinates)
      this.#asked = askedPoints(dim, 8 * size + 400, saved && savedPart(saved, 'asked'))
      this.#regression = new QuadraticRegression({ ...shared, curvature: dense, asked: this.#asked })
      curvature = dense
    } else if (dim <= largestDense) curvature = denseCurvature(coordinates)
    else curvature = limitedCurvature(coordinates, limitedPairs)
    this.#ground = { ...shared, curvature }
    this.#newton = new NoisyQuasiNewton(this.#ground)
    this.#memory = {
      vectors: { point: this.point, center },
      state: this.#state,
      parts: {
        center: { state },
        noise: noise.memory,
        curvature: curvature.memory,
        newton: this.#newton.memory,
        regression: this.#regression?.memory,
      },
    }
  }

  get memory(): Memory {
    return { ...this.#memory, parts: { ...this.#memory.parts, asked: this.#asked?.memory } }
  }

  get noisy(): boolean {
    return !this.#ground.noise.isExact
  }

  *#start(): Stage<Name> {
    const { state, noise } = this.#ground
    const known = this.#settings.startValues ?? []
    const count = Math.max(startAnswers - known.length, 0)
    const asked = count === 0 ? [] : yield { ...onlyPoint(this.point), rows: count }
    const values = [...known, ...asked].filter((value) => !Number.isNaN(value))
    if (values.length === 0) return 'start'
    noise.add(values)
    state.value = values.reduce((sum, value) => sum + value / values.length, 0)
    state.answers = values.length
    this.#newton.begin()
    return values.length < 2 ? 'confirm' : 'gradient'
  }

  *#confirm(): Stage<Name> {
    yield* this.#newton.confirm()
    return 'gradient'
  }

  *#gradient(): Stage<Name> {
    return (yield* this.#newton.gradient()) ? 'search' : this.#turnToRegression()
  }

  *#search(): Stage<Name> {
    const goesOn = yield* this.#newton.search()
    if (!this.#state.isSettled) this.point.set(this.#ground.center)
    if (goesOn) return 'confirm'
    return this.#ground.noise.isExact ? 'converged' : this.#turnToRegression()
  }

  *#regress(key: Key): Stage<Name> {
    if (this.#ground.left() < 1) return 'choose'
    const moved = yield* (this.#regression as QuadraticRegression).batch(key)
    if (moved === true) {
      this.point.set((this.#regression as QuadraticRegression).answer)
      this.#state.isSettled = true
    }
    const { asked, turnEnds } = this.#state
    if (moved !== null && asked + this.#pending < turnEnds) return 'regress'
    this.#regression?.end()
    return this.#turnToSteps()
  }

  /** Asks the best few candidates again with the queries kept back. */
  *#choose(): Stage<Name> {
    const lowest = yield* lowestOf(this.#candidates(), this.#kept + this.#ground.left())
    if (lowest !== null) this.point.set(lowest)
    return 'over'
  }

  /** Points that may be the lowest, the likeliest first: lowest of models of several widths, lowest answers, mean and center. */
  #candidates(): Float64Array[] {
    const regression = this.#regression
    const asked = this.#asked
    if (regression === undefined || asked === undefined) return []
    const { at, center, left } = this.#ground
    const values = asked.values
    const order = Array.from(values, (_, row) => row)
    order.sort((a, b) => (values[a] as number) - (values[b] as number) || a - b)
    const lowest = (rank: number): Float64Array => {
      const row = order[rank] ?? 0
      return asked.points.slice(row * at.dim, (row + 1) * at.dim)
    }
    const made = [
      regression.lowest(4),
      lowest(0),
      Float64Array.from(this.point),
      regression.lowest(10),
      lowest(1),
      center.slice(),
      regression.lowest(2),
      lowest(2),
    ].filter((point) => point !== null)
    return made.slice(0, Math.max(1, Math.floor((this.#kept + left()) / 3)))
  }

  /** What is left after the choice is asked about the answer; a run whose budget grew goes on. */
  *#over(): Stage<Name> {
    if (this.#ground.left() > 2 * this.#ground.at.dim) {
      // The run had ended before: with a query about its answer, which it does not learn of.
      this.#state.asked++
      return this.#turnToSteps()
    }
    yield onlyPoint(this.point)
    return 'over'
  }

  /** Queries kept back for the choice at the end. */
  get #kept(): number {
    const { horizon } = this.#settings
    if (this.#regression === undefined || horizon === Infinity) return 0
    return Math.min(Math.floor(keptShare * horizon), mostKept)
  }

  /** After quasi-Newton steps: regression for as many queries again. */
  #turnToRegression(): Name {
    const state = this.#state
    const { dim } = this.#ground.at
    if (this.#regression === undefined) return this.#turnToSteps()
    const asked = state.asked + this.#pending
    this.#regression.begin()
    state.turnEnds = asked + Math.max(asked - state.turnBegan, 2 * quadraticSize(dim))
    return 'regress'
  }

  #turnToSteps(): Name {
    const { left, at, state } = this.#ground
    if (left() <= 2 * at.dim) return 'choose'
    this.#state.turnBegan = this.#state.asked + this.#pending
    this.#newton.begin()
    return state.answers < 2 ? 'confirm' : 'gradient'
  }

  /** A stage whose points are kept and counted once it is over. */
  *#noted(stage: Stage<Name>): Stage<Name> {
    const { dim } = this.#ground.at
    const seen: { points: Float64Array; values: Float64Array }[] = []
    this.#pending = 0
    let next = stage.next()
    while (next.done !== true) {
      const batch = next.value
      const values = yield batch
      this.#pending += batch.rows
      if (this.#asked !== undefined) {
        const points = new Float64Array(batch.rows * dim)
        for (let row = 0; row < batch.rows; row++) batch.write(row, points, row * dim)
        seen.push({ points, values })
      }
      next = stage.next(values)
    }
    this.#state.asked += this.#pending
    this.#pending = 0
    for (const { points, values } of seen) this.#asked?.add(points, values)
    return next.value
  }
}
