import type { Begin, Key, Memory, Span, Vector } from '../core/types.ts'
import type { Batch, Stage, StagedMethod } from '../staged/staged-search.ts'
import { bisected, furthestTurn, located } from './border-location.ts'
import { distance } from './border-moves.ts'
import { type BorderNormal, borderNormal } from './border-normal.ts'
import { copyOf } from './current-point.ts'
import { type FirstTries, firstTries } from './first-tries.ts'
import { intoSet } from './into-set.ts'
import { type Arc, type ArcRoom, arcTowards, away, balancer, onTheWay, subtract } from './label-moves.ts'
import { LabelOracle, withinPictures } from './label-oracle.ts'

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
  /** How far it has looked for a first success. */
  level: number
  /** How far the last move turned, as the tangent of the angle. */
  turn: number
  /** Whether it keeps to the limits: before the first success inside them it may look outside. */
  inside: boolean
  /** Whether a point inside the limits has succeeded. */
  reached: boolean
}

/** How well a border is located, as a share of its distance. */
const tolerance = 0.01

/** Points tried along an arc. */
const arcTries = 5

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
  readonly #starts: FirstTries
  readonly #origin: Vector
  /** The nearest success, which may lie outside the limits, and a point just across the border from it. */
  readonly #border: Vector
  readonly #middle: Vector
  readonly #state: Progress
  readonly #intoSet: (x: Vector) => void
  readonly #intoPictures: (x: Vector) => void
  readonly #oracle: LabelOracle
  /** The last point that succeeded in this stage, and directions: nothing a checkpoint needs. */
  readonly #found: Vector
  readonly #direction: Float64Array
  readonly #room: ArcRoom

  constructor(at: Begin, span: Span, settings: LabelSettings) {
    const { dim } = at
    this.#at = at
    this.#settings = settings
    this.point = at.start
    this.#origin = copyOf(at, at.origin ?? at.start)
    this.#border = copyOf(at, at.start)
    this.#middle = copyOf(at, at.start)
    this.#found = copyOf(at, at.start)
    this.#direction = new Float64Array(dim)
    this.#room = { out: new Float64Array(dim), side: new Float64Array(dim) }
    this.#normal = borderNormal(at, span)
    this.#oracle = new LabelOracle(at, settings.goal)
    this.#intoSet = intoSet(at)
    this.#intoPictures = withinPictures(at)
    this.#starts = firstTries(at, this.#normal, this.#origin)
    this.#state = { used: 0, level: 0, turn: 0.5, inside: false, reached: false }
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
    this.#oracle.asked = 0
    this.#oracle.trial.set(this.#origin)
    const isReached = yield* this.#oracle.succeeds()
    this.#commit(isReached, this.#oracle.trial)
    return isReached ? 'converged' : 'seek'
  }

  /** Points of one level that may succeed. */
  *#seek(key: Key): Stage<StageName> {
    this.#oracle.asked = 0
    const { level } = this.#state
    for (let i = 0; this.#starts.write(level, key, i, this.#oracle.trial); i++) {
      this.#enter(this.#oracle.trial)
      if (!(yield* this.#oracle.succeeds())) continue
      this.#commit(true, this.#oracle.trial)
      return 'near'
    }
    this.#state.level++
    this.#commit(false, this.#oracle.trial)
    return 'seek'
  }

  /** Halves the way between the origin and a success. */
  *#near(): Stage<StageName> {
    this.#oracle.asked = 0
    this.#found.set(this.#border)
    const { nearest, between } = yield* bisected(0, 1, tolerance, (share) => this.#succeedsAt(share))
    onTheWay(this.#origin, this.#found, between, this.#middle)
    onTheWay(this.#origin, this.#found, nearest, this.#oracle.trial)
    this.#commit(true, this.#oracle.trial)
    return 'look'
  }

  /** Asks around the border, and learns its normal from what succeeds. */
  *#look(key: Key): Stage<StageName> {
    this.#oracle.asked = 0
    const rows = Math.min(this.#settings.probes, this.#left() - arcTries)
    if (rows < 1) return 'turn'
    this.#normal.aim()
    const length = this.#settings.reach * distance(this.#border, this.#origin)
    const { out: ahead, side: free } = this.#room
    const balance = this.#normal.write(ahead)
      ? balancer(ahead, this.#middle, 0.1 * length, (x) => this.#enter(x), { trial: this.#oracle.trial, free })
      : () => undefined
    const write = (row: number): void => {
      this.#normal.draw(key, row, this.#direction)
      away(this.#middle, this.#direction, length, this.#oracle.trial)
      this.#enter(this.#oracle.trial)
      balance(this.#oracle.trial)
    }
    const values = yield* this.#oracle.answers(rows, write)
    this.#normal.fade()
    values.forEach((value, row) => {
      if (Number.isNaN(value)) return
      write(row)
      subtract(this.#oracle.trial, this.#middle, this.#direction)
      this.#normal.learn(this.#direction, this.#oracle.isSuccess(value))
    })
    this.#state.used += this.#oracle.asked
    return 'turn'
  }

  /** Moves along the arc towards the normal, and to the border again. */
  *#turn(): Stage<StageName> {
    this.#oracle.asked = 0
    const radius = distance(this.#border, this.#origin)
    if (!(radius > 0)) return 'converged'
    if (this.#oracle.isLimited && !this.#state.inside && (yield* this.#leapInside())) {
      this.#state.inside = true
      this.#commit(true, this.#oracle.trial)
      return 'near'
    }
    this.#found.set(this.#border)
    const turn = yield* this.#alongArc(radius)
    const { nearest, between } = yield* located(tolerance, (share) => this.#succeedsAt(share))
    onTheWay(this.#origin, this.#found, between, this.#middle)
    onTheWay(this.#origin, this.#found, nearest, this.#oracle.trial)
    this.#state.turn = turn
    this.#commit(true, this.#oracle.trial)
    return 'look'
  }

  /** Tries the corner of the l-infinity ball to which the normal points. */
  *#leapInside(): Generator<Batch, boolean, Float64Array> {
    const { linf } = this.#at.attack ?? {}
    if (linf === undefined || !this.#normal.write(this.#direction)) return false
    away(this.#origin, this.#direction.map(Math.sign), linf, this.#oracle.trial)
    this.#intoSet(this.#oracle.trial)
    return yield* this.#oracle.succeeds()
  }

  /** Tries points along the arc; the furthest that succeeds is the one found. Returns where to begin next time. */
  *#alongArc(radius: number): Generator<Batch, number, Float64Array> {
    if (!this.#normal.write(this.#direction)) return this.#state.turn
    away(this.#origin, this.#direction, radius, this.#oracle.trial)
    this.#enter(this.#oracle.trial)
    const arc = arcTowards(this.#origin, this.#border, this.#oracle.trial, this.#room)
    if (arc === undefined) return this.#state.turn
    return yield* furthestTurn(arc.widest, this.#state.turn, arcTries, (turn) => this.#succeedsAlong(arc, turn))
  }

  *#succeedsAlong(arc: Arc, turn: number): Generator<Batch, boolean, Float64Array> {
    arc.write(turn, this.#oracle.trial)
    this.#enter(this.#oracle.trial)
    const isSuccess = yield* this.#oracle.succeeds()
    if (isSuccess) this.#found.set(this.#oracle.trial)
    return isSuccess
  }

  *#succeedsAt(share: number): Generator<Batch, boolean, Float64Array> {
    onTheWay(this.#origin, this.#found, share, this.#oracle.trial)
    return yield* this.#oracle.succeeds()
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
    this.#state.used += this.#oracle.asked
    if (!hasSuccess) return
    this.#border.set(success)
    if (!this.#oracle.allows(this.#border)) return
    const isNearer = distance(this.#border, this.#origin) < distance(this.point, this.#origin)
    if (!this.#state.reached || isNearer) this.point.set(this.#border)
    this.#state.reached = true
    // Outside the largest change, what succeeds says little about what does inside; a length does not matter so.
    this.#state.inside = this.#at.attack?.linf !== undefined
  }
}
