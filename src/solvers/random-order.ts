import { randomInteger } from '../kernels/random.ts'

/** Who draws: rows of other numbers belong to others who draw coordinates. */
const row = 1

/** The numbers below `count` in an order that depends on the seed and the round alone (Fisher and Yates). */
export function randomOrder(seed: number, round: number, count: number): Uint32Array {
  const order = Uint32Array.from({ length: count }, (_, i) => i)
  for (let last = count - 1; last > 0; last--) {
    const other = randomInteger({ seed, iteration: round, row }, 'coordinates', last, last + 1)
    const moved = order[last] as number
    order[last] = order[other] as number
    order[other] = moved
  }
  return order
}
