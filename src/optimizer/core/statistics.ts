/** How a number varied over several runs. */
export interface Summary {
  /** How many numbers there are. */
  readonly count: number
  /** Their average. */
  readonly mean: number
  /** The number in the middle. */
  readonly median: number
  /** Sample standard deviation; 0 for a single run. */
  readonly deviation: number
  /** The smallest of them. */
  readonly smallest: number
  /** The largest of them. */
  readonly largest: number
  /** A quarter of the numbers are below it. */
  readonly lowerQuartile: number
  /** A quarter of the numbers are above it. */
  readonly upperQuartile: number
}

/** Summarises a list of numbers; quantiles are interpolated linearly. */
export function summarize(values: readonly number[]): Summary {
  const sorted = Float64Array.from(values).sort()
  const count = sorted.length
  const mean = sorted.reduce((sum, value) => sum + value, 0) / count
  const squares = sorted.reduce((sum, value) => sum + (value - mean) * (value - mean), 0)
  return {
    count,
    mean,
    median: quantile(sorted, 0.5),
    deviation: count > 1 ? Math.sqrt(squares / (count - 1)) : 0,
    smallest: quantile(sorted, 0),
    largest: quantile(sorted, 1),
    lowerQuartile: quantile(sorted, 0.25),
    upperQuartile: quantile(sorted, 0.75),
  }
}

function quantile(sorted: Float64Array, share: number): number {
  const position = share * (sorted.length - 1)
  const below = Math.floor(position)
  const above = Math.min(below + 1, sorted.length - 1)
  const low = sorted[below] ?? Number.NaN
  // The neighbour has no say in an exact hit, which matters where it is not finite.
  return position === below ? low : low + (position - below) * ((sorted[above] ?? Number.NaN) - low)
}
