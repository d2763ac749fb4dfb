import type { Vector } from '../core/types.ts'
import type { BorderProgress } from './border-moves.ts'

/** What the walk along the border of one class has come to, and what the slopes say of the others. */
export interface Standing {
  /** The class whose border is walked along. */
  readonly own: number
  /** How far the nearest success of this walk is from the origin, Infinity before there is one; and that of all walks. */
  readonly ownRadius: number
  readonly bestRadius: number
  /** How far the border of each class is from the origin, as the slopes see it. */
  readonly reach: Float64Array
  /** Variables of the search. */
  readonly dim: number
}

/** On along the same border, over to that of another class, or back to the best success. */
export type Turn = { readonly to: 'stay' } | { readonly to: 'rival'; readonly rival: number } | { readonly to: 'best' }

/** How much nearer another border must seem to be turned to on the way, and after how many looks. */
const better = { share: 0.9, looks: 3 }

/** A border that seems further away than the best success by that share is left after so many looks. */
const hopeless = { share: 1.03, looks: 3 }

/** A walk is done once it has come nearer by less than a share within so many queries: at least, and per variable. */
const settled = { progress: 0.01, queries: 400, perVariable: 0.25 }

/** Where a walk is done, borders that seem no further away than the best success by that share are tried as well. */
const slack = 1.05

/** How often a class is turned to at most. */
const mostTurns = 3

/**
 * Decides after a look where to walk on, and notes in `walked` which classes are done with. Slopes see far borders as too
 * near, so that a class that was turned to is given some looks before it is compared with the others again.
 */
export function nextTurn(state: BorderProgress, walked: Vector, standing: Standing): Turn {
  const { own, ownRadius, bestRadius, reach } = standing
  const isDone = isOver(state, standing)
  if (isDone) walked[own] = mostTurns
  const rival = nearestOther(reach, walked, own)
  const seen = rival < 0 ? Infinity : (reach[rival] as number)
  const isSure = ownRadius < Infinity && state.looks > better.looks
  const isNearer = seen < better.share * Math.min(reach[own] as number, ownRadius)
  if (isDone ? seen < slack * bestRadius : isSure && isNearer) return { to: 'rival', rival }
  return { to: isDone && ownRadius > bestRadius ? 'best' : 'stay' }
}

/** Whether a walk leads no further, or nowhere near the best success. */
function isOver(state: BorderProgress, { own, ownRadius, bestRadius, reach, dim }: Standing): boolean {
  const isFar = ownRadius > bestRadius && (reach[own] as number) > hopeless.share * bestRadius
  const isHopeless = isFar && state.looks > hopeless.looks
  if (state.used - state.markUsed < Math.max(settled.queries, settled.perVariable * dim)) return isHopeless
  const isSettled = !(ownRadius < (1 - settled.progress) * state.markRadius)
  state.markUsed = state.used
  state.markRadius = ownRadius
  return isHopeless || isSettled
}

/** The class whose border seems nearest of those that are not done with; -1 where there is none. */
function nearestOther(reach: Float64Array, walked: Vector, own: number): number {
  let nearest = -1
  for (let j = 0; j < reach.length; j++) {
    if (j === own || (walked[j] as number) >= mostTurns) continue
    if ((reach[j] as number) < (reach[nearest] ?? Infinity)) nearest = j
  }
  return nearest
}

/** A walk begins: nothing is known of how it gets on. */
export function beginWalk(state: BorderProgress, rival: number, value: number, radius: number): void {
  state.rival = rival
  state.value = value
  state.looks = 0
  state.markUsed = state.used
  state.markRadius = radius
}
