import type { Begin, Key, Memory, Span, Vector } from '../core/types.ts'
import { type Batch, currentPoint, onlyPoint, type Stage, type StagedMethod } from '../staged/staged-search.ts'
import { distance } from './border-moves.ts'
import { type BorderNormal, borderNormal } from './border-normal.ts'
import { copyOf } from './current-point.ts'
import { type ArcRoom, arcTowards, away, freePart, lengthAlong, onTheWay, subtract } from './label-moves.ts'
import { coverPatch } from './random-patch.ts'
import { withinSet } from './within-set.ts'

/** How a search goes about it that only knows of points whether they succeed. */
export interface LabelSettings {
  /** A value below it is a success. */
  readonly goal: number
  /** Points around the border that are asked before each move. */
  readonly probes: number
  /** How far from the border they lie, as a share of its distance from the origin. */
  readonly reach: number
}

type StageName = 'start' | 'seek' | 'near' | 'look' | 'turn'

/** Where the search is, beside its vectors. */
type Progress = {
  /** Queries asked so far. */
  used: number
  /** The length of the next noise, and how often it was raised. */
  amplitude: number
  level: number
  /** How far the last move turned, as the tangent of the angle. */
  turn: number
  /** Whether it keeps to the limits: before the first success inside them it may look outside. */
  inside: boolean
  /** Whether a point inside the limits has succeeded. */
  reached: boolean
}

/** The first noise, per variable (root mean square), what it is multiplied by, and where it begins again. */
const noise = { first: 0.02, growth: 1.25, most: 4, tries: 4 }

/** The level of noise at which other points that may succeed are tried. */
const footholdLevel = 20

/** The level of noise from which on pictures are tried with a part covered, too. */
const patchLevel = 12

/** How well a border is located, as a share of its distance. */
const tolerance = 0.01

/** Points tried along an arc. */
const arcTries = 5

/** The share of the normal that must be free at both sides for probes to be balanced along it. */
const leastFree = 0.01

/** Rows of random numbers of the noise; probes have those from 0 on. */
const noiseRow = 1_000_000

/**
 * Seeks the point nearest to the origin with a value below the goal, from answers that only tell success from failure.
 * Noise that grows until it succeeds, and the way back to the border. Then in turns: points around the border correct an
 * estimate of its normal, which is remembered (`borderNormal`); the search moves along the arc from the border point to that
 * normal, on which every point is nearer, as far as points succeed (as SurFree and CGBA do).
 */
export function labelSearch(at: Begin, span: Span, settings: LabelSettings): StagedMethod<StageName> {
  return new LabelSearch(at, span, settings)
}

class LabelSearch implements StagedMethod<StageName> {
  /** The nearest success inside the limits; the start until there is one. */
  readonly point: Vector
  readonly memory: Memory
  readonly stages: Readonly<Record<StageName, (key: Key) => Stage<StageName>>>
  readonly #at: Begin
  readonly #settings: LabelSettings
  readonly #normal: BorderNormal
  readonly #origin: Vector
  /** The nearest success, which may lie outside the limits, and a point just across the border from it. */
  readonly #border: Vector
  readonly #middle: Vector
  readonly #state: Progress
  readonly #intoSet: (x: Vector) => void
  readonly #intoPictures: (x: Vector) => void
  readonly #isLimited: boolean
  /** The point asked, the last that succeeded in this stage, and directions: nothing a checkpoint needs. */
  readonly #trial: Vector
  readonly #found: Vector
  readonly #direction: Float64Array
  readonly #ahead: Float64Array
  readonly #free: Float64Array
  readonly #room: ArcRoom
  #asked = 0

  constructor(at: Begin, span: Span, settings: LabelSettings) {
    const { dim, attack } = at
    this.#at = at
    this.#settings = settings
    this.point = at.start
    this.#origin = copyOf(at, at.origin ?? at.start)
    this.#border = copyOf(at, at.start)
    this.#middle = copyOf(at, at.start)
    this.#trial = copyOf(at, at.start)
    this.#found = copyOf(at, at.start)
    this.#direction = new Float64Array(dim)
    this.#ahead = new Float64Array(dim)
    this.#free = new Float64Array(dim)
    this.#room = { out: new Float64Array(dim), side: new Float64Array(dim) }
    this.#normal = borderNormal(at, span)
    this.#isLimited = attack?.linf !== undefined || attack?.l2 !== undefined
    this.#intoSet = withinSet(at)
    this.#intoPictures = wider(at) ?? this.#intoSet
    const amplitude = noise.first * Math.sqrt(dim)
    this.#state = { used: 0, amplitude, level: 0, turn: 0.5, inside: false, reached: false }
    const vectors = { origin: this.#origin, border: this.#border, middle: this.#middle }
    this.memory = { vectors, state: this.#state, parts: { normal: this.#normal.memory } }
    this.stages = {
      start: () => this.#start(),
      seek: (key) => this.#seek(key),
      near: () => this.#near(),
      look: (key) => this.#look(key),
      turn: () => this.#turn(),
    }
  }

  get answer(): Vector {
    return this.point
  }

  /** The start may succeed already: then nothing is nearer. */
  *#start(): Stage<StageName> {
    this.#asked = 0
    this.#trial.set(this.#origin)
    const isReached = yield* this.#succeeds()
    this.#commit(isReached, this.#trial)
    return isReached ? 'converged' : 'seek'
  }

  /** Some noise of one amplitude, and other points at their time. */
  *#seek(key: Key): Stage<StageName> {
    this.#asked = 0
    const { amplitude, level } = this.#state
    const others = this.#footholdsAt(level)
    const patches = this.#patchesAt(level)
    for (let i = 0; i < others.length + patches + noise.tries; i++) {
      const foothold = others[i]
      if (foothold !== undefined) this.#trial.set(foothold)
      else if (i < others.length + patches) this.#coverSome(key, i)
      else {
        this.#normal.draw(key, noiseRow + i, this.#direction)
        away(this.#origin, this.#direction, amplitude, this.#trial)
      }
      this.#enter(this.#trial)
      if (!(yield* this.#succeeds())) continue
      this.#commit(true, this.#trial)
      return 'near'
    }
    const root = Math.sqrt(this.#at.dim)
    this.#state.level++
    this.#state.amplitude = amplitude > noise.most * root ? noise.first * root : amplitude * noise.growth
    this.#commit(false, this.#trial)
    return 'seek'
  }

  /** Some models see the same class in all noise, and another where a part of the picture is missing. */
  #patchesAt(level: number): number {
    const { shape, attack } = this.#at
    return level < patchLevel || shape === undefined || attack?.pictures === undefined ? 0 : noise.tries
  }

  #coverSome(key: Key, row: number): void {
    const { shape, attack } = this.#at
    this.#trial.set(this.#origin)
    if (shape !== undefined && attack?.pictures !== undefined) coverPatch(shape, attack.pictures, key, row, this.#trial)
  }

  /** Noise seldom leads to a class that is given; to any other one it mostly does. */
  #footholdsAt(level: number): readonly Vector[] {
    const { footholds = [], targeted } = this.#at.attack ?? {}
    return level === (targeted === true ? 0 : footholdLevel) ? footholds : []
  }

  /** Halves the way between the origin and a success. */
  *#near(): Stage<StageName> {
    this.#asked = 0
    this.#found.set(this.#border)
    let [low, high] = [0, 1]
    while (high - low > tolerance) {
      const middle = (low + high) / 2
      onTheWay(this.#origin, this.#border, middle, this.#trial)
      if (yield* this.#succeeds()) {
        high = middle
        this.#found.set(this.#trial)
      } else low = middle
    }
    onTheWay(this.#origin, this.#border, (low + high) / 2, this.#middle)
    this.#commit(true, this.#found)
    return 'look'
  }

  /** Asks around the border, and learns its normal from what succeeds. */
  *#look(key: Key): Stage<StageName> {
    this.#asked = 0
    const rows = Math.min(this.#settings.probes, this.#left() - arcTries)
    if (rows < 1) return 'turn'
    this.#normal.aim()
    const length = this.#settings.reach * distance(this.#border, this.#origin)
    const balance = this.#balance(length)
    const write = (row: number): void => {
      this.#normal.draw(key, row, this.#direction)
      away(this.#middle, this.#direction, length, this.#trial)
      this.#enter(this.#trial)
      balance(this.#trial)
    }
    const values = yield* this.#answers(rows, write)
    this.#normal.fade()
    values.forEach((value, row) => {
      if (Number.isNaN(value)) return
      write(row)
      subtract(this.#trial, this.#middle, this.#direction)
      this.#normal.learn(this.#direction, this.#isSuccess(value))
    })
    this.#state.used += this.#asked
    return 'turn'
  }

  /**
   * Brings a probe that lost a part at the bounds of the pixels back to right angles to the normal: one that leans to a side
   * has the answer of that side, and tells nothing.
   */
  #balance(length: number): (probe: Vector) => void {
    if (!this.#normal.write(this.#ahead)) return () => undefined
    const squares = freePart(this.#ahead, this.#middle, 0.1 * length, (x) => this.#enter(x), this.#trial, this.#free)
    if (squares < leastFree) return () => undefined
    return (probe) => {
      const lean = lengthAlong(this.#middle, probe, this.#ahead) / squares
      away(probe, this.#free, -lean, probe)
      this.#enter(probe)
    }
  }

  /** Moves along the arc towards the normal, and to the border again. */
  *#turn(): Stage<StageName> {
    this.#asked = 0
    const radius = distance(this.#border, this.#origin)
    if (!(radius > 0)) return 'converged'
    if (this.#isLimited && !this.#state.inside && (yield* this.#leapInside())) {
      this.#state.inside = true
      this.#commit(true, this.#trial)
      return 'near'
    }
    this.#found.set(this.#border)
    const turn = yield* this.#alongArc(radius)
    const middle = yield* this.#alongRay()
    onTheWay(this.#origin, this.#found, middle.between, this.#middle)
    onTheWay(this.#origin, this.#found, middle.nearest, this.#trial)
    this.#state.turn = turn
    this.#commit(true, this.#trial)
    return 'look'
  }

  /** Tries the corner of the l-infinity ball to which the normal points. */
  *#leapInside(): Generator<Batch, boolean, Float64Array> {
    const { linf } = this.#at.attack ?? {}
    if (linf === undefined || !this.#normal.write(this.#direction)) return false
    away(this.#origin, this.#direction.map(Math.sign), linf, this.#trial)
    this.#intoSet(this.#trial)
    return yield* this.#succeeds()
  }

  /** Tries points along the arc; the furthest that succeeds is the one found. Returns where to begin next time. */
  *#alongArc(radius: number): Generator<Batch, number, Float64Array> {
    if (!this.#normal.write(this.#direction)) return this.#state.turn
    away(this.#origin, this.#direction, radius, this.#trial)
    this.#enter(this.#trial)
    const arc = arcTowards(this.#origin, this.#border, this.#trial, this.#room)
    if (arc === undefined) return this.#state.turn
    let [low, high] = [0, arc.widest]
    let isBounded = false
    let turn = Math.min(this.#state.turn, 0.95 * high)
    for (let tries = 0; tries < arcTries; tries++) {
      arc.write(turn, this.#trial)
      this.#enter(this.#trial)
      if (yield* this.#succeeds()) {
        low = turn
        this.#found.set(this.#trial)
      } else {
        high = turn
        isBounded = true
      }
      const middle = (low + high) / 2
      turn = low === 0 ? high / 2.5 : isBounded ? middle : Math.min(middle, 2 * low)
    }
    return Math.max(0.02, low > 0 ? low : high / 2)
  }

  /** Locates the border on the way from the point found to the origin, as shares of that way. */
  *#alongRay(): Generator<Batch, { readonly nearest: number; readonly between: number }, Float64Array> {
    let [low, high] = [1 - 4 * tolerance, 1]
    while (low > 0 && (yield* this.#succeedsAt(low))) {
      high = low
      low -= 8 * tolerance
    }
    low = Math.max(low, 0)
    while (high - low > tolerance) {
      const middle = (low + high) / 2
      if (yield* this.#succeedsAt(middle)) high = middle
      else low = middle
    }
    return { nearest: high, between: (low + high) / 2 }
  }

  *#succeedsAt(share: number): Generator<Batch, boolean, Float64Array> {
    onTheWay(this.#origin, this.#found, share, this.#trial)
    return yield* this.#succeeds()
  }

  /** Asks the trial, as the current point where it lies inside the limits. */
  *#succeeds(): Generator<Batch, boolean, Float64Array> {
    this.#asked++
    const isInside = !this.#isLimited || this.#at.set.contains(this.#trial)
    const [value] = yield isInside ? currentPoint(this.#trial) : onlyPoint(this.#trial)
    return this.#isSuccess(value as number)
  }

  /** Asks several points, each written into the trial. */
  *#answers(rows: number, write: (row: number) => void): Generator<Batch, Float64Array, Float64Array> {
    this.#asked += rows
    return yield {
      rows,
      write: (row, into, offset) => {
        write(row)
        into.set(this.#trial, offset)
      },
    }
  }

  #isSuccess(value: number): boolean {
    return value < this.#settings.goal
  }

  #enter(x: Vector): void {
    if (this.#state.inside) this.#intoSet(x)
    else this.#intoPictures(x)
  }

  #left(): number {
    return (this.#at.budget.maxQueries ?? Infinity) - this.#state.used - 1
  }

  /** Ends a stage: with the success that it goes on from, where there is one. */
  #commit(hasSuccess: boolean, success: Vector): void {
    this.#state.used += this.#asked
    if (!hasSuccess) return
    this.#border.set(success)
    if (this.#isLimited && !this.#at.set.contains(this.#border)) return
    const isNearer = distance(this.#border, this.#origin) < distance(this.point, this.#origin)
    if (!this.#state.reached || isNearer) this.point.set(this.#border)
    this.#state.reached = true
    // Outside the largest change, what succeeds says little about what does inside; a length does not matter so.
    this.#state.inside = this.#at.attack?.linf !== undefined
  }
}

/** Brings points to where they make pictures, whatever the limits; undefined where that is not known. */
function wider(at: Begin): ((x: Vector) => void) | undefined {
  const pictures = at.attack?.pictures
  return pictures && withinSet({ ...at, set: { ...at.set, bounds: () => pictures } })
}
