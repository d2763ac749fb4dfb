import {
  type ConvexSet,
  descent,
  type Estimator,
  minimizeSync,
  type PointFunction,
  type Schedule,
  type Search,
  type Solver,
  type Step,
  type Vector,
  wholeSpace,
} from '../../src/index.ts'

/** A run to be watched: on which function, from where, for how long. */
export interface Watched {
  readonly value: PointFunction
  readonly start: Float64Array
  readonly iterations: number
  readonly set?: ConvexSet
  readonly seed?: number
  /** Number of terms, where `value` is that of one sampled term. */
  readonly population?: number
}

/** Algorithm 1 and its relatives, part by part. */
export interface Recipe {
  readonly estimator: Estimator
  readonly step: Step
  readonly learningRate: Schedule
}

/** One iteration t, seen from outside. The arrays are reused: copy them to keep them. */
export interface Seen {
  readonly iteration: number
  /** x_t. */
  readonly point: Float64Array
  /** The estimate made at x_t. */
  readonly estimate: Float64Array
  /** x_{t+1}. */
  readonly next: Float64Array
  /** The step's vectors after the update: for Algorithm 1 `first`, `second` and `maximum`. */
  readonly memory: Readonly<Record<string, Vector>>
}

/** Runs a recipe in a session of its own and shows every iteration, until there are no more or `see` returns true. */
export function follow(recipe: Recipe, run: Watched, see: (seen: Seen) => unknown): void {
  const estimate = new Float64Array(run.start.length)
  const solver = descent({ ...recipe, estimator: recorded(recipe.estimator, estimate) })
  const point = new Float64Array(run.start.length)
  followSolver(
    solver,
    run,
    (search) => point.set(search.point),
    (search) => {
      const { iteration } = search
      const memory = search.memory.parts?.step?.vectors ?? {}
      return see({ iteration, point, estimate, next: search.point as Float64Array, memory })
    },
  )
}

/** The point after each iteration, one after the other. */
export function path(solver: Solver, run: Watched): Float64Array[] {
  const points: Float64Array[] = []
  followSolver(
    solver,
    run,
    () => undefined,
    (search) => points.push(Float64Array.from(search.point)),
  )
  return points
}

function followSolver(
  solver: Solver,
  run: Watched,
  before: (search: Search) => void,
  after: (search: Search) => unknown,
): void {
  const searches: Search[] = []
  minimizeSync(run.value, run.start, {
    solver: {
      start(at) {
        const search = solver.start(at)
        searches.push(search)
        before(search)
        return search
      },
    },
    set: run.set ?? wholeSpace(),
    seed: run.seed ?? 0,
    maxIterations: run.iterations,
    ...(run.population === undefined ? {} : { population: run.population }),
    onIteration() {
      const search = searches[0] as Search
      const isDone = after(search) === true
      before(search)
      return isDone ? 'stop' : undefined
    },
  })
}

/** The estimator, with a copy of each estimate left in `into`. */
function recorded(estimator: Estimator, into: Float64Array): Estimator {
  return {
    start(at) {
      const estimation = estimator.start(at)
      return {
        rows: estimation.rows,
        centers: estimation.centers,
        queries: estimation.queries,
        estimate(x, iteration, answers, gradient) {
          const kept = estimation.estimate(x, iteration, answers, gradient)
          into.set(gradient)
          return kept
        },
      }
    },
  }
}
