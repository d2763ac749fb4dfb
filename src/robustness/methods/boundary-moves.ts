import type { Answers, RunContext, Vector } from '../../optimizer/core/types.ts'
import type { Kernels } from '../../optimizer/kernels/kernels.ts'

/** How a search along the boundary goes about it. */
export interface BoundarySettings {
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

/** What is asked next: a step down, a starting point, a point half-way back, slopes on the near side of the boundary, or a point on trial. */
type Phase = 'approach' | 'leap' | 'halve' | 'look' | 'attempt'

/** Where a search along the boundary is: what a checkpoint keeps beside its vectors. */
export type BoundaryProgress = {
  phase: Phase
  /** The value of the best point of the walk at hand; Infinity before its first success where there was one elsewhere. */
  value: number
  /** The length of the next step down. */
  step: number
  /** Starting points asked so far, and whether one succeeded. */
  startingPoint: number
  leapt: boolean
  /** Halvings or attempts left. */
  left: number
  /** The value of a success per squared distance from the origin. */
  rate: number
  /** What the point outside where slopes were taken last has beyond the value of a success there; and its slope outwards. */
  excess: number
  outwards: number
  /** How far an attempt is drawn towards the origin before it is brought to the boundary: at first, and now. */
  pull: number
  pullNow: number
  /** How far beyond the boundary, in the value, an attempt aims after a success: as a share of the whole way. */
  nearer: number
  /** What an attempt is to change the value by, as the slopes see it; how much less after a success. */
  aim: number
  ease: number
  /** Attempts that missed with the slopes at hand, and whether the last one was aimed anew by how far it missed. */
  missed: number
  corrected: boolean
  /** Whether an attempt with the slopes at hand has improved on the best point. */
  improved: boolean
  /** How near the best of the attempts that missed is, its way to the boundary included; NaN before there is one. */
  prospect: number
  finished: boolean
  /** The length of the probes. */
  probe: number
  /** Queries asked so far. */
  used: number
  /** The value of the best of all successes; NaN before there is one. */
  best: number
  /** The class whose boundary is walked along, and that of the best success; -1 where classes are not told apart. */
  competitor: number
  bestCompetitor: number
  /** Looks of the walk at hand; queries and distance from the origin when its progress was measured last. */
  looks: number
  markUsed: number
  markRadius: number
}

/** Halvings between the last point that missed and the first that did not. */
export const halvings = 4

/** Attempts with the same slopes at most, and how many may miss. */
const attempts = { most: 20, missed: 3 }

/** An attempt is worth a query if it is nearer than the best point by that share. */
export const worthwhile = 1e-4

/** How far an attempt that missed is aimed beyond where it should have been. */
const correction = 2

/** What a step that did not lead down is multiplied by. */
export const backOff = 0.5

/** What the length of the probes is multiplied by where they find no slope at all. */
export const wider = 4

/** The longest probes that are tried in search of a slope, per variable (root mean square). */
const longestProbe = 0.03

/** How far an attempt is drawn towards the origin (1 is all the way), and how that adapts: over look and look, and within one. */
const pulling = { first: 0.5, least: 0.01, more: 1.3, less: 0.8, back: 0.5 }

/** How much nearer a success lets the next attempt be, as a share of the way, and how that adapts. */
const approaching = { first: 0.02, least: 1e-3, most: 0.1, more: 1.5, less: 0.8 }

/** Where a search begins. */
export function initialProgress({ dim }: RunContext, { firstStep, smoothing }: BoundarySettings): BoundaryProgress {
  return {
    phase: 'approach',
    value: Number.NaN,
    step: firstStep * Math.sqrt(dim),
    startingPoint: 0,
    leapt: false,
    left: 0,
    rate: 1,
    excess: 0,
    outwards: 0,
    pull: pulling.first,
    pullNow: pulling.first,
    nearer: approaching.first,
    aim: 0,
    ease: 0,
    missed: 0,
    corrected: false,
    improved: false,
    prospect: Number.NaN,
    finished: false,
    probe: smoothing,
    used: 0,
    best: Number.NaN,
    competitor: -1,
    bestCompetitor: -1,
    looks: 0,
    markUsed: 0,
    markRadius: Number.NaN,
  }
}

/** Another boundary is at hand: how attempts are drawn and how much nearer they may be is to be found out once more. */
export function drawAnew(state: BoundaryProgress, pull = pulling.first): void {
  state.pull = pull
  state.nearer = approaching.first
}

/** New slopes are at hand: attempts begin, from a point that has so much more than the value of a success. */
export function beginAttempts(state: BoundaryProgress, excess: number, ease: number): void {
  state.phase = 'attempt'
  state.left = attempts.most
  state.excess = excess
  state.pullNow = state.pull
  state.aim = -excess
  state.ease = state.nearer * ease
  state.missed = 0
  state.corrected = false
  state.improved = false
  state.prospect = Number.NaN
}

/** An attempt has improved on the best point: the next one is drawn further, and aims less far. */
export function beBolder(state: BoundaryProgress): void {
  state.improved = true
  state.pullNow = Math.min(1, state.pullNow * pulling.more)
  state.aim += state.ease
  state.ease *= 2
}

/** An attempt has missed: the next one aims further by what was missing, or is drawn less far. False where there is none. */
export function beMoreCareful(state: BoundaryProgress, excess: number): boolean {
  if (state.improved) return false
  if (!state.corrected) {
    state.corrected = true
    state.aim -= correction * excess
    return true
  }
  return drawLess(state)
}

/** An attempt would not be nearer than the best point: one that is drawn further, or less far. False where there is none. */
export function beNearer(state: BoundaryProgress): boolean {
  if (state.corrected || state.missed > 0) return drawLess(state)
  if (state.pullNow === 1) return false
  state.pullNow = Math.min(1, 2 * state.pullNow)
  return true
}

/** The next attempt is drawn less far, and aims as the first one did. False where enough have missed. */
export function drawLess(state: BoundaryProgress): boolean {
  state.missed++
  state.corrected = false
  state.pullNow *= pulling.back
  state.aim = -state.excess
  return state.missed < attempts.missed
}

/** The attempts with the same slopes are over: what they brought decides how the next ones begin. */
export function adapt(state: BoundaryProgress): void {
  const { least, most, more, less } = approaching
  state.nearer = Math.min(most, Math.max(least, state.nearer * (state.improved ? more : less)))
  state.pull = state.improved ? state.pullNow : Math.max(pulling.least, state.pull * pulling.less)
}

/**
 * Whether probes around the start of an attack saw nothing but their own distance from it, and may be longer: a model that
 * rounds, or is certain, shows no slopes to short ones.
 */
export function isBlind(
  { dim }: RunContext,
  { probe }: BoundaryProgress,
  { values, failed }: Answers,
  rows: number,
): boolean {
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

/** into = from, moved towards another point by a share of the way. */
export function drawn(from: Vector, towards: Vector, share: number, into: Vector): void {
  for (let i = 0; i < into.length; i++) {
    into[i] = (from[i] as number) + share * ((towards[i] as number) - (from[i] as number))
  }
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
