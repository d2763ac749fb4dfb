import { dot } from '../algebra/vectors.ts'
import type { Begin, SavedMemory, Search, Solver, Vector } from '../core/types.ts'
import { coordinatesOf, settle, sizeOf } from '../staged/coordinates.ts'
import { onlyPoint, type Stage, type StagedMethod, stagedSearch } from '../staged/staged-search.ts'
import { setKindOf } from './auto-rule.ts'
import { blockDescentSolver } from './block-descent-solver.ts'
import { cmaSearch, usualCma } from './cma-search.ts'
import { noisySolver } from './noisy-solver.ts'
import { quasiNewtonSolver, usualQuasiNewton } from './quasi-newton-solver.ts'
import type { Scale } from './scale.ts'

/** What a phase of `auto` is told when it begins. */
export interface Entry {
  /** The best value so far. */
  readonly bestValue: number
  /** The answers at the start of the run. */
  readonly startValues: readonly [number, number]
  /** What the first local run ended with. */
  readonly firstPoint: Vector
  /** Queries that are left of the whole run. */
  readonly horizon: number
  /** The usual size of the variables, where the user says it. */
  readonly scale: Scale
}

function staged(method: (at: Begin, saved?: SavedMemory) => StagedMethod): Solver {
  const begin = (at: Begin, saved?: SavedMemory): Search => stagedSearch(at, method(at, saved), 'start', saved)
  return { begin, resume: begin }
}

/** The start, twice, in an iteration each: what varies from one to the next is seen, too. */
export function probeRun(): Solver {
  return staged(({ start }) => ({
    point: start,
    memory: {},
    stages: {
      *start(): Stage<'start'> {
        yield onlyPoint(start)
        yield onlyPoint(start)
        return 'converged'
      },
    },
  }))
}

export function localRun({ startValues, horizon, scale }: Entry): Solver {
  return knowing(startValues, quasiNewtonSolver({ ...usualQuasiNewton, horizon, scale }))
}

/** A solver that is told the value at the start. */
function knowing(startValues: Entry['startValues'], { begin, resume }: Solver): Solver {
  const known = (at: Begin): Begin => ({ ...at, startValue: startValues[0] })
  return { begin: (at) => begin(known(at)), resume: (at, saved) => (resume ?? begin)(known(at), saved) }
}

export function restartRun({ bestValue, horizon, scale }: Entry): Solver {
  return quasiNewtonSolver({ ...usualQuasiNewton, matrix: 'dense', horizon, scale, abandonAbove: bestValue })
}

export function noisyRun({ startValues, horizon, scale }: Entry): Solver {
  return noisySolver({ startValues, horizon, scale })
}

/** Exact answers need no further look at the noise. */
export function smallRun({ startValues, horizon, scale }: Entry): Solver {
  const [first, second] = startValues
  const deviation = first === second ? 0 : undefined
  return knowing(startValues, blockDescentSolver({ scale, horizon, deviation }))
}

/** A population as wide as the first local run went, or as the box. */
export function populationRun({ firstPoint }: Entry): Solver {
  const begin = (at: Begin, saved?: SavedMemory): Search => {
    const origin = at.origin ?? at.start
    const went = Math.sqrt(meanSquare(firstPoint.map((each, i) => each - (origin[i] as number))))
    const size = Math.max(1, Math.sqrt(meanSquare(origin)))
    // Where the function has no minimum, the first run may have gone anywhere.
    const wide = Math.min(Math.max(0.3 * size, 0.5 * went), farthest * size)
    const stepSize = setKindOf(at.set) === 'box' ? undefined : wide
    // What it would warn of names an option that `auto` does not have; a constant objective is seen by the session.
    return cmaSearch({ ...at, warn: () => undefined }, { ...usualCma, stepSize, noisy: false }, saved)
  }
  return { begin, resume: begin }
}

/** A population is at most this many times as wide as the start is far from 0. */
const farthest = 1e10

function meanSquare(x: Vector): number {
  return dot(x, x) / x.length
}

/** Rows of normals that no other part of a run draws. */
const restartRow = 0x7a000000

/**
 * Where a restart begins: around the best point and, every second time, further around the start. How far: as far as the
 * first run went, or half the width of the box.
 */
export function restartPoint(
  at: Begin,
  restart: number,
  scale: Float64Array | undefined,
  from: { origin: Vector; best: Vector; first: Vector },
  into: Vector,
): void {
  const coordinates = coordinatesOf(at, scale)
  const { bounds } = coordinates
  const isNear = restart % 2 === 1
  const normals = new Float32Array(at.dim)
  at.kernels.normals({ seed: at.seed, iteration: restart, row: restartRow }, 0, at.dim, normals)
  const spread = (i: number): number => {
    const width = bounds === undefined ? Infinity : (bounds.upper[i] as number) - (bounds.lower[i] as number)
    if (width < Infinity) return 0.5 * width
    const went = Math.abs((from.first[i] as number) - (from.origin[i] as number))
    return Math.max(went, 0.3 * sizeOf(coordinates, from.origin, i))
  }
  const center = isNear ? from.best : from.origin
  const point = Float64Array.from(normals, (z, i) => (center[i] as number) + (isNear ? 1 : 2) * spread(i) * z)
  into.set(settle(coordinates, point))
}
