import type { Begin, Memory } from '../core/types.ts'

/** A value that is better by less than this share does not count as progress. */
const leastGain = 1e-3

/**
 * Tells when the best value has not improved for `patience` iterations. Its state has the run's precision and is all it
 * knows: a resumed run goes on counting.
 */
export function stallMeter({ kernels, precision }: Begin, patience: number) {
  const best = kernels.allocate(1, precision).fill(Infinity)
  const waited = kernels.allocate(1, precision)
  const memory: Memory = { best, waited }
  return {
    memory,
    /** Counts one iteration, unless its value is unknown (NaN); after a stall it counts anew. */
    hasStalled(value: number): boolean {
      if (Number.isNaN(value)) return false
      const before = best[0] as number
      if (before === Infinity || value < before - leastGain * Math.abs(before)) {
        best[0] = value
        waited[0] = 0
        return false
      }
      waited[0] = (waited[0] as number) + 1
      if (waited[0] < patience) return false
      waited[0] = 0
      return true
    },
  }
}
