import type { Answers, Begin, Vector } from '../core/types.ts'
import type { Kernels } from '../kernels/kernels.ts'

/** How a search along the border goes about it. */
export interface BorderSettings {
  /** Slopes per iteration on the way to a first success, and after it. */
  readonly directions: number
  readonly refinement: number
  /** How far probes lie from the point. */
  readonly smoothing: number
  /** The first step, per variable (root mean square), and what a step that led down is multiplied by. */
  readonly firstStep: number
  readonly growth: number
  /** Whether probes keep to the set; if left out, in boxes. */
  readonly feasible?: boolean | undefined
}

/** What is known at the border: where the run began, the best point that succeeds, and the slopes just outside. */
interface Known {
  readonly origin: Vector
  readonly kept: Vector
  readonly gradient: Vector
}

/** What is asked next: a step down, a point half-way back, slopes on the near side of the border, or a point on trial. */
type Phase = 'approach' | 'halve' | 'look' | 'attempt'

/** Where a search along the border is: what a checkpoint keeps beside its vectors. */
export type BorderProgress = {
  phase: Phase
  /** The value of the best point. */
  value: number
  /** The length of the next step down. */
  step: number
  /** Halvings or attempts left. */
  left: number
  /** How far an attempt turns; how much nearer it is at first, and now. */
  turn: number
  nearer: number
  nearerNow: number
  /** Whether an attempt with the slopes at hand has improved on the best point. */
  improved: boolean
  finished: boolean
  /** The length of the probes. */
  probe: number
  /** Queries asked so far. */
  used: number
}

/** Halvings between the last point that missed and the first that did not. */
export const halvings = 4

/** Attempts with the same slopes, as long as they succeed. */
export const attempts = 20

/** What a step that did not lead down is multiplied by. */
export const backOff = 0.5

/** What the length of the probes is multiplied by where they find no slope at all. */
export const wider = 4

/** The longest probes that are tried in search of a slope, per variable (root mean square). */
const longestProbe = 0.03

/** How far an attempt turns from the way out to the way down (1 is all the way), and how that share adapts. */
const turning = { first: 0.5, largest: 0.9, more: 1.3, less: 0.9 }

/** How much nearer an attempt is than the best so far, and how that adapts: over look and look, and within one. */
const approaching = { first: 0.02, least: 1e-3, most: 0.1, more: 1.5, less: 0.8, mostAtOnce: 0.3 }

/** Where a search begins. */
export function borderBeginning({ dim }: Begin, { firstStep, smoothing }: BorderSettings): BorderProgress {
  return {
    phase: 'approach',
    value: Number.NaN,
    step: firstStep * Math.sqrt(dim),
    left: 0,
    turn: turning.first,
    nearer: approaching.first,
    nearerNow: approaching.first,
    improved: false,
    finished: false,
    probe: smoothing,
    used: 0,
  }
}

/** An attempt has improved on the best point: the next one turns further and comes nearer. */
export function beBolder(state: BorderProgress): void {
  state.improved = true
  state.turn = Math.min(turning.largest, state.turn * turning.more)
  state.nearerNow = Math.min(approaching.mostAtOnce, state.nearerNow * 2)
}

/** The attempts with the same slopes are over: what they brought decides how the next ones begin. */
export function adapt(state: BorderProgress): void {
  const { least, most, more, less } = approaching
  state.nearer = Math.min(most, Math.max(least, state.nearer * (state.improved ? more : less)))
  if (!state.improved) state.turn *= turning.less
}

/**
 * Whether probes around the start of an attack saw nothing but their own distance from it, and may be longer: a model that
 * rounds, or is certain, shows no slopes to short ones.
 */
export function isBlind({ dim }: Begin, { probe }: BorderProgress, { values, failed }: Answers, rows: number): boolean {
  if (failed[0] === 1 || probe * wider > longestProbe * Math.sqrt(dim)) return false
  for (let row = 1; row < rows; row++) {
    const difference = Math.abs((values[row] as number) - (values[0] as number))
    if (failed[row] === 0 && difference > 1.001 * probe * probe) return false
  }
  return true
}

/** into = from, a step of that length down the slopes; where there are none, from itself. */
export function stepDown(kernels: Kernels, from: Vector, gradient: Vector, length: number, into: Vector): void {
  const scale = length / (Math.sqrt(kernels.dot(gradient, gradient)) || Infinity)
  for (let i = 0; i < into.length; i++) into[i] = (from[i] as number) - scale * (gradient[i] as number)
}

/** into = the middle between two points. */
export function halfWay(a: Vector, b: Vector, into: Vector): void {
  for (let i = 0; i < into.length; i++) into[i] = ((a[i] as number) + (b[i] as number)) / 2
}

/**
 * into = a point nearer to the origin than the best one by a share of the way, in a direction between that of the best one
 * (turn 0) and the steepest descent (turn 1).
 */
export function turnedNearer(
  kernels: Kernels,
  { origin, kept, gradient }: Known,
  turn: number,
  nearer: number,
  into: Vector,
): void {
  const radius = distance(kept, origin)
  const steep = Math.sqrt(kernels.dot(gradient, gradient)) || Infinity
  const [along, down] = [(1 - turn) / radius, turn / steep]
  for (let i = 0; i < into.length; i++) {
    into[i] = along * ((kept[i] as number) - (origin[i] as number)) - down * (gradient[i] as number)
  }
  const scale = ((1 - nearer) * radius) / (Math.sqrt(kernels.dot(into, into)) || 1)
  for (let i = 0; i < into.length; i++) into[i] = (origin[i] as number) + scale * (into[i] as number)
}

/** The Euclidean distance between two points. */
export function distance(a: Vector, b: Vector): number {
  let squares = 0
  for (let i = 0; i < a.length; i++) {
    const difference = (a[i] as number) - (b[i] as number)
    squares += difference * difference
  }
  return Math.sqrt(squares)
}
