import {
  auto,
  cmaES,
  minimizeSync,
  noisyDescent,
  quasiNewton,
  randomUniform,
  type Solver,
  trustRegion,
  zoAdaMM,
  zoNES,
} from '../src/index.ts'

/** A method to watch. */
interface Offered {
  readonly make: (learningRate: number) => Solver
  /** What it is called in a program, and how it is made there. */
  readonly import: string
  readonly code: (learningRate: number) => string
  /** Whether a learning rate matters to it. */
  readonly hasRate: boolean
}

/** The methods to watch, by name. */
export const solvers: Readonly<Record<string, Offered>> = {
  auto: plain('auto', () => auto()),
  'quasi-newton': plain('quasiNewton', () => quasiNewton()),
  'trust-region': plain('trustRegion', () => trustRegion()),
  'cma-es': plain('cmaES', () => cmaES()),
  'noisy-descent': plain('noisyDescent', () => noisyDescent()),
  'zo-adamm': rated('zoAdaMM', (learningRate) => zoAdaMM({ learningRate, directions: 2, smoothing: 1e-3 })),
  'zo-nes': rated('zoNES', (learningRate) => zoNES({ learningRate, directions: 2, smoothing: 1e-3 })),
}

function plain(name: string, make: () => Solver): Offered {
  return { make, import: name, code: () => `${name}()`, hasRate: false }
}

function rated(name: string, make: (learningRate: number) => Solver): Offered {
  const code = (rate: number) => `${name}({ learningRate: ${rate}, directions: 2, smoothing: 1e-3 })`
  return { make, import: name, code, hasRate: true }
}

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

/** A part of the plane. */
export interface Area {
  readonly x: readonly [number, number]
  readonly y: readonly [number, number]
}

/** The values of a function on a grid over an area, row by row from the lower edge. */
export interface Grid {
  readonly side: number
  readonly values: Float64Array
}

/** Evaluates a function on a grid. */
export function gridOf(value: (x: number, y: number) => number, { x, y }: Area, side: number): Grid {
  const values = new Float64Array(side * side)
  const at = ([low, high]: readonly [number, number], i: number): number => low + ((high - low) * i) / (side - 1)
  for (let row = 0; row < side; row++) {
    for (let column = 0; column < side; column++) values[row * side + column] = value(at(x, column), at(y, row))
  }
  return { side, values }
}

/** Levels that divide the values of a grid evenly by rank: so every function has contours, whatever its range. */
export function levelsOf({ values }: Grid, count: number): number[] {
  const sorted = values.filter(Number.isFinite).sort()
  const places = Array.from({ length: count }, (_, i) => ((i + 0.5) / count) ** 2)
  return [...new Set(places.map((place) => sorted[Math.floor(place * sorted.length)] ?? 0))]
}

/** A stroke of a contour, in units of the grid. */
export type Stroke = readonly [x0: number, y0: number, x1: number, y1: number]

/** The contour of a level, in strokes: one or two for each cell that it crosses. */
export function contourOf({ side, values }: Grid, level: number): Stroke[] {
  const strokes: Stroke[] = []
  const v = (column: number, row: number): number => (values[row * side + column] as number) - level
  for (let row = 0; row + 1 < side; row++) {
    for (let column = 0; column + 1 < side; column++) {
      const [a, b, c, d] = [v(column, row), v(column + 1, row), v(column + 1, row + 1), v(column, row + 1)]
      const crossed: [number, number][] = []
      if (a < 0 !== b < 0) crossed.push([column + a / (a - b), row])
      if (b < 0 !== c < 0) crossed.push([column + 1, row + b / (b - c)])
      if (c < 0 !== d < 0) crossed.push([column + d / (d - c), row + 1])
      if (d < 0 !== a < 0) crossed.push([column, row + a / (a - d)])
      for (let i = 0; i + 1 < crossed.length; i += 2) strokes.push([...at(crossed, i), ...at(crossed, i + 1)])
    }
  }
  return strokes.filter((stroke) => stroke.every(Number.isFinite))
}

function at(points: readonly [number, number][], i: number): [number, number] {
  return points[i] as [number, number]
}
