import type { Begin, Search, Solver, Vector } from '../core/types.ts'
import { keptNumbers } from './kept-numbers.ts'
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

function bisection(at: Begin, origin: Vector, queries: number): Search {
  const { dim, kernels, precision } = at
  const point = at.start
  const far = kernels.allocate(dim, precision)
  far.set(point)
  // As shares of the way from the origin: 0 has not reached it, `reached` has.
  const numbers = keptNumbers(at, { missed: 0, reached: 1, asked: 0 })
  const enter = withinSet(at)
  const go = (share: number): void => {
    for (let i = 0; i < dim; i++) {
      const from = origin[i] as number
      point[i] = from + share * ((far[i] as number) - from)
    }
    enter(point)
  }
  const middle = (): number => (numbers.get('missed') + numbers.get('reached')) / 2
  const goOn = (isReached: boolean): void => {
    numbers.set(isReached ? 'reached' : 'missed', middle())
    numbers.set('asked', numbers.get('asked') + 1)
    const reached = numbers.get('reached')
    if (numbers.get('asked') < queries) go(middle())
    else if (reached === 1) point.set(far)
    else go(reached)
  }
  go(middle())
  const asking = onePoint(at, point)
  return {
    point,
    memory: { point, far, way: numbers.words },
    iteration: 0,
    rows: 1,
    centers: 1,
    get finished() {
      return numbers.get('asked') === queries ? ('converged' as const) : undefined
    },
    ask() {
      return asking(this.iteration + 1)
    },
    tell({ reached }) {
      this.iteration++
      goOn(reached === true)
      return true
    },
    skip() {
      this.iteration++
      goOn(false)
    },
  }
}
