import type { BasisState, Key, Memory, RunContext, Vector } from '../../optimizer/core/types.ts'
import { exponential } from '../../optimizer/kernels/functions.ts'
import { tileSize } from '../../optimizer/kernels/normals.ts'
import type { Batch } from '../../optimizer/methods/staged/staged-search.ts'
import { dot } from '../../optimizer/numerics/vectors.ts'

/** What is known of the direction in which a boundary is crossed, from answers that only tell on which side a point lies. */
export interface BoundaryNormal {
  readonly memory: Memory
  /**
   * into = a direction to ask about, of length 1: the less is known along it, the likelier. It is at right angles to the
   * estimate, so that both answers are equally likely and each tells as much as one answer can.
   */
  draw(key: Key, row: number, into: Float64Array): void
  /** Takes over what has been learned into what is drawn: learning alone leaves the draws as they were. */
  aim(): void
  /** Told on which side of the boundary the point lies that is this step away from it. */
  learn(step: Float64Array, isBeyond: boolean): void
  /** The same of a step that was drawn, on one side of a point, as it was drawn: for less work. */
  learnDrawn(key: Key, row: number, isBeyond: boolean): void
  /** Forgets a little: the boundary is another one where the search has got to. */
  fade(): void
  /** into = the estimate, of length 1; false where nothing is known yet. */
  write(into: Float64Array): boolean
}

/** How uncertain an answer is beside what is known, as a share of what was expected at first: boundaries are not straight. */
const doubt = 0.2

/** The share of what is known that is forgotten from one place to the next. */
const fading = 0.002

/** Beyond so many standard deviations an answer says no more. */
const surest = 4

/**
 * A normal vector with independent normal coefficients in the basis, a mean and a variance each, corrected by every answer
 * as if its probability were that of a probit model (the update of Graepel et al., 2010, for single answers). At first the
 * mean is 0, and low frequencies are expected to matter more. Where the basis is large, and nearly orthonormal, what is drawn is
 * as long as its coefficients.
 */
export function boundaryNormal(at: RunContext, span: BasisState, isNearlyUnit = false): BoundaryNormal {
  const { kernels, dim } = at
  const count = span.dim
  const mean = new Float64Array(count)
  const expected = expectation(span)
  const variance = expected.slice()
  const [drawnMean, drawnVariance] = [mean.slice(), variance.slice()]
  const step = new Float64Array(count)
  const normals = kernels.allocate(8 * Math.ceil(Math.min(tileSize, count) / 8), 'float32') as Float32Array
  const project = span.project?.bind(span) ?? projecting(span, dim)

  const drawStep = (key: Key, row: number): void => {
    for (let first = 0, tile = 0; first < count; first += tileSize, tile++) {
      const length = Math.min(tileSize, count - first)
      kernels.normals({ ...key, row }, tile, length, normals)
      for (let i = 0; i < length; i++) {
        const spread = 0.5 * ((drawnVariance[first + i] as number) + (expected[first + i] as number))
        step[first + i] = (normals[i] as number) * Math.sqrt(spread)
      }
    }
    takeOut(drawnMean, step)
    if (isNearlyUnit) unit(step)
  }

  return {
    memory: { vectors: { mean, variance } },
    draw(key, row, into) {
      drawStep(key, row)
      span.expand(step, into)
      if (!isNearlyUnit) unit(into)
    },
    learnDrawn(key, row, isBeyond) {
      drawStep(key, row)
      correct(mean, variance, expected, step, isBeyond ? 1 : -1)
    },
    aim() {
      drawnMean.set(mean)
      drawnVariance.set(variance)
    },
    learn(given, isBeyond) {
      const length = Math.sqrt(dot(given, given))
      if (!(length > 0)) return
      project(given, step)
      for (let i = 0; i < count; i++) step[i] = (step[i] as number) / length
      correct(mean, variance, expected, step, isBeyond ? 1 : -1)
    },
    fade() {
      const left = Math.sqrt(1 - fading)
      for (let i = 0; i < count; i++) {
        mean[i] = (mean[i] as number) * left
        variance[i] = (variance[i] as number) + fading * ((expected[i] as number) - (variance[i] as number))
      }
    },
    write(into) {
      span.expand(mean, into)
      return unit(into)
    },
  }
}

/** The mean and the variances after the answer that a unit step leads beyond the boundary (1) or stays before it (-1). */
function correct(
  mean: Float64Array,
  variance: Float64Array,
  expected: Float64Array,
  step: Float64Array,
  side: 1 | -1,
): void {
  let [known, first] = [0, 0]
  for (let i = 0; i < step.length; i++) {
    const square = (step[i] as number) * (step[i] as number)
    known += (variance[i] as number) * square
    first += (expected[i] as number) * square
  }
  const squared = known + doubt * doubt * first
  if (!(squared > 0)) return
  const deviation = Math.sqrt(squared)
  const sure = Math.max(-surest, Math.min(surest, (side * dot(mean, step)) / deviation))
  const surprise = surpriseAt(sure)
  const shrink = (surprise * (surprise + sure)) / squared
  const push = (side * surprise) / deviation
  for (let i = 0; i < step.length; i++) {
    const own = variance[i] as number
    const along = own * (step[i] as number)
    mean[i] = (mean[i] as number) + push * along
    variance[i] = own - shrink * along * along
  }
}

/** The density of a standard normal at t by the probability of less than t: what an answer with that probability brings. */
function surpriseAt(t: number): number {
  return (0.3989422804014327 * exponential(-0.5 * t * t)) / probabilityBelow(t)
}

/** The distribution function of the standard normal, to seven digits (Numerical Recipes, erfcc). */
function probabilityBelow(t: number): number {
  const z = Math.abs(t) * Math.SQRT1_2
  const u = 1 / (1 + 0.5 * z)
  const coefficients = [
    0.17087277, -0.82215223, 1.48851587, -1.13520398, 0.27886807, -0.18628806, 0.09678418, 0.37409196, 1.00002368,
    -1.26551223,
  ]
  const power = coefficients.reduce((sum, each) => sum * u + each, 0)
  const tail = 0.5 * u * exponential(-z * z + power)
  return t > 0 ? 1 - tail : tail
}

/** What is expected of every vector before anything is known, in sum 1: falls with the frequency to the power 3/4. */
function expectation(span: BasisState): Float64Array {
  const expected = Float64Array.from({ length: span.dim }, (_, i) => {
    const root = Math.sqrt(Math.sqrt(span.prospect?.(i) ?? 1))
    return root * Math.sqrt(root)
  })
  const sum = expected.reduce((total, each) => total + each, 0)
  return expected.map((each) => each / sum)
}

/** Takes the part along `known` out of a vector. */
function takeOut(known: Float64Array, vector: Float64Array): void {
  const squares = dot(known, known)
  if (!(squares > 0)) return
  const share = dot(known, vector) / squares
  for (let i = 0; i < vector.length; i++) vector[i] = (vector[i] as number) - share * (known[i] as number)
}

/** Makes a vector one of length 1; false where it is 0. */
function unit(vector: Float64Array): boolean {
  const length = Math.sqrt(dot(vector, vector))
  if (!(length > 0)) return false
  for (let i = 0; i < vector.length; i++) vector[i] = (vector[i] as number) / length
  return true
}

/** The coefficients of an image in a basis that only knows how to write sums. */
function projecting(span: BasisState, dim: number): NonNullable<BasisState['project']> {
  const one = new Float64Array(span.dim)
  const vector = new Float64Array(dim)
  return (image, into) => {
    for (let i = 0; i < span.dim; i++) {
      one[i] = 1
      span.expand(one, vector)
      one[i] = 0
      into[i] = dot(image, vector)
    }
  }
}

/** Asks whether the point at a place succeeds. */
type Succeeds = (place: number) => Generator<Batch, boolean, Float64Array>

/** Where a boundary was found on the way from the origin, as shares of that way. */
interface Location {
  /** The nearest point that succeeds. */
  readonly nearest: number
  /** Half-way to the furthest point that does not. */
  readonly between: number
}

/** Halves the way between a place that does not succeed and one that does. */
export function* bisected(
  from: number,
  to: number,
  tolerance: number,
  succeeds: Succeeds,
): Generator<Batch, Location, Float64Array> {
  let [low, high] = [from, to]
  while (high - low > tolerance) {
    const middle = (low + high) / 2
    if (yield* succeeds(middle)) high = middle
    else low = middle
  }
  return { nearest: high, between: (low + high) / 2 }
}

/** The same where the boundary is probably near the end of the way, which succeeds. */
export function* located(tolerance: number, succeeds: Succeeds): Generator<Batch, Location, Float64Array> {
  let [low, high] = [1 - 4 * tolerance, 1]
  while (low > 0 && (yield* succeeds(low))) {
    high = low
    low -= 8 * tolerance
  }
  return yield* bisected(Math.max(low, 0), high, tolerance, succeeds)
}

/**
 * Tries turns, as tangents of angles, from `first` on and at most `widest`, for the furthest that succeeds. Returns where to
 * begin next time.
 */
export function* furthestTurn(
  widest: number,
  first: number,
  tries: number,
  succeeds: Succeeds,
): Generator<Batch, number, Float64Array> {
  let [low, high] = [0, widest]
  let isBounded = false
  let turn = Math.min(first, 0.95 * widest)
  for (let left = tries; left > 0; left--) {
    if (yield* succeeds(turn)) low = turn
    else {
      high = turn
      isBounded = true
    }
    const middle = (low + high) / 2
    turn = low === 0 ? high / 2.5 : isBounded ? middle : Math.min(middle, 2 * low)
  }
  return Math.max(leastTurn, low > 0 ? low : high / 2)
}

/** Turns below it bring nothing. */
const leastTurn = 0.02

/** The half circle over the way from the origin to a point of the boundary: all its points are nearer than that one. */
export interface Arc {
  /** How far it turns at most: to the direction that was aimed at. */
  readonly widest: number
  /** into = the point of it that is turned by so much, as the tangent of the angle. */
  write(turn: number, into: Vector): void
}

/** Directions at work, allocated once. */
export interface ArcBuffers {
  readonly out: Float64Array
  readonly side: Float64Array
}

/**
 * The arc from `boundary` towards `aim`, both seen from the origin. For a straight boundary across `aim` its nearest point is
 * where the arc crosses it again. Undefined where the two directions are the same.
 */
export function arcTowards(origin: Vector, boundary: Vector, aim: Vector, room: ArcBuffers): Arc | undefined {
  const { out, side } = room
  for (let i = 0; i < out.length; i++) {
    out[i] = (boundary[i] as number) - (origin[i] as number)
    side[i] = (aim[i] as number) - (origin[i] as number)
  }
  const radius = Math.sqrt(dot(out, out))
  const along = dot(out, side) / (radius * radius)
  for (let i = 0; i < out.length; i++) side[i] = (side[i] as number) - along * (out[i] as number)
  const across = Math.sqrt(dot(side, side))
  if (!(radius > 0 && across > 1e-9 * radius)) return undefined
  const widest = along > 0 ? Math.min(mostTurn, across / (along * radius)) : mostTurn
  return {
    widest,
    write(turn, into) {
      // r cos t (cos t u + sin t v), with cos^2 t = 1 / (1 + tan^2 t).
      const share = 1 / (1 + turn * turn)
      const sideways = (share * turn * radius) / across
      for (let i = 0; i < out.length; i++) {
        into[i] = (origin[i] as number) + share * (out[i] as number) + sideways * (side[i] as number)
      }
    },
  }
}

/** The tangent of the widest turn: beyond it nothing is left of the way. */
const mostTurn = 15

/** into = the point at a share of the way from one point to another. */
export function onTheWay(from: Vector, to: Vector, share: number, into: Vector): void {
  for (let i = 0; i < into.length; i++) {
    into[i] = (from[i] as number) + share * ((to[i] as number) - (from[i] as number))
  }
}

/** into = a point so far from another in a direction. Four entries at a time: three quarters of the time of the plain loop. */
export function away(from: Vector, direction: ArrayLike<number>, length: number, into: Vector): void {
  let i = 0
  for (const end = into.length - 3; i < end; i += 4) {
    into[i] = (from[i] as number) + length * (direction[i] as number)
    into[i + 1] = (from[i + 1] as number) + length * (direction[i + 1] as number)
    into[i + 2] = (from[i + 2] as number) + length * (direction[i + 2] as number)
    into[i + 3] = (from[i + 3] as number) + length * (direction[i + 3] as number)
  }
  for (; i < into.length; i++) into[i] = (from[i] as number) + length * (direction[i] as number)
}

/** into = a - b. */
export function subtract(a: Vector, b: Vector, into: Float64Array): void {
  for (let i = 0; i < into.length; i++) into[i] = (a[i] as number) - (b[i] as number)
}

/**
 * What brings a probe that lost a part at the bounds of the set back to right angles to the normal at a point: one that leans to
 * a side has the answer of that side, and tells nothing. `length` is a step that tells where the set leaves room.
 */
export function balancer(
  normal: Float64Array,
  point: Vector,
  length: number,
  enter: (x: Vector) => void,
  { trial, free }: { readonly trial: Vector; readonly free: Float64Array },
): (probe: Vector) => void {
  const squares = freePart(normal, point, length, enter, trial, free)
  if (squares < leastFree) return () => undefined
  return (probe) => {
    const lean = lengthAlong(point, probe, normal) / squares
    away(probe, free, -lean, probe)
    enter(probe)
  }
}

/** The share of the normal that must be free at both sides for probes to be balanced along it. */
const leastFree = 0.01

/** How far it is from one point to another along a direction of length 1. */
export function lengthAlong(from: Vector, to: Vector, direction: Float64Array): number {
  let sum = 0
  for (let i = 0; i < direction.length; i++) {
    sum += ((to[i] as number) - (from[i] as number)) * (direction[i] as number)
  }
  return sum
}

/**
 * into = the entries of a direction along which the set leaves room to both sides of a point; returns their squares added
 * up. `trial` is room for the points that are tried.
 */
export function freePart(
  direction: Float64Array,
  point: Vector,
  length: number,
  enter: (x: Vector) => void,
  trial: Vector,
  into: Float64Array,
): number {
  into.set(direction)
  for (const side of [length, -length]) {
    away(point, direction, side, trial)
    enter(trial)
    for (let i = 0; i < into.length; i++) {
      const moved = (trial[i] as number) - (point[i] as number)
      const wanted = side * (direction[i] as number)
      if (Math.abs(moved - wanted) > 0.01 * Math.abs(wanted)) into[i] = 0
    }
  }
  return dot(into, into)
}
