/** A running mean with its standard error (Welford's recurrence). */
export interface SampleMean {
  readonly count: number
  readonly mean: number
  readonly standardError: number
  add(value: number): void
  /** By how many standard errors the mean misses a prediction; 0 where it agrees but for rounding. */
  score(prediction: number): number
}

/** An empty sample. */
export function sampleMean(): SampleMean {
  let count = 0
  let mean = 0
  let squares = 0
  return {
    get count() {
      return count
    },
    get mean() {
      return mean
    },
    get standardError() {
      return Math.sqrt(squares / (count - 1) / count)
    },
    add(value) {
      count++
      const change = value - mean
      mean += change / count
      squares += change * (value - mean)
    },
    score(prediction) {
      const miss = mean - prediction
      // A quantity that does not vary has no standard error, only rounding.
      if (Math.abs(miss) <= 1e-12 * Math.max(1, Math.abs(prediction))) return 0
      return miss / this.standardError
    },
  }
}
