import type { Memory, RunContext, Vector } from '../../optimizer/core/types.ts'

/** How a bandit chooses: some of the time at random, and what it remembers fades. */
const chance = { floor: 0.25, fading: 0.97, forgotten: 0.02 }

/** What is known of an arm before it is drawn: so many trials. */
const before = 2

/** A bandit whose arms are drawn by the power 3/2 of what they gained per trial of late. */
export class Bandit {
  readonly memory: Memory
  readonly #tried: Vector
  readonly #gained: Vector

  constructor({ kernels, precision }: RunContext, expected: readonly number[]) {
    this.#tried = kernels.allocate(expected.length, precision)
    this.#gained = kernels.allocate(expected.length, precision)
    this.#tried.fill(before)
    this.#gained.set(expected.map((each) => before * each))
    this.memory = { vectors: { tried: this.#tried, gained: this.#gained } }
  }

  /** One of the usable arms, by a uniform random number below 1. */
  draw(uniform: number, isUsable: (arm: number) => boolean = () => true): number {
    const arms = Array.from(this.#tried.keys()).filter(isUsable)
    const weights = arms.map((arm) => {
      const rate = (this.#gained[arm] as number) / (this.#tried[arm] as number)
      return rate * Math.sqrt(rate)
    })
    const total = weights.reduce((sum, each) => sum + each, 0)
    let left = uniform
    for (const [i, arm] of arms.entries()) {
      left -= chance.floor / arms.length + ((1 - chance.floor) * (weights[i] as number)) / total
      if (left < 0) return arm
    }
    return arms.at(-1) as number
  }

  /** Told what a trial gained, in units of what is usual. */
  note(arm: number, gain: number): void {
    for (let i = 0; i < this.#tried.length; i++) {
      this.#tried[i] = (this.#tried[i] as number) * chance.fading + chance.forgotten
      this.#gained[i] = (this.#gained[i] as number) * chance.fading + chance.forgotten
    }
    this.#tried[arm] = (this.#tried[arm] as number) + 1
    this.#gained[arm] = (this.#gained[arm] as number) + gain
  }
}
