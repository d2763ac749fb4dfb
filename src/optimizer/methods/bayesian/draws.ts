import { exponential, logarithm } from '../../kernels/functions.ts'
import { randomUniform } from '../../kernels/random.ts'

/** Random numbers one after the other, all of which follow from an address. */
export class Draws {
  readonly #at: { readonly seed: number; readonly iteration: number; readonly row: number }
  #index = 0
  #kept: number | undefined

  constructor(key: { readonly seed: number; readonly iteration: number }, row: number) {
    this.#at = { seed: key.seed, iteration: key.iteration, row }
  }

  /** From 0 to below 1. */
  uniform(): number {
    return randomUniform(this.#at, 'coordinates', this.#index++)
  }

  /** A whole number from 0 to below a limit. */
  below(limit: number): number {
    return Math.floor(this.uniform() * limit)
  }

  /** Normal, by the polar method of Marsaglia. */
  normal(): number {
    const kept = this.#kept
    this.#kept = undefined
    if (kept !== undefined) return kept
    for (;;) {
      const x = 2 * this.uniform() - 1
      const y = 2 * this.uniform() - 1
      const square = x * x + y * y
      if (!(square > 0 && square < 1)) continue
      const factor = Math.sqrt((-2 * logarithm(square)) / square)
      this.#kept = y * factor
      return x * factor
    }
  }

  /** From one number to another, each factor as likely as any other. */
  byFactors(from: number, to: number): number {
    return from * exponential(this.uniform() * logarithm(to / from))
  }

  /** A random order of the numbers below a count. */
  order(count: number): Int32Array {
    const order = Int32Array.from({ length: count }, (_, i) => i)
    for (let i = count - 1; i > 0; i--) {
      const j = this.below(i + 1)
      const kept = order[i] as number
      order[i] = order[j] as number
      order[j] = kept
    }
    return order
  }
}
