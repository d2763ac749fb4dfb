import { rounding } from '../core/rounding.ts'
import type { Begin } from '../core/types.ts'

/** A value that is better by less than this share does not count as progress. */
const leastGain = 1e-3

/**
 * Tells when the best value has not improved for `patience` iterations. Its state has the run's precision and is all it
 * knows: a resumed run goes on counting.
 */
export function stallMeter({ precision }: Begin, patience: number) {
  const round = rounding(precision)
  const state = { best: Infinity, waited: 0 }
  return {
    memory: { state },
    /** Counts one iteration, unless its value is unknown (NaN); after a stall it counts anew. */
    hasStalled(value: number): boolean {
      if (Number.isNaN(value)) return false
      const { best } = state
      if (best === Infinity || value < best - leastGain * Math.abs(best)) {
        state.best = round(value)
        state.waited = 0
        return false
      }
      state.waited++
      if (state.waited < patience) return false
      state.waited = 0
      return true
    },
  }
}
