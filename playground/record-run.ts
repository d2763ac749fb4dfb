import { minimizeSync, randomUniform } from '../src/index.ts'
import { solvers } from './solvers.ts'

/** What is run. */
export interface Task {
  readonly solver: string
  readonly learningRate: number
  readonly start: readonly [number, number]
  readonly queries: number
  readonly seed: number
  /** The largest error of an answer. */
  readonly noise: number
}

/** Every query of a run, in order, and how it ended. */
export interface RecordedRun {
  readonly solver: string
  readonly x: number[]
  readonly y: number[]
  /** The true value at each query, without noise. */
  readonly value: number[]
  /** The query that had the best answer by then. */
  readonly best: number[]
  /** What went wrong; the queries until then are there. */
  readonly error?: string | undefined
}

/** Runs a method on a function of two variables, and records every point that it asks about. */
export function recordRun(value: (x: number, y: number) => number, task: Task): RecordedRun {
  const { solver, start, seed, queries, noise, learningRate } = task
  const run: RecordedRun = { solver, x: [], y: [], value: [], best: [] }
  let lowest = Infinity
  const asked = (point: ArrayLike<number>): number => {
    const [x, y] = [point[0] as number, point[1] as number]
    const exact = value(x, y)
    const row = { seed, iteration: run.x.length, row: 0 }
    const answer = exact + noise * (2 * randomUniform(row, 'noise', 0) - 1)
    const isBetter = answer < lowest
    if (isBetter) lowest = answer
    run.best.push(isBetter ? run.x.length : (run.best.at(-1) ?? 0))
    run.x.push(x)
    run.y.push(y)
    run.value.push(exact)
    return answer
  }
  try {
    const method = (solvers[solver] ?? solvers.auto)?.make(learningRate)
    if (method !== undefined) minimizeSync(asked, [...start], { solver: method, seed, maxQueries: queries })
    return run
  } catch (error) {
    return { ...run, error: error instanceof Error ? error.message : String(error) }
  }
}
