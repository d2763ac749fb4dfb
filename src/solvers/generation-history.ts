import { median } from '../algebra/vectors.ts'
import type { Memory } from '../core/types.ts'

/** The lowest and the middle value of the latest generations. */
export class GenerationHistory {
  readonly memory: Memory
  readonly #lowest: Float64Array
  readonly #middle: Float64Array
  readonly #state = { count: 0 }

  /** Remembers at most `capacity` generations. */
  constructor(capacity: number) {
    this.#lowest = new Float64Array(capacity)
    this.#middle = new Float64Array(capacity)
    this.memory = { vectors: { lowest: this.#lowest, middle: this.#middle }, state: this.#state }
  }

  reset(): void {
    this.#state.count = 0
  }

  add(lowest: number, middle: number): void {
    const at = this.#state.count++ % this.#lowest.length
    this.#lowest[at] = lowest
    this.#middle[at] = middle
  }

  /** How far the lowest values of the latest generations lie apart; infinite before there are that many. */
  range(generations: number): number {
    if (this.#state.count < generations) return Infinity
    let [least, most] = [Infinity, -Infinity]
    for (let back = 0; back < Math.min(generations, this.#lowest.length); back++) {
      const value = this.#at(this.#lowest, back)
      least = Math.min(least, value)
      most = Math.max(most, value)
    }
    return most - least
  }

  /** True where the later third of these generations is no better than the first, in its lowest and in its middle values. */
  isStagnant(generations: number): boolean {
    const window = Math.min(generations, this.#lowest.length)
    if (this.#state.count < window) return false
    const third = Math.floor(window / 3)
    const isWorse = (ring: Float64Array): boolean => {
      const between = (from: number) => Float64Array.from({ length: third }, (_, i) => this.#at(ring, from + i))
      return median(between(0)) >= median(between(window - third))
    }
    return isWorse(this.#middle) && isWorse(this.#lowest)
  }

  /** The entry of a generation, counted back from the latest. */
  #at(ring: Float64Array, back: number): number {
    return ring[(this.#state.count - 1 - back) % ring.length] as number
  }
}
