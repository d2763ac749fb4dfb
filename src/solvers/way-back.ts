import type { Begin, Search, Solver, Vector } from '../core/types.ts'
import { onePoint } from './one-point.ts'
import { withinSet } from './within-set.ts'

/**
 * Goes back from where it begins, a point that has reached what the objective is for, towards an origin that has not:
 * halves the distance `queries` times and ends at the nearest point that has reached it, too. Asks one point an iteration
 * and goes by `Answers.reached` alone.
 */
export function wayBack(origin: Vector, queries: number): Solver {
  return { begin: (at) => bisection(at, origin, queries) }
}

/** As shares of the way from the origin: 0 has not reached it, `reached` has. */
type Way = { missed: number; reached: number; asked: number }

function bisection(at: Begin, origin: Vector, queries: number): Search {
  const point = at.start
  const far = at.kernels.allocate(at.dim, at.precision)
  far.set(point)
  const way: Way = { missed: 0, reached: 1, asked: 0 }
  const enter = withinSet(at)
  const go = (share: number): void => {
    for (let i = 0; i < at.dim; i++) {
      const from = origin[i] as number
      point[i] = from + share * ((far[i] as number) - from)
    }
    enter(point)
  }
  const halve = (isReached: boolean): void => {
    way[isReached ? 'reached' : 'missed'] = middle(way)
    way.asked++
    if (way.asked < queries) go(middle(way))
    else if (way.reached === 1) point.set(far)
    else go(way.reached)
  }
  go(middle(way))
  const asking = onePoint(at, point)
  return {
    point,
    memory: { vectors: { point, far }, state: way },
    iteration: 0,
    rows: 1,
    centers: 1,
    get finished() {
      return way.asked === queries ? ('converged' as const) : undefined
    },
    ask() {
      return asking(this.iteration + 1)
    },
    tell({ reached }) {
      this.iteration++
      halve(reached === true)
      return true
    },
    skip() {
      this.iteration++
      halve(false)
    },
  }
}

function middle({ missed, reached }: Way): number {
  return (missed + reached) / 2
}
