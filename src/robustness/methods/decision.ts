import { ZerothError } from '../../optimizer/core/errors.ts'
import { openKernels } from '../../optimizer/core/open-kernels.ts'
import { count, number, optional, positive, table, withDefault } from '../../optimizer/core/options.ts'
import { definePart, part } from '../../optimizer/core/part.ts'
import type {
  Basis,
  BasisState,
  Bounds,
  ImageShape,
  Key,
  Memory,
  RunContext,
  SavedMemory,
  Search,
  Solver,
  Vector,
} from '../../optimizer/core/types.ts'
import { randomInteger, randomWord } from '../../optimizer/kernels/random.ts'
import { copyOf } from '../../optimizer/methods/points.ts'
import {
  type Batch,
  currentPoint,
  onlyPoint,
  type Stage,
  type StagedMethod,
  stagedSearch,
} from '../../optimizer/methods/staged/staged-search.ts'

import { distance } from '../../optimizer/numerics/vectors.ts'
import { coarseCosines, dct } from '../../optimizer/parts/bases/dct.ts'

import {
  type Arc,
  type ArcBuffers,
  arcTowards,
  away,
  type BoundaryNormal,
  balancer,
  bisected,
  boundaryNormal,
  furthestTurn,
  located,
  onTheWay,
  subtract,
} from './boundary-normal.ts'
import { coordinateSpan } from './gradient-memory.ts'
import { projectInto } from './project-into.ts'
import { trialSearch } from './trial-search.ts'

/**
 * For models that answer with a class and no scores: the nearest success, in Euclidean length, from answers that only tell
 * success from failure; inside the limits of the attack first, where it has any. Made for objectives that answer the same
 * question in the same way each time.
 */
export const labelOnly = definePart({
  kind: 'solver',
  forAttacks: true,
  name: 'label-only',
  summary: 'The nearest success from answers that only tell success from failure, for models without scores.',
  options: table({
    /** A value below it is a success: attacks on models without scores have 0. Default 0. */
    goal: withDefault(number, 0),
    /** Points around the boundary that are asked before each move. At least 1; default 40. */
    probes: withDefault(count, 40),
    /** How far from the boundary they lie, as a share of its distance. Above 0; default 0.3. */
    reach: withDefault(positive, 0.3),
    /** The subspace in which probes lie; the frequencies of an image, else all variables. */
    basis: optional(part<Basis>('basis', 'start')),
  }),
  examples: () => [{ goal: 0.1, probes: 4 }],
  make: ({ basis, ...settings }): Solver => {
    const begin = (at: RunContext, saved?: SavedMemory): Search => {
      checkAttack(at)
      const own = { ...settings, isCoarse: isCoarse(at, basis) }
      return stagedSearch(at, decisionSearch(at, spanOf(at, basis), own), 'start', saved)
    }
    return { start: begin, resume: begin, openKernels, readsLabels: true }
  },
})

/** Refuses a model with scores: its successes are not below 0. */
function checkAttack({ attack }: RunContext): void {
  if (attack === undefined || attack.labelsOnly === true) return
  const advice = 'use another method, or hide the scores with preprocessing.scores labels'
  throw new ZerothError('invalid-option', `label-only is for models that answer with a class and no scores: ${advice}`)
}

/** Pixels of an image up to which all its frequencies are used. */
const smallImage = 4096

/** Whether probes are drawn from few frequencies, and their answers learned from as if no probe had been clipped. */
function isCoarse({ shape }: RunContext, basis: Basis | undefined): boolean {
  return basis === undefined && shape !== undefined && shape.height * shape.width > smallImage
}

function spanOf(at: RunContext, basis: Basis | undefined): BasisState {
  const { shape, dim } = at
  if (basis === undefined && shape === undefined) return coordinateSpan(dim)
  if (isCoarse(at, basis)) return coarseCosines(shape as ImageShape)
  const size = Math.max(shape?.height ?? 1, shape?.width ?? 1)
  const span = (basis ?? dct({ shape, size })).start(at)
  if (span.changing !== true) return span
  throw new ZerothError('invalid-option', 'label-only.basis must have the same vectors in all iterations')
}

/** How a search goes about it that only knows of points whether they succeed. */
interface DecisionSettings {
  /** A value below it is a success. */
  readonly goal: number
  /** Points around the boundary that are asked before each move. */
  readonly probes: number
  /** How far from the boundary they lie, as a share of its distance from the origin. */
  readonly reach: number
  /** Whether probes are as they were drawn: few of the many pixels of a large image lose a part at the bounds. */
  readonly isCoarse: boolean
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

/** How well a boundary is located, as a share of its distance. */
const tolerance = 0.01

/** Points tried along an arc. */
const arcTries = 5

/**
 * Seeks the point nearest to the origin with a value below the goal, from answers that only tell success from failure.
 * Noise that grows until it succeeds, and the way back to the boundary. Then in turns: points around the boundary correct an
 * estimate of its normal, which is remembered (`boundaryNormal`); the search moves along the arc from the boundary point to that
 * normal, on which every point is nearer, as far as points succeed (as SurFree and CGBA do).
 */
function decisionSearch(at: RunContext, span: BasisState, settings: DecisionSettings): StagedMethod<StageName> {
  return new DecisionSearch(at, span, settings)
}

class DecisionSearch implements StagedMethod<StageName> {
  /** The nearest success inside the limits; the start until there is one. */
  readonly point: Vector
  readonly memory: Memory
  readonly stages: Readonly<Record<StageName, (key: Key) => Stage<StageName>>>
  readonly #at: RunContext
  readonly #settings: DecisionSettings
  readonly #normal: BoundaryNormal
  readonly #starts: InitialNoise
  readonly #origin: Vector
  /** The nearest success, which may lie outside the limits, and a point just across the boundary from it. */
  readonly #boundary: Vector
  readonly #middle: Vector
  readonly #state: Progress
  readonly #projectInto: (x: Vector) => void
  readonly #intoPictures: (x: Vector) => void
  readonly #oracle: DecisionOracle
  /** The last point that succeeded in this stage, and directions: nothing a checkpoint needs. */
  readonly #found: Vector
  readonly #direction: Float64Array
  readonly #room: ArcBuffers

  constructor(at: RunContext, span: BasisState, settings: DecisionSettings) {
    const { dim } = at
    this.#at = at
    this.#settings = settings
    this.point = at.start
    this.#origin = copyOf(at, at.origin ?? at.start)
    this.#boundary = copyOf(at, at.start)
    this.#middle = copyOf(at, at.start)
    this.#found = copyOf(at, at.start)
    this.#direction = new Float64Array(dim)
    this.#room = { out: new Float64Array(dim), side: new Float64Array(dim) }
    this.#normal = boundaryNormal(at, span, settings.isCoarse)
    this.#oracle = new DecisionOracle(at, settings.goal)
    this.#projectInto = projectInto(at)
    this.#intoPictures = withinPictures(at)
    this.#starts = initialNoise(at, this.#normal, this.#origin, settings.isCoarse)
    this.#state = { used: 0, level: 0, turn: 0.5, inside: false, reached: false }
    const vectors = { origin: this.#origin, boundary: this.#boundary, middle: this.#middle }
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
    this.#found.set(this.#boundary)
    const { nearest, between } = yield* bisected(0, 1, tolerance, (share) => this.#succeedsAt(share))
    onTheWay(this.#origin, this.#found, between, this.#middle)
    onTheWay(this.#origin, this.#found, nearest, this.#oracle.trial)
    this.#commit(true, this.#oracle.trial)
    return 'look'
  }

  /** Asks around the boundary, and learns its normal from what succeeds. */
  *#look(key: Key): Stage<StageName> {
    this.#oracle.asked = 0
    const rows = Math.min(this.#settings.probes, this.#left() - arcTries)
    if (rows < 1) return 'turn'
    this.#normal.aim()
    const length = this.#settings.reach * distance(this.#boundary, this.#origin)
    const { out: ahead, side: free } = this.#room
    const { isCoarse } = this.#settings
    const balance =
      !isCoarse && this.#normal.write(ahead)
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
      if (isCoarse) return this.#normal.learnDrawn(key, row, this.#oracle.isSuccess(value))
      write(row)
      subtract(this.#oracle.trial, this.#middle, this.#direction)
      this.#normal.learn(this.#direction, this.#oracle.isSuccess(value))
    })
    this.#state.used += this.#oracle.asked
    return 'turn'
  }

  /** Moves along the arc towards the normal, and to the boundary again. */
  *#turn(): Stage<StageName> {
    this.#oracle.asked = 0
    const radius = distance(this.#boundary, this.#origin)
    if (!(radius > 0)) return 'converged'
    if (this.#oracle.isLimited && !this.#state.inside && (yield* this.#leapInside())) {
      this.#state.inside = true
      this.#commit(true, this.#oracle.trial)
      return 'near'
    }
    this.#found.set(this.#boundary)
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
    this.#projectInto(this.#oracle.trial)
    return yield* this.#oracle.succeeds()
  }

  /** Tries points along the arc; the furthest that succeeds is the one found. Returns where to begin next time. */
  *#alongArc(radius: number): Generator<Batch, number, Float64Array> {
    if (!this.#normal.write(this.#direction)) return this.#state.turn
    away(this.#origin, this.#direction, radius, this.#oracle.trial)
    this.#enter(this.#oracle.trial)
    const arc = arcTowards(this.#origin, this.#boundary, this.#oracle.trial, this.#room)
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
    if (this.#state.inside) this.#projectInto(x)
    else this.#intoPictures(x)
  }

  #left(): number {
    return (this.#at.budget.maxQueries ?? Infinity) - this.#state.used - 1
  }

  /** Ends a stage: with the success that it goes on from, where there is one. */
  #commit(hasSuccess: boolean, success: Vector): void {
    this.#state.used += this.#oracle.asked
    if (!hasSuccess) return
    this.#boundary.set(success)
    if (!this.#oracle.allows(this.#boundary)) return
    const isNearer = distance(this.#boundary, this.#origin) < distance(this.point, this.#origin)
    if (!this.#state.reached || isNearer) this.point.set(this.#boundary)
    this.#state.reached = true
    // Outside the largest change, what succeeds says little about what does inside; a length does not matter so.
    this.#state.inside = this.#at.attack?.linf !== undefined
  }
}

/** Asks whether points succeed, and counts what it asks. */
class DecisionOracle {
  /** The point that is asked next. */
  readonly trial: Vector
  /** Queries of the stage at work. */
  asked = 0
  /** Whether the attack has limits, outside of which no success counts. */
  readonly isLimited: boolean
  readonly #at: RunContext
  readonly #goal: number

  constructor(at: RunContext, goal: number) {
    this.trial = copyOf(at, at.start)
    this.isLimited = at.attack?.linf !== undefined || at.attack?.l2 !== undefined
    this.#at = at
    this.#goal = goal
  }

  /** Whether a success there counts. */
  allows(x: Vector): boolean {
    return !this.isLimited || this.#at.set.contains(x)
  }

  isSuccess(value: number): boolean {
    return value < this.#goal
  }

  /** Asks the trial, as the current point where its success counts. */
  *succeeds(): Generator<Batch, boolean, Float64Array> {
    this.asked++
    const [value] = yield this.allows(this.trial) ? currentPoint(this.trial) : onlyPoint(this.trial)
    return this.isSuccess(value as number)
  }

  /** Asks several points, each written into the trial; none of them counts. */
  *answers(rows: number, write: (row: number) => void): Generator<Batch, Float64Array, Float64Array> {
    this.asked += rows
    return yield {
      rows,
      write: (row, into, offset) => {
        write(row)
        into.set(this.trial, offset)
      },
    }
  }
}

/** Brings points to where they make pictures, whatever the limits; into the set where that is not known. */
function withinPictures(at: RunContext): (x: Vector) => void {
  const pictures = at.attack?.pictures
  return projectInto(
    pictures === undefined ? at : { ...at, set: { ...at.set, ball: undefined, bounds: () => pictures } },
  )
}

/** Initial candidates in order of increasing perturbation. */
interface InitialNoise {
  /** Writes one of the points of a level, which may lie outside the set; false where it has no more. */
  write(level: number, key: Key, index: number, into: Vector): boolean
}

/** The first noise, per variable (root mean square), what it is multiplied by, levels until it begins again, and tries. */
const noise = { first: 0.02, growth: 1.25, levels: 24, tries: 4 }

/** The level from which on pictures are tried with a part covered, on large images after plain ones, and that of starting points. */
const patchLevel = 12
const startingPointLevel = 20

/** Rows of random numbers of the noise; probes have those from 0 on. */
const noiseRow = 1_000_000

/**
 * Noise that grows. Some models see the same class in all noise, and another where a part of the picture is missing: so that
 * is tried, too. Noise seldom leads to a class that is given: then starting points come first, else late.
 */
function initialNoise(at: RunContext, normal: BoundaryNormal, origin: Vector, isCoarse: boolean): InitialNoise {
  const { dim, shape, attack } = at
  const { startingPoints = [], targeted, pictures } = attack ?? {}
  const direction = new Float64Array(dim)
  const hasPatches = shape !== undefined && pictures !== undefined
  return {
    write(level, key, index, into) {
      const others = level === (targeted === true ? 0 : startingPointLevel) ? startingPoints : []
      const patches = others.length + (hasPatches && level >= patchLevel ? noise.tries : 0)
      const startingPoint = others[index]
      if (isCoarse && hasPatches && level === patchLevel && index < plainPictures) plainPicture(index, pictures, into)
      else if (startingPoint !== undefined) into.set(startingPoint)
      else if (hasPatches && index < patches) {
        into.set(origin)
        coverPatch(shape, pictures, key, index, into)
      } else {
        normal.draw(key, noiseRow + index, direction)
        away(origin, direction, amplitudeAt(level) * Math.sqrt(dim), into)
      }
      return index < patches + noise.tries
    },
  }
}

function amplitudeAt(level: number): number {
  let amplitude = noise.first
  for (let i = level % noise.levels; i > 0; i--) amplitude *= noise.growth
  return amplitude
}

/** Pictures that hardly any network sees its class in: gray, the negative, black and white. */
const plainPictures = 4

/** Writes one of them, as variables between which pictures lie. */
function plainPicture(index: number, { lower, upper }: Bounds, into: Vector): void {
  for (let i = 0; i < into.length; i++) {
    const [black, white] = [lower[i % lower.length] as number, upper[i % upper.length] as number]
    into[i] = [(black + white) / 2, black + white, black, white][index] as number
  }
}

/** Pictures that are tried at most. */
const mostPictures = 100

/**
 * The last of the ways to a first success without a limit on the change: plain pictures, then those of other classes, then
 * the original with a part covered. It asks one after the other until one succeeds, whatever its value.
 */
export const startingPictures: Solver = {
  start(at: RunContext) {
    const { attack: { pictures, startingPoints = [] } = {}, shape, seed } = at
    const write = (index: number, into: Vector): boolean => {
      if (pictures === undefined || shape === undefined || index >= mostPictures) return false
      const startingPoint = startingPoints[index - plainPictures]
      if (index < plainPictures) plainPicture(index, pictures, into)
      else if (startingPoint !== undefined) into.set(startingPoint)
      else coverPatch(shape, pictures, { seed, iteration: index }, 0, into)
      return true
    }
    const state = { tried: 0 }
    return trialSearch(at, {
      memory: { state },
      next: (_, __, ___, into) => write(state.tried, into),
      settle: () => void state.tried++,
    })
  },
}

/** Rows below belong to others who draw coordinates. */
const patchRow = 1_000

/** Covers a random rectangle of the picture that `into` makes with black or white: the lower or the upper bounds. */
export function coverPatch(shape: ImageShape, { lower, upper }: Bounds, key: Key, row: number, into: Vector): void {
  const { channels, height, width } = shape
  const address = { ...key, row: patchRow + row }
  const between = (index: number, size: number): [number, number] => {
    const length = 1 + randomInteger(address, 'coordinates', index, size)
    return [randomInteger(address, 'coordinates', index + 1, size - length + 1), length]
  }
  const [top, rows] = between(0, height)
  const [left, columns] = between(2, width)
  const from = randomWord(address, 'coordinates', 4) % 2 === 0 ? lower : upper
  for (let channel = 0; channel < channels; channel++) {
    for (let y = top; y < top + rows; y++) {
      const first = (channel * height + y) * width + left
      for (let i = first; i < first + columns; i++) into[i] = from[i % from.length] as number
    }
  }
}
