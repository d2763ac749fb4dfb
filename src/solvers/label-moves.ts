import { dot } from '../algebra/vectors.ts'
import type { Vector } from '../core/types.ts'

/** The half circle over the way from the origin to a point of the border: all its points are nearer than that one. */
export interface Arc {
  /** How far it turns at most: to the direction that was aimed at. */
  readonly widest: number
  /** into = the point of it that is turned by so much, as the tangent of the angle. */
  write(turn: number, into: Vector): void
}

/** Directions at work, allocated once. */
export interface ArcRoom {
  readonly out: Float64Array
  readonly side: Float64Array
}

/**
 * The arc from `border` towards `aim`, both seen from the origin. For a straight border across `aim` its nearest point is
 * where the arc crosses it again. Undefined where the two directions are the same.
 */
export function arcTowards(origin: Vector, border: Vector, aim: Vector, room: ArcRoom): Arc | undefined {
  const { out, side } = room
  for (let i = 0; i < out.length; i++) {
    out[i] = (border[i] as number) - (origin[i] as number)
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

/** into = a point so far from another in a direction. */
export function away(from: Vector, direction: ArrayLike<number>, length: number, into: Vector): void {
  for (let i = 0; i < into.length; i++) into[i] = (from[i] as number) + length * (direction[i] as number)
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
