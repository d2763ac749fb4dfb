import type { Begin, Memory, Vector } from '../core/types.ts'

/** Choices among a few ways to do something, made more often where they have led to success. */
export interface Habits {
  readonly memory: Memory
  /** One of them, by a uniform random number below 1. */
  choose(uniform: number): number
  /** Told what became of a choice. */
  note(choice: number, isGood: boolean): void
}

/** What is thought of a choice that was never made: one success in three attempts. */
const before = { good: 0.5, tried: 1.5 }

/** Habits formed among `count` choices; `sharpness` is the power of its rate of success by which one is preferred. */
export function habits({ kernels, precision }: Begin, count: number, sharpness: 1 | 2): Habits {
  const good = kernels.allocate(count, precision)
  const tried = kernels.allocate(count, precision)
  good.fill(before.good)
  tried.fill(before.tried)
  const weight = (choice: number): number => {
    const rate = (good[choice] as number) / (tried[choice] as number)
    return sharpness === 1 ? rate : rate * rate
  }
  return {
    memory: { vectors: { good, tried } },
    choose(uniform) {
      let left = uniform * total(good, weight)
      for (let choice = 0; choice < count - 1; choice++) {
        left -= weight(choice)
        if (left < 0) return choice
      }
      return count - 1
    },
    note(choice, isGood) {
      tried[choice] = (tried[choice] as number) + 1
      if (isGood) good[choice] = (good[choice] as number) + 1
    },
  }
}

function total({ length }: Vector, weight: (choice: number) => number): number {
  let sum = 0
  for (let choice = 0; choice < length; choice++) sum += weight(choice)
  return sum
}
