import type { Memory } from '../core/types.ts'
import { logarithm } from '../kernels/logarithm.ts'

/** How much answers vary, learned from points that were asked more than once. */
export interface NoiseLevel {
  readonly memory: Memory
  /** Takes the answers to one point. Failed ones (NaN) are left out; a single answer says nothing. */
  add(values: readonly number[]): void
  /** The standard deviation of answers around this value, never below its rounding. */
  at(value: number): number
  /** Whether the answers so far showed no noise beyond rounding. */
  readonly isExact: boolean
}

/**
 * The noise is constant or proportional to |f|, whichever Gaussian fit to all deviations so far is likelier: with n of them
 * and their variance s^2, the constant one has log likelihood -n ln s, the other -n ln r - sum ln |f|. A running mean of
 * the last deviations would lag behind a value that falls by orders of magnitude.
 */
export function noiseLevel(): NoiseLevel {
  const state = { count: 0, squares: 0, relativeSquares: 0, logarithms: 0 }
  const constant = (): number => Math.sqrt(state.squares / Math.max(state.count, 1))
  const relative = (): number => Math.sqrt(state.relativeSquares / Math.max(state.count, 1))
  return {
    memory: { state },
    add(values) {
      const answered = values.filter((value) => !Number.isNaN(value))
      const n = answered.length
      if (n < 2) return
      const mean = answered.reduce((sum, value) => sum + value / n, 0)
      const size = Math.abs(mean) + tiny
      for (const value of answered) {
        const deviation = (value - mean) * Math.sqrt(n / (n - 1))
        const share = deviation / size
        state.count++
        state.squares += deviation * deviation
        state.relativeSquares += share * share
        state.logarithms += logarithm(size)
      }
    },
    at(value) {
      // Points of one value alone cannot tell: then rounding must not decide.
      const advantage = logarithm(constant() + tiny) - logarithm(relative() + tiny) - state.logarithms / state.count
      const isRelative = advantage > 1e-9
      const rounding = 1e-15 * Math.abs(value) + tiny
      return Math.max(isRelative ? relative() * Math.abs(value) : constant(), rounding)
    },
    get isExact() {
      return state.count > 0 && relative() <= 1e-15
    },
  }
}

const tiny = 1e-300
