import { quadraticSize } from '../algebra/full-quadratic.ts'
import { savedPart } from '../core/memory.ts'
import { table } from '../core/options.ts'
import { definePart } from '../core/part.ts'
import type { Begin, Key, Memory, SavedMemory, Search, Solver, Vector } from '../core/types.ts'
import { type AskedPoints, askedPoints } from '../staged/asked-points.ts'
import { type Coordinates, coordinatesOf } from '../staged/coordinates.ts'
import { type NoiseLevel, noiseLevel } from '../staged/noise-level.ts'
import { onlyPoint, type Stage, type StagedMethod, stagedSearch } from '../staged/staged-search.ts'
import { copyOf } from './current-point.ts'
import { type Curvature, denseCurvature, limitedCurvature } from './curvature.ts'
import { type NoisyGround, NoisyQuasiNewton } from './noisy-quasi-newton.ts'
import { QuadraticRegression } from './quadratic-regression.ts'
import { type Scale, scaleOf, scaleOption } from './scale-option.ts'

/** What a run of the method is given beside its beginning. */
export interface NoisySettings {
  /** Queries that it may use. */
  readonly horizon: number
  /** Answers at the start that are known already. */
  readonly startValues?: readonly number[] | undefined
}

type Name = 'start' | 'confirm' | 'gradient' | 'search' | 'regress'

/** Regression on full quadratics up to this many numbers (30 variables); a dense matrix up to so many variables. */
const largestQuadratic = 500
const largestDense = 200
const limitedPairs = 10

/** Answers at the start, for a first noise level. */
const startAnswers = 4

/** For functions whose answers vary: quasi-Newton steps on wide differences and regression in turns. */
export function noisyMethod(
  at: Begin,
  coordinates: Coordinates,
  settings: NoisySettings,
  saved?: SavedMemory,
): StagedMethod<Name> {
  return new NoisyDescent(at, coordinates, settings, saved)
}

class NoisyDescent implements StagedMethod<Name> {
  readonly point: Vector
  readonly stages = {
    start: () => this.#noted(this.#start()),
    confirm: () => this.#noted(this.#confirm()),
    gradient: () => this.#noted(this.#gradient()),
    search: () => this.#noted(this.#search()),
    regress: (key: Key) => this.#noted(this.#regress(key)),
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
    const left = (): number => settings.horizon - 1 - this.#state.asked - this.#pending
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
    return goesOn ? 'confirm' : this.#turnToRegression()
  }

  *#regress(key: Key): Stage<Name> {
    const moved = yield* (this.#regression as QuadraticRegression).batch(key)
    if (moved === true) {
      this.point.set(this.#ground.center)
      this.#state.isSettled = true
    }
    const { asked, turnEnds } = this.#state
    if (moved !== null && asked + this.#pending < turnEnds) return 'regress'
    this.#regression?.end()
    return this.#turnToSteps()
  }

  /** After quasi-Newton steps: regression for as many queries again. */
  #turnToRegression(): Name | 'converged' {
    const state = this.#state
    const { dim } = this.#ground.at
    if (this.#ground.noise.isExact) return 'converged'
    if (this.#regression === undefined) return this.#turnToSteps()
    const asked = state.asked + this.#pending
    this.#regression.begin()
    state.turnEnds = asked + Math.max(asked - state.turnBegan, 2 * quadraticSize(dim))
    return 'regress'
  }

  #turnToSteps(): Name {
    this.#state.turnBegan = this.#state.asked + this.#pending
    this.#newton.begin()
    return this.#ground.state.answers < 2 ? 'confirm' : 'gradient'
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

/** Quasi-Newton steps and regression for functions whose answers vary. */
export const noisyDescent = definePart({
  kind: 'solver',
  name: 'noisy-descent',
  summary: 'Quasi-Newton steps on wide differences and regression on quadratics, for functions with random noise.',
  options: table({ scale: scaleOption }),
  examples: () => [{}],
  make: ({ scale }): Solver => noisySolver({ scale }),
})

/** The solver with settings that a user does not give, too. */
export function noisySolver({ horizon, scale, startValues }: Partial<NoisySettings> & { scale?: Scale }): Solver {
  const begin = (at: Begin, saved?: SavedMemory): Search => {
    const settings = { horizon: horizon ?? at.budget.maxQueries ?? Infinity, startValues }
    const coordinates = coordinatesOf(at, scaleOf('noisy-descent', scale, at.dim))
    const method = noisyMethod(at, coordinates, settings, saved && savedPart(saved, 'method'))
    return stagedSearch(at, method, 'start', saved)
  }
  return { begin, resume: begin }
}
