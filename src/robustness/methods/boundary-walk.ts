import { centerValue, sampleDraw } from '../../optimizer/core/answers.ts'
import type { Answers, BasisState, Memory, Queries, RunContext, Search, Vector } from '../../optimizer/core/types.ts'
import type { Kernels } from '../../optimizer/kernels/kernels.ts'
import { copyOf } from '../../optimizer/methods/points.ts'
import { isInside } from '../../optimizer/parts/estimators/probes.ts'
import { type BoundarySettings, distance, drawn, halvings } from './boundary-moves.ts'
import { type Around, type GradientMemory, gradientMemory } from './gradient-memory.ts'
import { projectInto } from './project-into.ts'

/** What is asked next: the start, a point half-way back, slopes on the near side of the boundary, or a point on trial. */
type Phase = 'start' | 'halve' | 'look' | 'attempt'

/** Where the walk is: what a checkpoint keeps beside its vectors. */
type Progress = {
  phase: Phase
  /** The value of the best point. */
  value: number
  /** Halvings or attempts left. */
  left: number
  /** How far an attempt turns; how much nearer it is at first, and now. */
  turn: number
  nearer: number
  nearerNow: number
  /** Whether an attempt with the slopes at hand has improved on the best point. */
  improved: boolean
  used: number
}

/** Attempts with the same slopes, as long as they succeed. */
const attempts = 20

/** How far an attempt turns from the way out to the way down (1 is all the way), and how that share adapts. */
const turning = { first: 0.5, largest: 0.9, more: 1.3, less: 0.9 }

/** How much nearer an attempt is than the best so far, and how that adapts: over look and look, and within one. */
const approaching = { first: 0.02, least: 1e-3, most: 0.1, more: 1.5, less: 0.8, mostAtOnce: 0.3 }

/**
 * Walks back from a success far away, where only few of the slopes are known. An attempt points from the origin to a
 * direction between that of the best point and the steepest descent, a little less far. It does not take the boundary for a
 * plane, as `boundarySearch` does: a plane of which little is known leads nowhere.
 */
export function boundaryWalk(at: RunContext, span: BasisState, settings: BoundarySettings): Search {
  return new BoundaryWalk(at, span, settings)
}

class BoundaryWalk implements Search {
  readonly point: Vector
  readonly memory: Memory
  iteration = 0
  readonly centers = 1
  readonly #at: RunContext
  readonly #span: BasisState
  readonly #settings: BoundarySettings
  readonly #origin: Vector
  /** The nearest success, and the last point that missed. */
  readonly #kept: Vector
  readonly #outside: Vector
  readonly #slopes: GradientMemory
  readonly #state: Progress
  readonly #enter: (x: Vector) => void
  readonly #key: { readonly seed: number; iteration: number }
  readonly #queries: Queries

  constructor(at: RunContext, span: BasisState, settings: BoundarySettings) {
    this.#at = at
    this.#span = span
    this.#settings = settings
    this.point = at.start
    this.#origin = copyOf(at, at.origin ?? at.start)
    this.#kept = copyOf(at, at.start)
    this.#outside = copyOf(at, this.#origin)
    this.#slopes = gradientMemory(at, span, isInside(at, settings.feasible))
    const { first: nearer } = approaching
    this.#state = {
      phase: 'start',
      value: Number.NaN,
      left: 0,
      turn: turning.first,
      nearer,
      nearerNow: nearer,
      improved: false,
      used: 0,
    }
    this.#enter = projectInto(at)
    this.#key = { seed: at.seed, iteration: 0 }
    this.#queries = this.#asking()
    const vectors = { point: this.point, origin: this.#origin, kept: this.#kept, outside: this.#outside }
    this.memory = { vectors, state: this.#state, parts: { slopes: this.#slopes.memory } }
  }

  get rows(): number {
    const { phase, used } = this.#state
    if (phase !== 'look') return 1
    // As many as are left, with one query kept for the last point.
    const left = (this.#at.budget.maxQueries ?? Infinity) - used - 1
    return Math.max(1, Math.min(1 + this.#settings.refinement, 1 + this.#span.dim, left))
  }

  get answer(): Vector {
    return Number.isNaN(this.#state.value) ? this.point : this.#kept
  }

  ask(): Queries {
    this.#key.iteration = this.iteration + 1
    return this.#queries
  }

  tell(answers: Answers): boolean {
    this.iteration++
    const { rows } = this
    const value = centerValue(answers, 1)
    const isReached = answers.reached === true
    const { phase } = this.#state
    if (phase === 'start') this.#afterStart(value)
    else if (phase === 'halve') this.#afterHalving(isReached, value)
    else if (phase === 'look') this.#afterLook(answers, isReached, value)
    else this.#afterAttempt(isReached, value)
    this.#state.used += rows
    return true
  }

  /** A point that brings no value is given up, and never continued from. */
  skip(): void {
    this.iteration++
    this.#state.used += this.rows
    const { phase } = this.#state
    if (phase === 'halve') this.#halveOn()
    else if (phase === 'look') this.#beginAttempts()
    else if (phase === 'attempt') this.#beginLook()
  }

  #asking(): Queries {
    const search = this
    const draw = sampleDraw(1, this.#at.population)
    return {
      key: this.#key,
      dim: this.#at.dim,
      precision: this.#at.precision,
      centers: 1,
      get rows() {
        return search.rows
      },
      sample: () => draw.at(this.#key, 0),
      inPlace: (row) => (row === 0 ? this.point : undefined),
      write: (row, into, offset = 0) => {
        if (row === 0) into.set(this.point, offset)
        else this.#slopes.write(this.#around(), row - 1, into, offset)
      },
    }
  }

  #around(): Around {
    return { x: this.point, length: this.#settings.smoothing, count: this.rows - 1 }
  }

  #keep(value: number): void {
    this.#kept.set(this.point)
    this.#state.value = value
  }

  #afterStart(value: number): void {
    this.#keep(value)
    this.#state.phase = 'halve'
    this.#state.left = halvings
    drawn(this.#kept, this.#outside, 0.5, this.point)
  }

  #afterHalving(isReached: boolean, value: number): void {
    if (isReached) this.#keep(value)
    else this.#outside.set(this.point)
    this.#halveOn()
  }

  #halveOn(): void {
    this.#state.left--
    if (this.#state.left > 0) drawn(this.#kept, this.#outside, 0.5, this.point)
    else this.#beginLook()
  }

  #beginLook(): void {
    this.#state.phase = 'look'
    this.point.set(this.#outside)
  }

  #afterLook(answers: Answers, isReached: boolean, value: number): void {
    if (!isReached) this.#slopes.learn(answers, this.#around())
    else if (value < this.#state.value) this.#keep(value)
    this.#beginAttempts()
  }

  #beginAttempts(): void {
    const { nearer } = this.#state
    Object.assign(this.#state, { phase: 'attempt', left: attempts, nearerNow: nearer, improved: false })
    this.#aim()
  }

  #aim(): void {
    const known = { origin: this.#origin, kept: this.#kept, gradient: this.#slopes.gradient }
    sphericalStep(this.#at.kernels, known, this.#state, this.point)
    this.#enter(this.point)
  }

  #afterAttempt(isReached: boolean, value: number): void {
    const state = this.#state
    state.left--
    if (isReached && value < state.value) {
      this.#keep(value)
      beBolder(state)
      if (state.left > 0) return this.#aim()
    } else if (!isReached) this.#outside.set(this.point)
    adapt(state)
    this.#beginLook()
  }
}

/** An attempt has improved on the best point: the next one turns further and comes nearer. */
function beBolder(state: Progress): void {
  state.improved = true
  state.turn = Math.min(turning.largest, state.turn * turning.more)
  state.nearerNow = Math.min(approaching.mostAtOnce, state.nearerNow * 2)
}

/** The attempts with the same slopes are over: what they brought decides how the next ones begin. */
function adapt(state: Progress): void {
  const { least, most, more, less } = approaching
  state.nearer = Math.min(most, Math.max(least, state.nearer * (state.improved ? more : less)))
  if (!state.improved) state.turn *= turning.less
}

/** The nearest success, the point from which distances count, and the slopes. */
interface Known {
  readonly origin: Vector
  readonly kept: Vector
  readonly gradient: Vector
}

/**
 * into = a point nearer to the origin than the best one by a share of the way, in a direction between that of the best one
 * (turn 0) and the steepest descent (turn 1).
 */
export function sphericalStep(
  kernels: Kernels,
  { origin, kept, gradient }: Known,
  { turn, nearerNow }: { readonly turn: number; readonly nearerNow: number },
  into: Vector,
): void {
  const radius = distance(kept, origin)
  const steep = Math.sqrt(kernels.dot(gradient, gradient)) || Infinity
  const [along, down] = [(1 - turn) / radius, turn / steep]
  for (let i = 0; i < into.length; i++) {
    into[i] = along * ((kept[i] as number) - (origin[i] as number)) - down * (gradient[i] as number)
  }
  const scale = ((1 - nearerNow) * radius) / (Math.sqrt(kernels.dot(into, into)) || 1)
  for (let i = 0; i < into.length; i++) into[i] = (origin[i] as number) + scale * (into[i] as number)
}
