import { centerValue } from '../../optimizer/core/answers.ts'
import { ZerothError } from '../../optimizer/core/errors.ts'
import { openKernels } from '../../optimizer/core/open-kernels.ts'
import { count, flag, numberFrom, optional, positive, table, withDefault } from '../../optimizer/core/options.ts'
import { definePart, part, resumeSearch } from '../../optimizer/core/part.ts'
import type {
  Answers,
  Basis,
  BasisState,
  ImageShape,
  Memory,
  Queries,
  RunContext,
  Solver,
  Vector,
} from '../../optimizer/core/types.ts'
import { copyOf } from '../../optimizer/methods/points.ts'
import { type HandOver, type Policy, type Progress, relay } from '../../optimizer/methods/relay.ts'
import { dct, LocalCosines } from '../../optimizer/parts/bases/dct.ts'

import { adaptiveSquare } from './adaptive-square.ts'
import { type BoundarySettings, distance } from './boundary-moves.ts'
import { boundarySearch } from './boundary-search.ts'
import { boundaryWalk } from './boundary-walk.ts'
import { coordinateSpan, selectSteepest } from './gradient-memory.ts'
import { inTwoPhases } from './sequence.ts'
import { square } from './square.ts'

/**
 * What this library recommends for measuring how little it takes to fool a model: no learning rate, success within some
 * tens of queries, and most of the budget spent on making the perturbation small. Large images are fooled by random squares
 * at first, small ones by steps down the slopes. Its few numbers were chosen on images that no result is reported on. Made
 * for objectives that answer the same question in the same way each time.
 */
export const nearestBoundary = definePart({
  kind: 'solver',
  name: 'nearest-boundary',
  summary: 'Remembered slopes to a first success, then along its boundary to the nearest one; no learning rate.',
  options: table({
    /** Slopes per iteration until the first success. At least 1; default 10. */
    directions: withDefault(count, 10),
    /** Slopes per iteration after the first success. At least 1; default 40. */
    refinement: withDefault(count, 40),
    /** Length of the probes (the paper: mu), for pixels one apart from black to white. Above 0; default 0.005. */
    smoothing: withDefault(positive, 5e-3),
    /** Length of the first step, per variable (root mean square). Above 0; default 0.002. */
    firstStep: withDefault(positive, 0.002),
    /** What a step that led down is multiplied by. At least 1; default 1.2. */
    growth: withDefault(numberFrom(1), 1.2),
    /** Keep every probe inside the set; if left out, only where the set is a box. */
    feasible: optional(flag),
    /** The method that looks for a first success; random squares on large images, else remembered slopes. */
    first: optional(part<Solver>('solver', 'start')),
    /** The vectors along which slopes are taken; the frequencies of an image, else the coordinates. */
    basis: optional(part<Basis>('basis', 'start')),
  }),
  examples: () => [{ directions: 2 }, { directions: 3, refinement: 5 }],
  make: ({ basis, first: given, ...settings }): Solver => {
    const walk: Solver = { start: (at) => boundarySearch(at, spanOf(at, basis), onGrid(at, settings)) }
    const solverAt = (at: RunContext): Solver => {
      const first = given ?? quickFirst(at)
      const isFine = given === undefined && basis === undefined && isLarge(at)
      const second = isFine
        ? restartFromOrigin({ near: fineWalk(settings), between, reach, far: turns(settings), down: walk })
        : walk
      const patience = isLimited(at) ? Math.ceil(limitedShare * (at.budget.maxQueries ?? Infinity)) : undefined
      if (first === undefined) return at.origin === undefined ? walk : second
      return inTwoPhases({ first, second, patience, shrink: 8, pull: 0, needsGoal: true })
    }
    return {
      openKernels,
      start: (at) => solverAt(at).start(at),
      resume: (at, saved) => resumeSearch(solverAt(at), at, saved),
    }
  },
})

/** Half a step of the grid in every variable: probes that a model of bytes sees; and as long as its noise demands. */
function onGrid({ attack, dim }: RunContext, settings: BoundarySettings): BoundarySettings {
  const { grid = 0, probe = 0 } = attack ?? {}
  return { ...settings, smoothing: Math.max(settings.smoothing, 0.5 * grid * Math.sqrt(dim), probe) }
}

/** Pixels of an image in which slopes are too many to find a way out soon. */
export const largeImage = 4096

function isLarge({ shape }: RunContext): boolean {
  return shape !== undefined && shape.height * shape.width > largeImage
}

/** The share of the budget that large images get for a first success within the limits of an attack: it may be hard. */
const limitedShare = 0.75

function isLimited({ attack }: RunContext): boolean {
  return attack?.linf !== undefined || attack?.l2 !== undefined
}

/** Large images are fooled by squares within a few queries; how small the change can be is found out afterwards. */
function quickFirst(at: RunContext): Solver | undefined {
  if (!isLarge(at)) return undefined
  if (!isLimited(at)) return square({ radius: 0.05 })
  // A method that took its turn before has tried them.
  if (at.origin !== undefined) return undefined
  return at.attack?.linf === undefined ? square() : adaptiveSquare()
}

/** Squares of a limited length, where slopes do not lead away from a large image. */
const reach = 5
const between = square({ radius: reach, norm: 'l2' })

/** The way back along the frequencies of the image, as long as few of their slopes are known. */
function turns(settings: BoundarySettings): Solver {
  return { start: (at) => boundaryWalk(at, spanOf(at, undefined), onGrid(at, settings)) }
}

/** Side of the blocks whose frequencies are looked at one by one, and length of the first step of a walk along them. */
const fine = { side: 8, step: 0.1 }

/**
 * A walk from the image itself along the frequencies of small blocks, the steepest first: large images have many more slopes
 * than there are queries, but most of them are flat.
 */
function fineWalk(settings: BoundarySettings): Solver {
  return {
    start(at) {
      const cosines = new LocalCosines(at.shape as ImageShape, fine.side)
      const { directions, ...rest } = onGrid(at, settings)
      const own = { ...rest, directions: 2 * directions, firstStep: fine.step / Math.sqrt(at.dim) }
      return boundarySearch(at, cosines, own, selectSteepest(at.seed, cosines))
    },
  }
}

function spanOf(at: RunContext, basis: Basis | undefined): BasisState {
  const { shape, dim } = at
  if (basis === undefined && shape === undefined) return coordinateSpan(dim)
  const chosen = basis ?? dct({ shape, size: Math.max(shape?.height ?? 1, shape?.width ?? 1), mixed: true })
  const span = chosen.start(at)
  if (span.changing !== true) return span
  throw new ZerothError(
    'invalid-option',
    'nearest-boundary.basis must have the same vectors in all iterations: slopes are remembered',
  )
}

/** Ways to a point that succeeds and is near the origin. */
interface Ways {
  /** Begins at the origin, whatever was found before. */
  readonly near: Solver
  /** Where that does not lead anywhere, seeks a success that is not as far away as the start, from the origin, too. */
  readonly between: Solver
  /** Where the start is within this distance of the origin, that is left out. */
  readonly reach: number
  /** Continues from that, or else from the start, a point that succeeds. */
  readonly far: Solver
  /** Takes its place where the start does not succeed, either, or the objective does not say what does. */
  readonly down: Solver
}

/**
 * When `near` is given up: from this share of the budget on, where at its pace so far it would not succeed within that one.
 * On tuning images those that succeed in the end are well ahead of it, and the others far behind.
 */
const judged = { from: 0.05, until: 2 / 3 }

/** The share of the budget that `between` has. */
const betweenShare = 0.1

/**
 * Restarts from the original image even if an adversarial example is known: a walk from the origin ends much nearer to it
 * than one back from a far-away success, as long as the slopes lead there. Where they do not, the way back is taken, from a
 * success as near as one can be had soon: a walk spends thousands of queries on getting that near.
 */
export function restartFromOrigin(ways: Ways): Solver {
  return relay((at) => new RestartPolicy(at, ways))
}

/** Queries that a run is taken to have if none are set. */
const usualQueries = 10_000

class RestartPolicy implements Policy {
  readonly memory: Memory
  readonly legs: Policy['legs']
  readonly first: HandOver
  readonly origin: Vector
  readonly #at: RunContext
  readonly #reach: number
  /** The point that succeeded before, from where the way back is taken. */
  readonly #known: Vector
  readonly #state = { reached: false, first: Number.NaN, best: Number.NaN }

  constructor(at: RunContext, { near, between, far, down, reach: within }: Ways) {
    this.#at = at
    this.#reach = within
    this.#known = copyOf(at, at.start)
    this.origin = at.origin ?? at.start.slice()
    this.memory = { vectors: { known: this.#known }, state: this.#state }
    this.legs = {
      near: () => ({ solver: near }),
      between: () => ({ solver: between }),
      far: () => ({ solver: far }),
      down: () => ({ solver: down }),
    }
    this.first = { leg: 'near', from: this.origin }
  }

  note(_: Queries, answers: Answers, { leg, search }: Progress): void {
    const state = this.#state
    if (answers.reached === true) {
      state.reached = true
      const isNearer = distance(search.point, this.origin) < distance(this.#known, this.origin)
      if (leg === 'between' && isNearer) this.#known.set(search.point)
    }
    const value = centerValue(answers, 1)
    if (Number.isNaN(state.first)) state.first = value
    if (!(value >= state.best)) state.best = value
  }

  /** The first way is left where it does not lead anywhere, the second one where it has succeeded or had its share. */
  next({ leg, search, asked, before, isFresh }: Progress, answers: Answers | undefined): HandOver | undefined {
    if (isFresh) return undefined
    const { reached } = this.#state
    // An objective that does not say what succeeds leaves nothing to do but going down.
    if (answers !== undefined && answers.reached === undefined) {
      return leg === 'down' ? undefined : { leg: 'down', from: this.#known }
    }
    if (leg === 'near' && !reached && (search.finished !== undefined || !this.#isOnCourse(asked))) {
      const isFar = distance(this.#known, this.origin) > this.#reach
      return isFar ? { leg: 'between', from: this.origin } : { leg: 'far', from: this.#known }
    }
    const isOverdue = asked - before >= betweenShare * (this.#at.budget.maxQueries ?? usualQueries)
    if (leg === 'between' && (reached || search.finished !== undefined || isOverdue)) {
      return { leg: 'far', from: this.#known }
    }
    return leg === 'far' && !reached ? { leg: 'down', from: this.#known } : undefined
  }

  /** Whether the first of the ways leads to a success in time, as far as can be said. */
  #isOnCourse(asked: number): boolean {
    const { first, best } = this.#state
    const { maxQueries = usualQueries } = this.#at.budget
    if (asked < judged.from * maxQueries) return true
    const floor = this.#at.attack?.floor ?? 0
    return asked * (first - floor) <= judged.until * maxQueries * (first - best)
  }
}
